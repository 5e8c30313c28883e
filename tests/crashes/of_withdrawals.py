"""Money on its way out: held, paid, given back, contradicted."""

from collections.abc import Sequence

from gateway.providers.base.messages import Outcome
from gateway.withdrawals.operate import Deed
from tests.support.crashes import Act, Movement
from tests.support.wired import Wired
from tests.withdrawals.staging import Desk, naira


def _hold(wired: Wired) -> Act:
    """Asking for it."""
    Desk(wired).fund()
    return lambda child: Desk(child).request(fee=naira("1.00"))


def _payout(wired: Wired) -> Act:
    """The word that it was paid."""
    desk = Desk(wired)
    desk.fund()
    made = desk.request(fee=naira("1.00"))
    return lambda child: Desk(child).hear(made, Outcome.SUCCEEDED, txn_id="T")


def _release(wired: Wired) -> Act:
    """The word that it failed."""
    desk = Desk(wired)
    desk.fund()
    made = desk.request(fee=naira("1.00"))
    return lambda child: Desk(child).hear(made, Outcome.FAILED)


def _contradiction(wired: Wired) -> Act:
    """The word that what was rejected was paid."""
    desk = Desk(wired)
    desk.fund()
    made = desk.request()
    desk.hear(made, Outcome.FAILED)
    return lambda child: Desk(child).hear(made, Outcome.SUCCEEDED, txn_id="T")


def _by_hand(wired: Wired) -> Act:
    desk, deed = Desk(wired), Deed("cli:ada", "at the bank")
    desk.fund()
    paid, now = (desk.request().reference, "FT1", "bank", deed), wired.clock.now()
    return lambda child: child.run(lambda c: Desk(child).parts.operators.pay(c, *paid, now))


MOVEMENTS: Sequence[Movement] = (
    Movement("hold", _hold),
    Movement("pay out", _payout),
    Movement("pay out by hand", _by_hand),
    Movement("release", _release),
    Movement("contradict", _contradiction),
)
