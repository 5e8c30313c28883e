"""The sweep past a token that cannot expire now, and the worker's sweep past a chore that fails."""

from decimal import Decimal

import pytest
from sqlalchemy import select

from gateway import chores
from gateway.database.engine import Database
from gateway.errors import TryAgain
from gateway.ledger.store import accounts
from gateway.tokens.store import tokens
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.wired import ADA, Wired
from tests.tokens.staging import funded, wallet

LARGEST = Decimal("9999999999999999.99")


def test_a_full_account_stops_its_own_tokens_only(wired: Wired, clock: SteppedClock) -> None:
    wallet(wired, ADA, "5.00")
    stuck = funded(wired, ADA, "5.00")
    clock.advance(hours=1)
    others = [wired.issue().serial for _ in range(3)]
    full = accounts.update().where(accounts.c.owner == ADA)
    wired.run(lambda c: c.execute(full.values(balance=LARGEST)).rowcount)
    clock.advance(days=31)
    with captured_log() as log:
        assert wired.gateway.chores()["tokens_expired"]() == 3
    assert [line["event"] for line in log.lines()] == ["expire_refused"]
    assert {wired.token(serial).status for serial in others} == {"expired"}
    wired.run(lambda c: c.execute(full.values(balance=Decimal("0.00"))).rowcount)
    assert wired.gateway.chores()["tokens_expired"]() == 1
    assert wired.token(stuck.serial).status == "expired"
    assert wired.breaches() == []


def test_a_locked_token_does_not_hold_up_those_behind_it(
    mariadb_url: str, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.tokens.sweep.EXPIRE_SECONDS_MAX", 0.5)
    wired, other = Wired(mariadb_url, clock), Database(mariadb_url)
    locked = wired.issue().serial
    clock.advance(hours=1)
    behind = [wired.issue().serial for _ in range(3)]
    clock.advance(days=31)
    row = select(tokens.c.id).where(tokens.c.serial == locked).with_for_update()
    with other.engine.connect() as connection:
        connection.execute(row)
        assert wired.gateway.chores()["tokens_expired"]() == 3
    assert wired.token(locked).status == "issued"
    assert {wired.token(serial).status for serial in behind} == {"expired"}
    assert wired.gateway.chores()["tokens_expired"]() == 1
    other.dispose()
    wired.close()


def test_a_sweep_without_its_database_ends_at_once(clock: SteppedClock) -> None:
    wired = Wired("mysql+pymysql://u@127.0.0.1:9/n", clock)
    with pytest.raises(TryAgain):
        wired.gateway.chores()["tokens_expired"]()


def fail() -> int:
    """A chore that fails."""
    raise TryAgain("locked")


def test_chores_behind_one_that_fails_are_done_and_the_failure_is_told() -> None:
    with captured_log() as log:
        done = chores.each({"one": lambda: 1, "two": fail, "three": lambda: 3})
    assert done.counts == {"one": 1, "three": 3}
    assert [str(error) for error in done.failed.values()] == ["locked"]
    line = log.line()
    assert (line["event"], line["chore"]) == ("chore_failed", "two")
