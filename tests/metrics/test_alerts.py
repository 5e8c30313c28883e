"""The alert rules: they load, name only what is served, and say what to do."""

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import pytest
import yaml

from gateway.deposits.callbacks.store import Became
from gateway.metrics import states
from gateway.metrics.meters import GUESSES, Meters
from gateway.outbox.store import SMS, State
from gateway.reconciliation.runs import store as runs
from gateway.tokens.redeem import Answer
from gateway.web import webhooks
from gateway.web.ussd import Outcome
from gateway.withdrawals.store import Payout
from tests.support.clock import SteppedClock
from tests.support.house import ROOT
from tests.support.wired import Wired

FILE = ROOT / "deploy" / "alerts.yml"
METRIC = re.compile(r"\b(?:gateway_[a-z_]+|up)\b(?:\{([^}]*)\})?")
MATCHER = re.compile(r'([a-z_]+)(?:=~|!~|!=|=)"([^"]*)"')
BY = re.compile(r"\b(?:by|on|ignoring) \(([a-z_, ]*)\)")
RUNBOOK = re.compile(r"docs/runbook\.md#[a-z]+(?:-[a-z]+)*")
# What a rule may ask a label for, where its words are a vocabulary of ours.
WORDS: Mapping[str, set[str]] = {
    "outcome": {*Outcome, *Answer},
    "kind": {*GUESSES.values(), "books", "uncovered", "other"},
    "became": {*Became, webhooks.UNAUTHORIZED, webhooks.QUESTION, webhooks.NOT_STORED},
    "line": {SMS},
    "state": {*State, "in_use", "most"},
    "payout": {*Payout},
    "role": set(states.ROLES),
}


def rules() -> Sequence[dict[str, Any]]:
    loaded = yaml.safe_load(FILE.read_text())
    return list(chain.from_iterable(group["rules"] for group in loaded["groups"]))


@pytest.fixture(scope="module", params=rules(), ids=lambda rule: rule["alert"])
def rule(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Each rule."""
    given: dict[str, Any] = request.param
    return given


@pytest.fixture
def served(sqlite_url: str, clock: SteppedClock) -> Mapping[str, set[str]]:
    """The names of all series there can be, with their labels."""
    wired = Wired(sqlite_url, clock)
    run = wired.run(lambda c: runs.begin(c, clock.now().date(), "", "cron", clock.now()))
    wired.run(lambda c: runs.finish(c, run, 0, 0, 0, clock.now()))
    found = {"up": {"job", "instance"}, "gateway_database_up": {"instance"}}
    for family in wired.run(lambda c: states.read(c, clock.now())):
        found[family.name] = set(family._labelnames)
    for name, metric in Meters().registry._names_to_collectors.items():
        found[name] = {*metric._labelnames, "le"}  # type: ignore[attr-defined]
    wired.close()
    return found


def test_a_rule_names_only_what_is_served(
    rule: dict[str, Any], served: Mapping[str, set[str]]
) -> None:
    named = METRIC.findall(rule["expr"])
    assert named
    for match in METRIC.finditer(rule["expr"]):
        name = match[0].partition("{")[0]
        assert name in served
        for label, words in MATCHER.findall(match[1] or ""):
            assert label in served[name], f"{name} has no label {label}"
            if label in WORDS:
                assert set(words.split("|")) <= {str(word) for word in WORDS[label]}
    labels = set(chain.from_iterable(served.values())) | {"instance"}
    for words in BY.findall(rule["expr"]):
        assert {word.strip() for word in words.split(",")} - {""} <= labels


def test_a_rule_waits_says_how_bad_it_is_and_what_to_do(rule: dict[str, Any]) -> None:
    assert set(rule) == {"alert", "expr", "for", "labels", "annotations"}
    assert re.fullmatch(r"Gateway[A-Za-z]+", rule["alert"])
    assert re.fullmatch(r"[0-9]+[mh]", rule["for"])
    assert rule["labels"] in ({"severity": "critical"}, {"severity": "warning"})
    assert set(rule["annotations"]) == {"summary", "runbook"}
    assert RUNBOOK.fullmatch(rule["annotations"]["runbook"])
    assert rule["annotations"]["summary"].endswith(".") or "?" in rule["annotations"]["summary"]


def test_no_two_rules_have_one_name_and_brackets_close() -> None:
    names = [rule["alert"] for rule in rules()]
    assert len(set(names)) == len(names) >= 20
    for rule in rules():
        for opening, closing in ("()", "[]", "{}"):
            assert rule["expr"].count(opening) == rule["expr"].count(closing)


def test_the_page_about_metrics_names_each_and_no_other(served: Mapping[str, set[str]]) -> None:
    page = set(re.findall(r"`(gateway_[a-z_]+)`", (ROOT / "docs" / "metrics.md").read_text()))
    ends = ("_bucket", "_count", "_sum", "_created")
    names = {name for name in served if not name.endswith(ends)} - {"up"}
    # A counter's name without its end is its family's.
    families = {name.removesuffix("_total") for name in names if name.endswith("_total")}
    ours = {"gateway_database_read_seconds", "gateway_build_info"}
    assert page == (names - families) | ours


def test_a_rule_that_names_what_nobody_serves_is_found(served: Mapping[str, set[str]]) -> None:
    typed_wrong = "max(gateway_outbox_oldest_second) > 3"
    assert {match[0] for match in METRIC.finditer(typed_wrong)} - set(served)
