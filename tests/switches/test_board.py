"""The switchboard: cheap to ask, seen by every process within a second, true to what is stored."""

import time
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import event

from gateway.database.engine import Database
from gateway.errors import BadInput
from gateway.switches import board, store
from gateway.switches.board import Board
from tests.support.clock import START
from tests.support.databases import migrate
from tests.support.log import captured_log
from tests.support.mariadb import PrivateMariaDB
from tests.support.races import race


@dataclass
class Seconds:
    """A monotonic clock that a test steps."""

    at: float = 100.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def seconds() -> Seconds:
    """The process's clock."""
    return Seconds()


def throw(database: Database, what: str, *, pause: bool) -> str:
    """Throw a switch, as the command does."""
    return database.run(
        lambda c: board.throw(c, what, "cli:ops", "a reason", START, pause=pause), keyed=True
    )


def statements(database: Database) -> list[str]:
    """What is sent to the database from now on."""
    sent: list[str] = []

    def note(_: object, __: object, statement: str, *___: Any) -> None:
        sent.append(statement)

    event.listen(database.engine, "before_cursor_execute", note)
    return sent


def test_nothing_is_paused_at_first(database: Database, seconds: Seconds) -> None:
    on = Board(database, seconds)
    assert not any(on.is_paused(what) for what in board.PARTS)


def test_a_switch_is_seen_within_a_second_by_a_process_that_knew_better(
    database: Database, seconds: Seconds
) -> None:
    on = Board(database, seconds)
    assert not on.is_paused("redeem")
    throw(database, "redeem", pause=True)
    throw(database, "provider:mpesa", pause=True)
    seconds.at += 1.0
    assert on.is_paused("redeem")
    assert on.is_paused("provider:mpesa")
    assert not on.is_paused("sms")
    throw(database, "redeem", pause=False)
    seconds.at += 1.0
    assert not on.is_paused("redeem")


def test_a_busy_process_reads_once_a_second(database: Database, seconds: Seconds) -> None:
    on = Board(database, seconds)
    on.is_paused("redeem")
    sent = statements(database)
    for _ in range(1000):
        on.is_paused("redeem")
        on.is_paused("payouts")
    assert sent == []
    seconds.at += 1.0
    assert race(8, lambda _: on.is_paused("redeem")) == [False] * 8
    assert len([statement for statement in sent if "switches" in statement]) == 1


def test_a_caller_in_a_transaction_needs_no_second_connection(
    database_url: str, seconds: Seconds
) -> None:
    narrow = Database(database_url, pool_size=1)
    on = Board(narrow, seconds)
    began = time.monotonic()
    assert narrow.run(lambda c: on.is_paused("redeem", c)) is False
    assert time.monotonic() - began < 5
    narrow.dispose()


def test_what_is_known_stays_while_the_database_is_away(
    private_mariadb: PrivateMariaDB, seconds: Seconds
) -> None:
    private_mariadb.create_database("gateway")
    url = private_mariadb.url("gateway")
    migrate(url)
    database = Database(url)
    throw(database, "payouts", pause=True)
    on = Board(database, seconds)
    assert on.is_paused("payouts")
    private_mariadb.kill()
    seconds.at += 1.0
    with captured_log() as log:
        assert on.is_paused("payouts")
        assert not on.is_paused("redeem")
        assert [line["event"] for line in log.lines()] == ["switches_not_read"]
    private_mariadb.start()
    database.dispose()


def test_a_switch_that_stands_so_already_is_refused(database: Database) -> None:
    with pytest.raises(BadInput, match="redeem is not paused"):
        throw(database, "redeem", pause=False)
    assert throw(database, " Redeem", pause=True) == "redeem"
    with pytest.raises(BadInput, match="redeem is paused"):
        throw(database, "redeem", pause=True)
    throw(database, "redeem", pause=False)
    with pytest.raises(BadInput, match="redeem is not paused"):
        throw(database, "redeem", pause=False)


@pytest.mark.parametrize(
    "what", ["", "everything", "provider:", "provider:nobody", "mpesa", "provider:redeem", "réd"]
)
def test_a_switch_that_would_stop_nothing_is_refused(database: Database, what: str) -> None:
    with pytest.raises(BadInput, match="no such switch"):
        throw(database, what, pause=True)


def test_who_threw_a_switch_and_why_is_kept_without_digits(database: Database) -> None:
    database.run(
        lambda c: board.throw(c, "sms", "cli:ops", "by 902100000000000014", START, pause=True)
    )
    (switch,) = database.run(store.every)
    assert switch == store.Switch("sms", True, START, "cli:ops", "by ####")


@pytest.mark.parametrize("before", [False, True])
def test_of_two_that_throw_a_switch_at_once_one_is_told_that_it_stands(
    database: Database, *, before: bool
) -> None:
    if before:
        throw(database, "sms", pause=True)
        throw(database, "sms", pause=False)
    outcomes = race(4, lambda _: throw(database, "sms", pause=True))
    assert sorted(map(str, outcomes)) == ["sms", *["sms is paused"] * 3]
