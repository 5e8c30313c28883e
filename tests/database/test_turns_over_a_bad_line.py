"""A redemption whose COMMIT fails or whose lock is held happens once or not at all (R11)."""

import time
from collections.abc import Iterator
from decimal import Decimal

import pytest
from sqlalchemy import text

from gateway.ussd.engine import TRY_AGAIN
from tests.support.clock import SteppedClock
from tests.support.commit_proxy import CommitProxy, Fault
from tests.support.mariadb import MariaDBServer
from tests.support.wired import Wired

TURN_SECONDS_MAX = 3.0
HELD = ("accounts", "tokens", "guess_counters")


@pytest.fixture
def proxy(mariadb_server: MariaDBServer) -> Iterator[CommitProxy]:
    """The line to the shared server."""
    with CommitProxy(mariadb_server.port) as line:
        yield line


@pytest.fixture
def far(proxy: CommitProxy, mariadb_url: str, clock: SteppedClock) -> Iterator[Wired]:
    """The gateway at the far end of the line."""
    wired = Wired(proxy.url(mariadb_url), clock)
    yield wired
    wired.close()


@pytest.mark.parametrize(
    ("fault", "number"),
    [
        (Fault.REFUSED, 1213),
        (Fault.REFUSED, 1205),
        (Fault.REFUSED, 1180),
        (Fault.COMMIT_LOST, 0),
        (Fault.ANSWER_LOST, 0),
    ],
)
def test_a_redemption_whose_commit_fails_is_repeated_and_pays_once(
    far: Wired, proxy: CommitProxy, fault: Fault, number: int
) -> None:
    token = far.issue("100.00").reveal()
    call = far.dial()
    call.send("1")
    proxy.fail_next_commit(fault, number)
    reply = call.send(token)
    assert reply.startswith("END You have received NGN 100.00.")
    assert call.post(call.text) == reply
    assert far.balance() == Decimal("100.00")
    assert far.breaches() == []


@pytest.mark.parametrize("table", HELD)
def test_a_redemption_that_waits_too_long_for_a_lock_changes_nothing(
    far: Wired, table: str
) -> None:
    far.redeem(far.issue("1.00").reveal())  # so that there is a row in each table to be held
    token = far.issue("100.00").reveal()
    call = far.dial()
    call.send("1")
    with far.gateway.database.engine.connect() as holder:
        holder.execute(text(f"SELECT * FROM {table} FOR UPDATE")).all()
        started = time.monotonic()
        assert call.send(token) == f"END {TRY_AGAIN}"
        assert time.monotonic() - started < TURN_SECONDS_MAX
        holder.rollback()
    assert far.balance() == Decimal("1.00")
    assert far.breaches() == []
    assert call.post(call.text).startswith("END You have received NGN 100.00.")
    assert far.balance() == Decimal("101.00")
    assert far.breaches() == []
