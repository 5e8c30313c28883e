"""A process killed between any two statements of a dispute leaves every row as it was."""

from collections.abc import Callable, Sequence

import pytest

from tests.disputes.staging import Office, redeemed
from tests.support.clock import SteppedClock
from tests.support.crashes import Act, killed_before, rows, settled
from tests.support.wired import ADA, Wired
from tests.tokens.staging import funded, wallet
from tests.withdrawals.staging import Desk

STATEMENTS_MAX = 60


def office(wired: Wired) -> Office:
    """The operators of a process."""
    return Office(wired, Desk(wired))


def opening(wired: Wired) -> Act:
    """One about a payout that is stopped."""
    desk = Desk(wired)
    desk.fund()
    reference = desk.request().reference
    return lambda child: office(child).open(reference)


def release(wired: Wired) -> Act:
    """The payout goes on."""
    desk = Desk(wired)
    desk.fund()
    dispute = office(wired).open(desk.request().reference)
    return lambda child: office(child).end("release", dispute)


def refund_of_a_redemption(wired: Wired) -> Act:
    """From one wallet to the other."""
    here = office(wired)
    number = here.ask(here.open(redeemed(wired)), "40.00")
    return lambda child: office(child).approve(number)


def refund_of_a_token(wired: Wired) -> Act:
    """Cancelled, with all that is told of it."""
    here = office(wired)
    wallet(wired, ADA, "5.00")
    number = here.ask(here.open(funded(wired, ADA, "5.00").serial))
    return lambda child: office(child).approve(number)


def refund_of_what_is_held(wired: Wired) -> Act:
    """Rejected."""
    here = office(wired)
    here.desk.fund()
    number = here.ask(here.open(here.desk.request().reference))
    return lambda child: office(child).approve(number)


ACTS: Sequence[Callable[[Wired], Act]] = (
    opening,
    release,
    refund_of_a_redemption,
    refund_of_a_token,
    refund_of_what_is_held,
)


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
