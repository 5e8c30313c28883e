"""`gateway db upgrade`, and every command before it or without a database."""

import pytest

from tests.cli.conftest import CommandLine
from tests.support.clock import SteppedClock
from tests.support.mariadb import MariaDBServer
from tests.support.wired import ADA, Wired

NEEDS_SCHEMA = (
    ("tokens", "issue", "--amount", "5", "--to", ADA),
    ("tokens", "show", "22222222"),
    ("wallets", "show", ADA),
    ("books", "check"),
    ("keys", "list"),
    ("keys", "rotate", "--purpose", "lookup", "--to", "p1"),
    ("sweep",),
    ("worker", "--once"),
)


@pytest.mark.parametrize("words", NEEDS_SCHEMA)
def test_a_command_before_the_migrations_says_which_comes_first(
    fresh: CommandLine, words: tuple[str, ...]
) -> None:
    assert "run gateway db upgrade first" in fresh.error(*words)


def test_db_upgrade_brings_the_schema_and_may_be_repeated(fresh: CommandLine) -> None:
    first = fresh.json("db", "upgrade")
    assert first["before"] is None
    again = fresh.json("db", "upgrade")
    assert again == {"before": first["revision"], "revision": first["revision"]}
    assert fresh.json("books", "check") == []


@pytest.mark.parametrize("words", NEEDS_SCHEMA)
def test_a_command_without_a_database_says_so_in_one_line(
    clock: SteppedClock, quiet: None, words: tuple[str, ...]
) -> None:
    lost = CommandLine(Wired("mysql+pymysql://u:pass-word@127.0.0.1:9/n", clock).gateway.parts)
    said = lost.error(*words)
    assert "database" in said
    assert "pass-word" not in said


def test_a_command_whose_database_refuses_it_says_so_in_one_line(
    mariadb_server: MariaDBServer, clock: SteppedClock, quiet: None
) -> None:
    url = f"mysql+pymysql://root@127.0.0.1:{mariadb_server.port}/no_such_database"
    assert "database: " in CommandLine(Wired(url, clock).gateway.parts).error("books", "check")
