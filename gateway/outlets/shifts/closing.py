"""Closing a shift: a blind count, its variance accepted, the till's money moved to the outlet."""

from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.errors import BadInput, RaceLost
from gateway.formats import money
from gateway.formats.digits import hidden
from gateway.ledger import store as ledger_store
from gateway.ledger.books import ZERO, Books, Leg
from gateway.ledger.store import Account
from gateway.outlets import store as outlets
from gateway.outlets.record import record
from gateway.outlets.shifts import store
from gateway.outlets.shifts.store import Shift, State

CLOSE = "close"  # the movement


class Closing:
    """Counts and closes shifts."""

    def __init__(self, books: Books) -> None:
        self._books = books

    def count(
        self, connection: Connection, shift: Shift, cash: Decimal, actor: str, now: datetime
    ) -> Shift:
        """Count a shift that is locked; it closes at once when the cash is as expected.

        The same count again is answered with what became of it. Raises `BadInput`.
        """
        if money.exact(cash) < 0:
            raise BadInput("the counted cash cannot be below zero")
        if shift.state != State.OPEN:
            if shift.counted_cash == cash:
                return shift
            raise BadInput("this shift was counted already: a manager can send the count back")
        variance = cash - shift.expected
        if not store.count(connection, shift.id, money.exact(cash), variance, now):
            raise RaceLost("the shift changed while it was being counted")
        record(connection, actor, "shift.count", shift.till, now, f"variance {variance}")
        if variance == ZERO:
            return self._close(connection, shift, actor, None, "", now)
        return known(connection, shift.id)

    def accept(
        self, connection: Connection, shift: Shift, actor: str, reason: str, now: datetime
    ) -> Shift:
        """Accept the variance of a shift that is locked; a closed one is answered as it is.

        Raises `BadInput` for a blank reason and while nothing is counted.
        """
        why = trail.worded(reason)
        if shift.state == State.OPEN:
            raise BadInput("the cash of this shift is not counted yet")
        if shift.state == State.CLOSED:
            return shift
        fact = f"variance {shift.variance}"
        record(connection, actor, "shift.accept", shift.till, now, fact, why)
        return self._close(connection, shift, actor, actor, why, now)

    def send_back(
        self, connection: Connection, shift: Shift, actor: str, reason: str, now: datetime
    ) -> Shift:
        """Let the cash of a locked shift be counted anew; an open one is answered as it is.

        Raises `BadInput`.
        """
        why = trail.worded(reason)
        if shift.state == State.OPEN:
            return shift
        if not store.count_anew(connection, shift.id):
            raise BadInput("this shift is closed already")
        fact = f"counted {shift.counted_cash}"
        record(connection, actor, "shift.send_back", shift.till, now, fact, why)
        return known(connection, shift.id)

    def _close(
        self,
        connection: Connection,
        shift: Shift,
        actor: str,
        accepted_by: str | None,
        why: str,
        now: datetime,
    ) -> Shift:
        if not store.close(connection, shift.id, accepted_by, hidden(why), now):
            raise RaceLost("the shift changed while it was being closed")
        self._settle(connection, shift, now)
        record(connection, actor, "shift.close", shift.till, now, f"owed {shift.total}")
        return known(connection, shift.id)

    def _settle(self, connection: Connection, shift: Shift, now: datetime) -> None:
        """Owe the outlet what was owed to its till, also when one of them is frozen.

        Freezing stops what would be paid, and what the bank would be told to pay; what was paid
        is owed all the same.
        """
        till, outlet = _accounts(connection, shift)
        owed = till.balance or ZERO
        if owed:
            key, legs = f"{CLOSE}:{shift.id}", (Leg(till, -owed, passes_on=True), Leg(outlet, owed))
            self._books.post(connection, key, CLOSE, shift.till, legs, now, returning=True)


def _accounts(connection: Connection, shift: Shift) -> tuple[Account, Account]:
    outlet = outlets.by_code(connection, shift.outlet)
    if outlet is None:
        raise LookupError(f"till {shift.till} has no outlet")
    found = (shift.account_id, outlet.account_id)
    till, settlement = (ledger_store.by_id(connection, number) for number in found)
    return till, settlement


def known(connection: Connection, shift_id: int) -> Shift:
    """The shift with this number. Raises `BadInput`."""
    found = store.by_id(connection, shift_id)
    if found is None:
        raise BadInput("there is no such shift")
    return found


def locked(connection: Connection, shift_id: int) -> Shift:
    """The same, kept as it is until this transaction ends. Raises `BadInput`."""
    store.lock(connection, shift_id)
    return known(connection, shift_id)
