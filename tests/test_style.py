"""Holds every file of the project to the house rules; exceptions are listed with their reason."""

import re
from collections.abc import Iterator
from inspect import getdoc

import pytest

from tests.support import floors, house_rules
from tests.support.house import Source, sources
from tests.support.house_rules import Rule

# (rule, file, what breaks it): why it may.
ONE_FLAT_LIST = "a migration is one flat list of tables, read from top to bottom"
VERSIONS = "gateway/database/migrations/versions"
EXCEPTIONS: dict[tuple[str, str, str], str] = {
    ("a_function_has_at_most_50_lines", f"{VERSIONS}/{version}.py", "upgrade"): ONE_FLAT_LIST
    for version in ("0001_ledger", "0002_tokens", "0003_messages", "0004_people")
}

RULES: tuple[Rule, ...] = (
    house_rules.a_module_opens_with_a_sentence,
    house_rules.a_function_has_at_most_50_lines,
    house_rules.a_file_has_at_most_300_lines,
    house_rules.a_line_has_at_most_100_columns,
    house_rules.nothing_is_left_to_do,
    house_rules.the_project_speaks_of_itself,
    floors.imports_come_from_lower_floors,
    floors.every_room_has_a_floor,
    floors.adapters_do_not_know_each_other,
    house_rules.sql_stays_in_the_stores,
    house_rules.flask_stays_in_the_web,
    house_rules.the_network_stays_at_the_edge,
    house_rules.prometheus_stays_in_its_room,
    house_rules.parts_are_handed_in,
    house_rules.money_is_never_a_float,
    house_rules.digits_are_never_an_int,
    house_rules.only_the_command_line_prints,
    house_rules.time_comes_from_the_clock,
    house_rules.chance_comes_from_the_system,
    house_rules.no_row_is_ignored,
    house_rules.every_test_runs,
    house_rules.nothing_of_ours_is_mocked,
    house_rules.a_test_is_named_by_a_sentence,
)

