"""6 Cashier, 5 Close till and 6 Open a till: its drawer counted when it closes."""

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import partial

from gateway.errors import BadInput
from gateway.formats import money
from gateway.formats.money import InvalidAmount
from gateway.outlets.rights import PAYERS, NotAllowed
from gateway.outlets.shifts import store as shifts
from gateway.outlets.shifts.opening import OpenedSince
from gateway.outlets.shifts.store import Shift
from gateway.people.staff import store as staff
from gateway.people.staff.store import Member, Status
from gateway.ussd.screens import Again, Choice, Go, Next, Option, Screen, Values, Visit
from menus.desk import Desk
from menus.send import NO_AMOUNT

LARGEST = "NGN 9999999999999999.99"
SAMPLE = {
    "till": "WWWWWWWWWWWWWWWW/99",
    "cash": LARGEST,
    "variance": f"NGN -{LARGEST[4:]}",
}
NO_TILLS = "No till is free."
UNCONFIRMED = "Not confirmed. Dial again: 6 shows how your till stands."
OVER, NONE, COUNTED, TAKEN = "till.over", "till.none", "till.counted", "till.taken"
HAVE, NOWHERE, OWN_PIN = "till.have", "till.nowhere", "till.own_pin"
_ZERO = re.compile(r"0{1,15}(\.0{1,2})?", re.ASCII)

_ENDINGS = (
    Screen(OVER, text="You may not do this any more. Nothing was changed.", ends=True),
    Screen(NONE, text="You have no till open. Dial again and choose Open a till.", ends=True),
    Screen(
        HAVE, text="You have till {till} open already. Close it first.", ends=True, sample=SAMPLE
    ),
    Screen(
        TAKEN,
        text="Till {till} cannot be opened now: somebody else has it, or it is not used any more.",
        ends=True,
        sample=SAMPLE,
    ),
    Screen(
        OWN_PIN,
        text="Somebody else has set your PIN. Choose your own first: Change PIN, on the counter's"
        " page.",
        ends=True,
    ),
    Screen(NOWHERE, text="You work at no outlet yet. Please ask the office.", ends=True),
    Screen(
        COUNTED,
        unconfirmed=UNCONFIRMED,
        text="Till {till}: counted {cash}. Your manager must accept it. Nothing is paid until"
        " then.",
        ends=True,
        sample=SAMPLE,
    ),
)


@dataclass(frozen=True, slots=True)
class Work:
    """Who calls, and the shift of theirs that is not closed."""

    member: Member
    shift: Shift | None


def screens(desk: Desk) -> tuple[Screen, ...]:
    """Opening and closing."""
    return (*_opening(desk), *_closing(desk), *_ENDINGS)


def work(desk: Desk, visit: Visit) -> Work | None:
    """The caller at work, as the database says now; None for anybody else."""
    member = staff.by_msisdn(visit.connection, visit.msisdn)
    if member is None or member.status != Status.ACTIVE or member.role not in PAYERS:
        return None
    return Work(member, desk.counter.shift_of(visit.connection, member.id))


def at_till(desk: Desk, visit: Visit) -> tuple[Member, Shift] | Go:
    """The caller with an open till, or the screen that says what is missing."""
    at = work(desk, visit)
    if at is None:
        return Go(OVER)
    if at.shift is None:
        return Go(NONE)
    if at.shift.state != shifts.State.OPEN:
        return Go(COUNTED, _counted(desk, at.shift))
    return at.member, at.shift


def _opening(desk: Desk) -> tuple[Screen, ...]:
    return (
        Screen(
            "till.open",
            text="Open which till?",
            arrive=partial(_may_open, desk),
            choices=partial(_free, desk),
            choose=_chosen,
            complaints=(NO_TILLS,),
            leads_to=("till.cash", HAVE, OVER, NOWHERE),
            long=True,
            sample_choices=[SAMPLE["till"]] * 9,
        ),
        Screen(
            "till.cash",
            text="How much cash is in the drawer of till {till}? If none, enter 000.",
            answer=partial(_cash, desk, "till.sure"),
            complaints=(NO_AMOUNT,),
            leads_to=("till.sure",),
            sample=SAMPLE,
        ),
        Screen(
            "till.sure",
            text="Open till {till} with {cash}?",
            options=(Option("1", "Confirm", "till.opened"),),
            private=True,
            sample=SAMPLE,
        ),
        Screen(
            "till.opened",
            text="Till {till} is open with {cash}.",
            arrive=partial(_open, desk),
            ends=True,
            unconfirmed=UNCONFIRMED,
            leads_to=(TAKEN, HAVE, OVER, "till.cash"),
            sample=SAMPLE,
        ),
    )


