"""A process killed between any two statements of a withdrawal leaves every row as it was."""

from collections.abc import Callable, Sequence

import pytest

from gateway.providers.base.messages import Outcome
from tests.support.clock import SteppedClock
from tests.support.crashes import Act, killed_before, rows, settled
from tests.support.wired import Wired
from tests.tokens.till_staging import cash, pay, till
from tests.withdrawals.staging import Desk, naira

STATEMENTS_MAX = 60


def hold(wired: Wired) -> Act:
    """Asking for it."""
    Desk(wired).fund()
    return lambda child: Desk(child).request(fee=naira("1.00"))


def payout(wired: Wired) -> Act:
    """The word that it was paid."""
    desk = Desk(wired)
    desk.fund()
    made = desk.request(fee=naira("1.00"))
    return lambda child: Desk(child).hear(made, Outcome.SUCCEEDED, txn_id="T")


def release(wired: Wired) -> Act:
    """The word that it failed."""
    desk = Desk(wired)
    desk.fund()
    made = desk.request(fee=naira("1.00"))
    return lambda child: Desk(child).hear(made, Outcome.FAILED)


def contradiction(wired: Wired) -> Act:
    """The word that what was rejected was paid."""
    desk = Desk(wired)
    desk.fund()
    made = desk.request()
    desk.hear(made, Outcome.FAILED)
    return lambda child: Desk(child).hear(made, Outcome.SUCCEEDED, txn_id="T")


def counter(wired: Wired) -> Act:
    """A cash code paid at a till."""
    token, at = cash(wired, "10.00").reveal(), till(wired)
    return lambda child: pay(child, token, at)


ACTS: Sequence[Callable[[Wired], Act]] = (hold, payout, release, contradiction, counter)


@pytest.mark.parametrize("prepare", ACTS, ids=lambda act: act.__name__)
def test_a_kill_between_any_two_statements_changes_nothing(
    wired: Wired, database_url: str, clock: SteppedClock, prepare: Callable[[Wired], Act]
) -> None:
    act = prepare(wired)
    before = rows(wired)
    wired.close()  # no line of the parent's may be shared with a child
    number = 1
    while killed_before(number, database_url, clock, act):
        assert settled(wired, before), f"killed before statement {number}, something stayed"
        wired.close()
        number += 1
        assert number < STATEMENTS_MAX
    assert number > 3, "nothing was cut off"
    assert rows(wired) != before
    assert wired.breaches() == []