# What each rule must find, and what it must let pass. Words that this file may not hold itself
# are written in two parts.
BROKEN: tuple[tuple[str, str, str], ...] = (
    ("a_module_opens_with_a_sentence", "gateway/x.py", "import re"),
    ("a_module_opens_with_a_sentence", "tests/test_x.py", '"""Things"""'),
    ("a_function_has_at_most_50_lines", "bench/x.py", "def long():\n" + "    a = 1\n" * 50),
    ("a_file_has_at_most_300_lines", "gateway/web/static/x.js", "a;\n" * 301),
    ("a_line_has_at_most_100_columns", "tools/x.sh", "x" * 101),
    ("nothing_is_left_to_do", "docs/x.md", "TO" + "DO: more"),
    ("nothing_is_left_to_do", "gateway/x.py", "a = 1  # FIX" + "ME"),
    ("the_project_speaks_of_itself", "README.md", "see /wo" + "rk/main"),
    ("the_project_speaks_of_itself", "x.lock", "https://py" + "pi.org/simple"),
    ("imports_come_from_lower_floors", "gateway/ledger/x.py", "from gateway.tokens import code"),
    ("imports_come_from_lower_floors", "gateway/ledger/x.py", "import gateway.people.store"),
    ("imports_come_from_lower_floors", "gateway/ussd/x.py", "from menus import home"),
    ("imports_come_from_lower_floors", "gateway/web/x.py", "from gateway.cli import db"),
    ("imports_come_from_lower_floors", "gateway/clock.py", "from gateway import settings"),
    ("imports_come_from_lower_floors", "gateway/sms/x.py", "from . import store"),
    ("every_room_has_a_floor", "gateway/helpers/x.py", ""),
    ("adapters_do_not_know_each_other", "gateway/channels/x.py", "from gateway.channels import y"),
    ("sql_stays_in_the_stores", "gateway/tokens/issue.py", "from sqlalchemy import select"),
    ("sql_stays_in_the_stores", "gateway/web/x.py", "import pymysql"),
    ("sql_stays_in_the_stores", "gateway/tokens/issue.py", "connection.execute(statement)"),
    ("flask_stays_in_the_web", "gateway/tokens/issue.py", "from flask import request"),
    ("the_network_stays_at_the_edge", "gateway/outbox/x.py", "import requests"),
    ("the_network_stays_at_the_edge", "gateway/partners/x.py", "from urllib import request"),
    ("prometheus_stays_in_its_room", "gateway/web/x.py", "import prometheus_client"),
    ("parts_are_handed_in", "gateway/web/x.py", "from flask import current_app"),
    ("parts_are_handed_in", "gateway/x.py", "def f():\n    global cache"),
    ("money_is_never_a_float", "gateway/x.py", "amount = float(text)"),
    ("digits_are_never_an_int", "gateway/tokens/code.py", "total += int(digit)"),
    ("only_the_command_line_prints", "gateway/x.py", "print(token)"),
    ("time_comes_from_the_clock", "gateway/x.py", "from datetime import *\ndatetime.now(UTC)"),
    ("time_comes_from_the_clock", "menus/x.py", "import datetime\ndatetime.date.today()"),
    ("time_comes_from_the_clock", "gateway/x.py", "import time\ntime.time()"),
    ("time_comes_from_the_clock", "gateway/x.py", "from time import time"),
    ("chance_comes_from_the_system", "gateway/x.py", "import random\nrandom.choice(digits)"),
    ("chance_comes_from_the_system", "gateway/x.py", "from random import randrange"),
    ("no_row_is_ignored", "gateway/x/store.py", "text('INSERT  IGNORE INTO tokens')"),
    ("no_row_is_ignored", "gateway/x/store.py", "text('insert or ignore into tokens')"),
    ("no_row_is_ignored", "gateway/x/store.py", "insert(tokens).prefix_with('IGNORE')"),
    ("every_test_runs", "tests/test_x.py", "@pytest.mark.skipif(True)\ndef test_x(): ..."),
    ("every_test_runs", "tests/test_x.py", "from pytest import xfail"),
    ("every_test_runs", "gateway/x.py", "# doctest: +SK" + "IP"),
    ("nothing_of_ours_is_mocked", "tests/test_x.py", "from unittest.mock import patch"),
    ("a_test_is_named_by_a_sentence", "tests/test_x.py", "def test_issue(): ..."),
)
KEPT: tuple[tuple[str, str, str], ...] = (
    ("a_module_opens_with_a_sentence", "gateway/x.py", '"""Reads phones."""'),
    ("a_module_opens_with_a_sentence", "gateway/__init__.py", ""),
    ("a_function_has_at_most_50_lines", "bench/x.py", "def long():\n" + "    a = 1\n" * 49),
    ("a_file_has_at_most_300_lines", "gateway/web/static/x.js", "a;\n" * 300),
    ("a_file_has_at_most_300_lines", "docs/x.md", "a\n" * 301),
    ("a_line_has_at_most_100_columns", "tools/x.sh", "x" * 100),
    ("nothing_is_left_to_do", "docs/x.md", "a todo list"),
    ("the_project_speaks_of_itself", "README.md", "opens http://127.0.0.1:8000/work and var/tmp/x"),
    ("imports_come_from_lower_floors", "gateway/tokens/x.py", "from gateway.tokens import code"),
    ("imports_come_from_lower_floors", "gateway/tokens/x.py", "from gateway.ledger import books"),
    ("imports_come_from_lower_floors", "app.py", "from menus import home"),
    ("imports_come_from_lower_floors", "tests/formats/x.py", "from gateway import web"),
    ("every_room_has_a_floor", "gateway/tokens/x.py", ""),
    ("every_room_has_a_floor", "gateway/__init__.py", ""),
    ("adapters_do_not_know_each_other", "gateway/channels/x.py", "import gateway.channels.base"),
    ("sql_stays_in_the_stores", "gateway/tokens/issue.py", "from sqlalchemy import Connection"),
    ("sql_stays_in_the_stores", "gateway/tokens/store.py", "from sqlalchemy import select"),
    ("sql_stays_in_the_stores", "tests/test_x.py", "connection.execute(statement)"),
    ("flask_stays_in_the_web", "gateway/web/x.py", "from flask import request"),
    ("the_network_stays_at_the_edge", "gateway/channels/x.py", "import requests"),
    ("the_network_stays_at_the_edge", "gateway/web/x.py", "from urllib.parse import quote"),
    ("prometheus_stays_in_its_room", "gateway/metrics/x.py", "import prometheus_client"),
    ("parts_are_handed_in", "gateway/web/x.py", "from flask import Flask"),
    ("money_is_never_a_float", "gateway/x.py", "def wait(seconds: float) -> None: ..."),
    ("digits_are_never_an_int", "gateway/tokens/code.py", "int.from_bytes(mac)"),
    ("only_the_command_line_prints", "gateway/cli/x.py", "print(serial)"),
    ("time_comes_from_the_clock", "gateway/x.py", "clock.now()\ntime.monotonic()"),
    ("chance_comes_from_the_system", "gateway/x.py", "import random\nrandom.SystemRandom()"),
    ("no_row_is_ignored", "gateway/x/store.py", '"""Never INSERT IGNORE."""\nname("ignored")'),
    ("every_test_runs", "tests/test_x.py", "@pytest.mark.parametrize('skip', [1])\ndef f(): ..."),
    ("nothing_of_ours_is_mocked", "tests/test_x.py", "from tests.support import clock"),
    ("a_test_is_named_by_a_sentence", "tests/test_x.py", "def test_a_token_has_digits(): ..."),
)
BY_NAME = {rule.__name__: rule for rule in RULES}