def _closing(desk: Desk) -> tuple[Screen, ...]:
    return (
        Screen(
            "till.count",
            text="Close till {till}: count the cash in its drawer and enter the sum. If none, enter"
            " 000.",
            arrive=partial(_may_count, desk),
            answer=partial(_cash, desk, "till.close"),
            complaints=(NO_AMOUNT,),
            leads_to=("till.close", OVER, NONE, COUNTED),
            sample=SAMPLE,
        ),
        Screen(
            "till.close",
            text="You counted {cash}. Close till {till}? Nothing can be paid after that.",
            options=(Option("1", "Confirm", "till.closed"),),
            private=True,
            sample=SAMPLE,
        ),
        Screen(
            "till.closed",
            text="Till {till} is closed. Counted {cash}, difference {variance}.",
            arrive=partial(_close, desk),
            ends=True,
            unconfirmed=UNCONFIRMED,
            leads_to=(COUNTED, OVER, "till.count"),
            sample=SAMPLE,
        ),
    )


# --- opening: the till and its cash travel with the confirmation, and are its intent -------------


def _may_open(desk: Desk, visit: Visit) -> Next | Values:
    at = work(desk, visit)
    if at is None:
        return Go(OVER)
    if at.shift is not None:
        return Go(HAVE, {"till": at.shift.till})
    if desk.counter.outlet_of(visit.connection, at.member) is None:
        return Go(NOWHERE)
    return {} if _free(desk, visit) else Again(NO_TILLS)


def _free(desk: Desk, visit: Visit) -> list[Choice]:
    at = work(desk, visit)
    outlet = desk.counter.outlet_of(visit.connection, at.member) if at else None
    free = desk.counter.tills_free(visit.connection, outlet) if outlet else []
    return [Choice(till.name, f"{till.id} {till.name}") for till in free]


def _chosen(visit: Visit, value: str) -> Next:
    number, name = value.split(" ")
    return Go("till.cash", _to_open(visit, number, name))


def _to_open(visit: Visit, number: str, name: str) -> Values:
    """With the last shift there: a call that waits until it is over opens nothing (`after`)."""
    after = shifts.last_at(visit.connection, [int(number)]).get(int(number), 0)
    return {"number": number, "till": name, "after": str(after)}


def _cash(desk: Desk, to: str, visit: Visit, entry: str) -> Next:
    """Cash as it was typed; an empty drawer is one too, but `0` is the way back."""
    typed = entry.strip().rstrip("#")
    try:
        amount = Decimal("0.00") if _ZERO.fullmatch(typed) else money.parse(typed)
    except InvalidAmount:
        return Again(NO_AMOUNT)
    shown = money.display(amount, desk.currency)
    return Go(to, {**visit.values, "sum": money.plain(amount), "cash": shown})


def _open(desk: Desk, visit: Visit) -> Next | Values:
    at, given = work(desk, visit), visit.values
    if at is None:
        return Go(OVER)
    if at.shift is not None and at.shift.till != given["till"]:
        return Go(HAVE, {"till": at.shift.till})
    number, cash = int(given["number"]), money.exact(Decimal(given["sum"]))
    after = int(given["after"]) if "after" in given else None  # a call from before it was kept
    try:
        shift = desk.counter.open_shift(visit.connection, at.member, number, cash, visit.now, after)
    except NotAllowed:
        return Go(OVER)
    except OpenedSince:  # what it says of the drawer is of then
        return Go("till.cash", _to_open(visit, given["number"], given["till"]))
    except BadInput:
        return Go(TAKEN, {"till": given["till"]})
    return {"till": shift.till, "cash": money.display(shift.opening_cash, desk.currency)}


# --- closing: the shift and its count travel with the confirmation -------------------------------


def _may_count(desk: Desk, visit: Visit) -> Next | Values:
    at = at_till(desk, visit)
    return at if isinstance(at, Go) else _to_count(at[1])


def _to_count(shift: Shift) -> Values:
    return {"till": shift.till, "shift": str(shift.id), "counts": str(shift.counts)}


def _close(desk: Desk, visit: Visit) -> Next | Values:
    at, given = work(desk, visit), visit.values
    if at is None:
        return Go(OVER)
    number, cash = int(given["shift"]), money.exact(Decimal(given["sum"]))
    seen = int(given.get("counts", "0"))  # a call from before the counts were told apart has none
    try:
        shift = desk.counter.count(visit.connection, number, at.member, cash, seen, visit.now)
    except NotAllowed:
        return Go(OVER)
    except BadInput:  # it was counted meanwhile: what was counted then is what counts
        shift = desk.counter.shift(visit.connection, number, at.member)
    if shift.state == shifts.State.OPEN:  # and was sent back: it is to be counted anew
        return Go("till.count", _to_count(shift))
    values = _counted(desk, shift)
    return values if shift.state == shifts.State.CLOSED else Go(COUNTED, values)


def _counted(desk: Desk, shift: Shift) -> Values:
    zero = Decimal("0.00")
    return {
        "till": shift.till,
        "cash": money.display(shift.counted_cash or zero, desk.currency),
        "variance": money.display(shift.variance or zero, desk.currency),
    }
