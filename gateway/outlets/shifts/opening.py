"""Opening a shift: one cashier, one till, and the cash that lies in its drawer."""

from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.errors import BadInput, RaceLost
from gateway.formats import money
from gateway.formats.facts import fact
from gateway.outlets import store as outlets
from gateway.outlets.rights import insist_payer
from gateway.outlets.shifts import store
from gateway.outlets.shifts.store import Shift
from gateway.outlets.store import Status, Till
from gateway.people.staff.hands import actor_of
from gateway.people.staff.store import Member
from gateway.people.staff.workplaces import store as workplaces


class OpenedSince(BadInput):
    """The till was opened since the form was made: whatever it says of the drawer is of then."""


def open_shift(
    connection: Connection,
    cashier: Member,
    till_id: int,
    opening_cash: Decimal,
    now: datetime,
    after: int | None = None,
) -> Shift:
    """The cashier's shift at a till; one that they have there already is it.

    `after` is the last shift there that they knew of (0: none), which makes the wish one that is
    spent once: a form that comes again when its shift is over opens nothing. None: whatever was.
    Raises `BadInput`, `OpenedSince`.

    Of two who open a till at once the second one waits, and finds it taken; whoever freezes or
    closes the till, or moves the cashier elsewhere, waits or has done it.
    """
    if money.exact(opening_cash) < 0:
        raise BadInput("the opening cash cannot be below zero")
    outlets.lock_tills(connection, till_id)
    workplaces.lock(connection, cashier.id)
    till = outlets.till(connection, till_id)
    if till is None:
        raise BadInput("there is no such till")
    insist_payer(connection, cashier, till.outlet)
    own = store.of_cashier(connection, cashier.id)
    if own is not None:
        if own.till_id == till_id:
            return own
        raise BadInput(f"you have till {own.till} open: close it first")
    other = store.at_till(connection, till_id)
    if other is not None:
        raise BadInput(f"till {other.till} is {other.cashier}'s until it is closed")
    if after is not None and store.last_at(connection, [till_id]).get(till_id, 0) != after:
        raise OpenedSince(f"till {till.name} was opened since: count its drawer again")
    _insist_in_use(connection, till)
    left = store.last_counted(connection, till_id)
    number = store.add(connection, till, cashier.id, money.exact(opening_cash), left, now)
    said = fact("with {cash}", cash=opening_cash)
    if left is not None and left != opening_cash:
        said = fact("with {cash} where {left} were left", cash=opening_cash, left=left)
    trail.record(connection, actor_of(cashier), "shift.open", till.name, now, fact=said)
    made = store.by_id(connection, number)
    if made is None:
        raise RaceLost("a shift that was just written is not there")
    return made


def _insist_in_use(connection: Connection, till: Till) -> None:
    outlet = outlets.by_code(connection, till.outlet)
    stands = (till.stand, outlet.stand) if outlet else (Status.CLOSED,)
    if Status.CLOSED in stands:
        raise BadInput(f"till {till.name} is closed for good")
    if Status.FROZEN in stands:
        raise BadInput(f"till {till.name} is frozen: ask an operator")
