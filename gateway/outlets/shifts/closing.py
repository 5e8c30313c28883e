"""Closing a shift: a blind count, its variance accepted, the till's money moved to the outlet."""

from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.errors import BadInput, RaceLost
from gateway.formats import money
from gateway.formats.digits import hidden
from gateway.formats.facts import fact
from gateway.ledger import store as ledger_store
from gateway.ledger.books import ZERO, Books, Leg
from gateway.ledger.operate import Deed
from gateway.ledger.store import Account
from gateway.outlets import store as outlets
from gateway.outlets.rights import NotAllowed, are_one
from gateway.outlets.shifts import store
from gateway.outlets.shifts.ending import store as ending
from gateway.outlets.shifts.store import Shift, State
from gateway.people.staff.hands import insist_own_pin

CLOSE = "close"  # the movement
COUNT, COUNT_FOR = "shift.count", "shift.count_for"  # in the trail


class Closing:
    """Counts and closes shifts."""

    def __init__(self, books: Books) -> None:
        self._books = books

    def count(
        self, connection: Connection, shift: Shift, cash: Decimal, seen: int, by: Deed
    ) -> Shift:
        """Count a shift that is locked; a first count that is as expected closes it at once.

        `seen` is how often it was counted when they looked. A later count waits for somebody's
        word also without a variance: whoever counts anew knows that the first one was wrong. The
        reason is of whoever counts in the cashier's stead. The same count again is answered with
        what became of it. Raises `BadInput`, also while somebody else has their PIN in hand: who
        counts and who accepts are two people.
        """
        insist_own_pin(connection, by.actor)
        if money.exact(cash) < 0:
            raise BadInput("the counted cash cannot be below zero")
        if shift.state != State.OPEN or shift.counts != seen:
            if shift.counts == seen + 1 and shift.counted_cash == cash:
                return shift
            raise BadInput("this shift was counted already: a manager can send the count back")
        if not ending.count(connection, shift, money.exact(cash), by.actor, by.now):
            raise RaceLost("the shift changed while it was being counted")
        counted = known(connection, shift.id)
        action = COUNT_FOR if by.reason else COUNT
        said = fact("variance {variance}", variance=_known(counted.variance))
        trail.record(connection, by.actor, action, shift.till, by.now, by.reason, said)
        if counted.variance == ZERO and counted.counts == 1:
            return self._close(connection, counted, by.actor, None, "", by.now)
        return counted

    def accept(self, connection: Connection, shift: Shift, seen: int, by: Deed) -> Shift:
        """Accept the count of a locked shift that they saw; a closed one is answered as it is.

        Raises `BadInput` for a blank reason, while nothing is counted, when it was counted anew
        since, for a PIN that somebody else has set, and `NotAllowed` for whoever has made the
        count.
        """
        insist_own_pin(connection, by.actor)
        why = trail.worded(by.reason)
        if shift.state == State.OPEN:
            raise BadInput("the cash of this shift is not counted yet")
        _insist_seen(shift, seen)
        if shift.state == State.CLOSED:
            return shift
        if shift.counted_by is not None and are_one(shift.counted_by, by.actor):
            raise NotAllowed("nobody accepts what they counted themselves: somebody else must")
        said = fact("variance {variance}", variance=_known(shift.variance))
        trail.record(connection, by.actor, "shift.accept", shift.till, by.now, why, said)
        return self._close(connection, shift, by.actor, by.actor, why, by.now)

    def send_back(self, connection: Connection, shift: Shift, seen: int, by: Deed) -> Shift:
        """Let the cash of a locked shift be counted anew; an open one is answered as it is.

        Raises `BadInput`, also when it was counted anew since they looked.
        """
        insist_own_pin(connection, by.actor)
        why = trail.worded(by.reason)
        _insist_seen(shift, seen)
        if shift.state == State.OPEN:
            return shift
        if not ending.count_anew(connection, shift):
            raise BadInput("this shift is closed already")
        said = fact("counted {cash}", cash=_known(shift.counted_cash))
        trail.record(connection, by.actor, "shift.send_back", shift.till, by.now, why, said)
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
        if not ending.close(connection, shift, accepted_by, hidden(why), now):
            raise RaceLost("the shift changed while it was being closed")
        moved = self._settle(connection, shift, now)
        # Less is moved where a dispute has taken some back.
        said = fact("paid {paid}, moved {moved}", paid=shift.total, moved=moved)
        trail.record(connection, actor, "shift.close", shift.till, now, fact=said)
        return known(connection, shift.id)

    def _settle(self, connection: Connection, shift: Shift, now: datetime) -> Decimal:
        """Owe the outlet what was owed to its till, also when one of them is frozen; how much.

        Freezing stops what would be paid, and what the bank would be told to pay; what was paid
        is owed all the same.
        """
        till, outlet = _accounts(connection, shift)
        owed = till.balance or ZERO
        if owed:
            key, legs = f"{CLOSE}:{shift.id}", (Leg(till, -owed, passes_on=True), Leg(outlet, owed))
            self._books.post(connection, key, CLOSE, shift.till, legs, now, returning=True)
        return owed


def _known(amount: Decimal | None) -> Decimal:
    """What a counted shift has."""
    if amount is None:
        raise LookupError("a shift that was counted has no count")
    return amount


def _insist_seen(shift: Shift, seen: int) -> None:
    if shift.counts != seen:
        raise BadInput("the drawer was counted anew since you looked: look at the new count")


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
