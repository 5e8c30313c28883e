"""Disputes opened and ended."""

from collections.abc import Sequence

from gateway.providers.base.messages import Outcome
from tests.disputes.staging import Office, redeemed
from tests.support.crashes import Act, Movement
from tests.support.wired import ADA, Wired
from tests.tokens.staging import funded, wallet
from tests.withdrawals.staging import Desk


def _office(wired: Wired) -> Office:
    """The operators of a process."""
    return Office(wired, Desk(wired))


def _opening(wired: Wired) -> Act:
    """One about a payout that is stopped."""
    desk = Desk(wired)
    desk.fund()
    reference = desk.request().reference
    return lambda child: _office(child).open(reference)


def _release(wired: Wired) -> Act:
    """The payout goes on."""
    desk = Desk(wired)
    desk.fund()
    dispute = _office(wired).open(desk.request().reference)
    return lambda child: _office(child).end("release", dispute)


def _refund_of_a_redemption(wired: Wired) -> Act:
    """From one wallet to the other."""
    here = _office(wired)
    number = here.ask(here.open(redeemed(wired)), "40.00")
    return lambda child: _office(child).approve(number)


def _refund_of_a_token(wired: Wired) -> Act:
    """Cancelled, with all that is told of it."""
    here = _office(wired)
    wallet(wired, ADA, "5.00")
    number = here.ask(here.open(funded(wired, ADA, "5.00").serial))
    return lambda child: _office(child).approve(number)


def _refund_of_what_is_held(wired: Wired) -> Act:
    """Rejected."""
    here = _office(wired)
    here.desk.fund()
    number = here.ask(here.open(here.desk.request().reference))
    return lambda child: _office(child).approve(number)


def _refund_of_what_was_paid(wired: Wired) -> Act:
    """By the house."""
    here = _office(wired)
    here.desk.fund()
    made = here.desk.request()
    here.desk.hear(made, Outcome.SUCCEEDED, txn_id="T")
    number = here.ask(here.open(made.reference), "40.00")
    return lambda child: _office(child).approve(number)


def _rejection(wired: Wired) -> Act:
    """With the refund that was asked for."""
    here = _office(wired)
    dispute = here.open(redeemed(wired))
    here.ask(dispute, "40.00")
    return lambda child: _office(child).end("reject", dispute)


MOVEMENTS: Sequence[Movement] = (
    Movement("open a dispute", _opening),
    Movement("release a dispute", _release),
    Movement("reject a dispute", _rejection),
    Movement("refund a redemption", _refund_of_a_redemption),
    Movement("refund a token", _refund_of_a_token),
    Movement("refund what is held", _refund_of_what_is_held),
    Movement("refund what was paid", _refund_of_what_was_paid),
)