@pytest.fixture(scope="module")
def project() -> tuple[Source, ...]:
    """Every text file of the project."""
    return tuple(sources())


def breaches(rule: Rule, project: tuple[Source, ...]) -> Iterator[tuple[str, str, str, int]]:
    """Every place in the project where a rule is broken, allowed or not."""
    for source in project:
        for line, subject in rule(source):
            yield rule.__name__, source.path, subject, line


@pytest.mark.parametrize("rule", RULES, ids=BY_NAME)
def test_the_house_keeps_the_rule(rule: Rule, project: tuple[Source, ...]) -> None:
    found = [
        f"{path}:{line}: {subject}"
        for name, path, subject, line in breaches(rule, project)
        if (name, path, subject) not in EXCEPTIONS
    ]
    assert not found, "\n".join([f"{getdoc(rule)}", *found])


def test_every_exception_is_still_needed(project: tuple[Source, ...]) -> None:
    broken = {found[:3] for rule in RULES for found in breaches(rule, project)}
    assert set(EXCEPTIONS) <= broken


@pytest.mark.parametrize(("name", "path", "text"), BROKEN)
def test_the_rule_finds_what_breaks_it(name: str, path: str, text: str) -> None:
    assert list(BY_NAME[name](Source(path, text)))


@pytest.mark.parametrize(("name", "path", "text"), KEPT)
def test_the_rule_lets_pass_what_keeps_it(name: str, path: str, text: str) -> None:
    assert not list(BY_NAME[name](Source(path, text)))


def test_every_rule_is_tried_on_both_kinds_of_sample() -> None:
    assert {name for name, _, _ in BROKEN} == {name for name, _, _ in KEPT} == set(BY_NAME)


def test_the_lock_files_hold_names_and_versions_alone(project: tuple[Source, ...]) -> None:
    locks = [source for source in project if source.path.endswith(".lock")]
    lines = [line for lock in locks for _, line in lock.lines]
    assert len(locks) == 2
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []
