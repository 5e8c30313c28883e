"""6 Cashier, 3 Last five and 4 Till total: what was paid at the till, also after a lost answer."""

from functools import partial

from gateway.formats import money
from gateway.outlets.payments.store import Payment, State
from gateway.outlets.shifts.store import Shift
from gateway.sms.texts import minute
from gateway.ussd.screens import Again, Go, Next, Screen, Values, Visit
from menus import till
from menus.desk import Desk

LAST = 5
NO_PAYMENTS = "Nothing was paid yet."
TAKEN_BACK = "taken back"  # by a manager


def screens(desk: Desk) -> tuple[Screen, ...]:
    """Both, for a till that is open or counted."""
    return (
        Screen(
            "takings.last",
            text="{lines}",
            arrive=partial(_last, desk),
            ends=True,
            complaints=(NO_PAYMENTS,),
            leads_to=(till.OVER, till.NONE),
            long=True,
            sample={"lines": "\n".join([f"23:59 {till.LARGEST} K7M29QXD {TAKEN_BACK}"] * LAST)},
        ),
        Screen(
            "takings.total",
            text="Till {till} since {since}\nPaid out {total}\n{paid} less {voided} taken back",
            arrive=partial(_total, desk),
            ends=True,
            leads_to=(till.OVER, till.NONE),
            sample={
                **till.SAMPLE,
                "since": "31/12/2026 23:59",
                "total": till.LARGEST,
                "paid": till.LARGEST,
                "voided": till.LARGEST,
            },
        ),
    )


def _last(desk: Desk, visit: Visit) -> Next | Values:
    shift = _shift(desk, visit)
    if isinstance(shift, Go):
        return shift
    lines = [_line(desk, visit, one) for one in desk.counter.last(visit.connection, shift, LAST)]
    return {"lines": "\n".join(lines)} if lines else Again(NO_PAYMENTS)


def _line(desk: Desk, visit: Visit, payment: Payment) -> str:
    at = (payment.decided_at or payment.created_at).astimezone(desk.zone)
    line = f"{at:%H:%M} {money.display(payment.amount, payment.currency)} {payment.serial}"
    return f"{line} {visit.say(TAKEN_BACK)}" if payment.state == State.VOIDED else line


def _total(desk: Desk, visit: Visit) -> Next | Values:
    """What was paid, not what should lie in the drawer: the count is blind."""
    shift = _shift(desk, visit)
    if isinstance(shift, Go):
        return shift
    return {
        "till": shift.till,
        "since": minute(shift.opened_at, desk.zone),
        "total": money.display(shift.total, desk.currency),
        "paid": money.plain(shift.paid),
        "voided": money.plain(shift.voided),
    }


def _shift(desk: Desk, visit: Visit) -> Shift | Go:
    at = till.work(desk, visit)
    if at is None:
        return Go(till.OVER)
    return at.shift or Go(till.NONE)
