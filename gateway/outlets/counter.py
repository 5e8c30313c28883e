"""The counter as its pages and its menu use it: every right is checked here, at each step."""

from collections.abc import Sequence
from datetime import datetime, time
from decimal import Decimal

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.ledger.books import Books
from gateway.ledger.operate import Deed
from gateway.outlets import store as outlets
from gateway.outlets.payments import confirm as payments_confirm
from gateway.outlets.payments import store as payments
from gateway.outlets.payments.answers import Shown
from gateway.outlets.payments.confirm import Confirmer
from gateway.outlets.payments.show import IsPaused, Looker
from gateway.outlets.payments.store import Payment
from gateway.outlets.payments.void import Voider
from gateway.outlets.rights import NotAllowed, insist_manager, insist_payer
from gateway.outlets.shifts import opening
from gateway.outlets.shifts import store as shifts
from gateway.outlets.shifts.closing import Closing, locked
from gateway.outlets.shifts.store import Shift
from gateway.outlets.store import Outlet, Status, Till
from gateway.people.staff.hands import actor_of
from gateway.people.staff.store import Member, Role
from gateway.tokens.tills.pay import TillPayer

COUNTER, USSD = "counter", "ussd"  # channels
LISTED_MAX = 200


class Counter:
    """What cashiers and managers do.

    Each method works within the caller's transaction, and nothing of its answer may leave before
    that transaction's COMMIT has returned. All of them can be repeated after a lost answer
    (`Database.run(..., keyed=True)`). They raise `NotAllowed` for what is not the member's.
    """

    def __init__(self, books: Books, payer: TillPayer, is_paused: IsPaused, voider: Voider) -> None:
        self._zone = books.limits.zone
        self.room = payer.room
        self._looker = Looker(payer, is_paused)
        self._confirmer = Confirmer(payer, is_paused)
        self._closing = Closing(books)
        self._voider = voider

    # --- the shift -------------------------------------------------------------------------------

    def outlet_of(self, connection: Connection, member: Member) -> Outlet | None:
        """Where somebody works; None when their outlet is none of ours."""
        return outlets.by_code(connection, member.outlet) if member.outlet else None

    def tills_free(self, connection: Connection, outlet: Outlet) -> list[Till]:
        """The tills of an outlet that a shift can be opened at."""
        busy = shifts.busy_tills(connection, outlet.id)
        found = outlets.tills_of(connection, outlet.id) if outlet.stand is Status.OPEN else []
        return [till for till in found if till.stand is Status.OPEN and till.id not in busy]

    def shift_of(self, connection: Connection, cashier_id: int) -> Shift | None:
        """A cashier's shift that is not closed yet."""
        return shifts.of_cashier(connection, cashier_id)

    def shift(self, connection: Connection, shift_id: int, member: Member) -> Shift:
        """A shift of one's own, or of the outlet that one manages."""
        found = shifts.by_id(connection, shift_id)
        if found is None or not _may_see(member, found.cashier_id, found.outlet):
            raise NotAllowed("there is no such shift of yours")
        return found

    def shifts(
        self,
        connection: Connection,
        manager: Member,
        states: Sequence[shifts.State] = tuple(shifts.State),
        rows_max: int = LISTED_MAX,
        before: int | None = None,
    ) -> list[Shift]:
        """The latest shifts of the outlet that one manages, newest first, before another one."""
        outlet = self.outlet_of(connection, manager)
        if outlet is None or manager.role != Role.MANAGER:
            raise NotAllowed("only a manager sees the shifts of an outlet")
        return shifts.listed(connection, rows_max, states, outlet.id, before)

    def open_shift(
        self,
        connection: Connection,
        cashier: Member,
        till_id: int,
        opening_cash: Decimal,
        now: datetime,
        after: int | None = None,
    ) -> Shift:
        """The cashier's shift at a till; `after` says which wish it is, as of `open_shift`."""
        return opening.open_shift(connection, cashier, till_id, opening_cash, now, after)

    def count(
        self,
        connection: Connection,
        shift_id: int,
        cashier: Member,
        counted_cash: Decimal,
        seen: int,
        now: datetime,
    ) -> Shift:
        """Count the drawer: the shift is closed, or waits for somebody to accept the count.

        `seen`, here and below, is `Shift.counts` as it was when they looked: what is decided
        about. Raises `BadInput`.
        """
        shift = locked(connection, shift_id)
        _insist_own(connection, cashier, shift.cashier_id, shift.outlet)
        by = Deed(actor_of(cashier), "", now)
        return self._closing.count(connection, shift, counted_cash, seen, by)

    def count_for(
        self,
        connection: Connection,
        shift_id: int,
        manager: Member,
        counted_cash: Decimal,
        seen: int,
        reason: str,
        now: datetime,
    ) -> Shift:
        """Count in the stead of a cashier who is not there. Raises `BadInput`."""
        shift = locked(connection, shift_id)
        insist_manager(connection, manager, shift.outlet, shift.cashier_id)
        by = Deed(actor_of(manager), trail.worded(reason), now)
        return self._closing.count(connection, shift, counted_cash, seen, by)

    def accept(
        self,
        connection: Connection,
        shift_id: int,
        manager: Member,
        seen: int,
        reason: str,
        now: datetime,
    ) -> Shift:
        """Accept a count, which closes the shift; a closed one is answered as it is.

        Raises `BadInput`.
        """
        shift = locked(connection, shift_id)
        insist_manager(connection, manager, shift.outlet, shift.cashier_id)
        by = Deed(actor_of(manager), reason, now)
        return self._closing.accept(connection, shift, seen, by)

    def send_back(
        self,
        connection: Connection,
        shift_id: int,
        manager: Member,
        seen: int,
        reason: str,
        now: datetime,
    ) -> Shift:
        """Let the drawer be counted anew. Raises `BadInput`."""
        shift = locked(connection, shift_id)
        insist_manager(connection, manager, shift.outlet, shift.cashier_id)
        by = Deed(actor_of(manager), reason, now)
        return self._closing.send_back(connection, shift, seen, by)

    def accept_from_office(
        self, connection: Connection, shift_id: int, seen: int, by: Deed
    ) -> Shift:
        """Accept a count as an operator, who was proved already. Raises `BadInput`."""
        return self._closing.accept(connection, locked(connection, shift_id), seen, by)

    def count_from_office(
        self, connection: Connection, shift_id: int, counted_cash: Decimal, seen: int, by: Deed
    ) -> Shift:
        """Count as an operator, where neither cashier nor manager can. Raises `BadInput`."""
        shift, why = locked(connection, shift_id), trail.worded(by.reason)
        by = Deed(by.actor, why, by.now)
        return self._closing.count(connection, shift, counted_cash, seen, by)

    # --- payments --------------------------------------------------------------------------------

    def show(
        self,
        connection: Connection,
        shift: Shift,
        entry: str,
        cashier: Member,
        channel: str,
        now: datetime,
        customer: str = "",
    ) -> Shown:
        """Look a token up; `customer` is a phone (E.164). Raises `KeyMissing`, `KeyDiffers`.

        A token that this shift was shown within ten minutes has the same payment again.
        """
        fresh = locked(connection, shift.id)
        _insist_own(connection, cashier, fresh.cashier_id, fresh.outlet)
        return self._looker.show(
            connection, fresh, entry, actor_of(cashier), channel, now, customer
        )

    def confirm(
        self,
        connection: Connection,
        reference: str,
        cashier: Member,
        customer: str,
        now: datetime,
        channel: str = COUNTER,
    ) -> Payment:
        """Pay what was shown, once: what it became, however often it is asked.

        The cash is to be handed out by whoever finds their own `now` in its `decided_at`.
        It stays `shown` when its `answer` can change: another phone, limited, paused. Raises
        `BadInput` when the customer's number is asked for and missing.
        """
        payment = self._own(connection, reference, cashier)
        actor = actor_of(cashier)
        return self._confirmer.confirm(connection, payment, actor, customer, now, channel)

    def decline(
        self, connection: Connection, reference: str, cashier: Member, now: datetime
    ) -> Payment:
        """Do not pay what was shown; a decided one is answered as it is."""
        payment = self._own(connection, reference, cashier)
        return self._confirmer.decline(connection, payment, actor_of(cashier), now)

    def payment(self, connection: Connection, reference: str, member: Member) -> Payment:
        """A payment of one's own, or of the outlet that one manages."""
        found = payments_confirm.known(connection, reference)
        if not _may_see(member, found.cashier_id, found.outlet):
            raise NotAllowed("there is no such payment of yours")
        return found

    def last(self, connection: Connection, shift: Shift, rows_max: int = 5) -> list[Payment]:
        """A shift's latest payments, the voided ones too, newest first."""
        return payments.of_shift(connection, shift.id, rows_max)

    def today(
        self,
        connection: Connection,
        where: Shift | Outlet,
        now: datetime,
        rows_max: int = LISTED_MAX,
    ) -> list[Payment]:
        """The payments of a shift, or of an outlet's local day, newest first."""
        if isinstance(where, Shift):
            return payments.of_shift(connection, where.id, rows_max)
        local = now.astimezone(self._zone)
        midnight = datetime.combine(local.date(), time(), self._zone)
        return payments.of_outlet(connection, where.id, midnight, rows_max)

    def void(
        self,
        connection: Connection,
        reference: str,
        manager: Member,
        recipient: str,
        reason: str,
        now: datetime,
    ) -> Payment:
        """Take a payment back, once: a fresh token goes to its recipient, the old digits stay dead.

        The manager's PIN was proved before (`Roster.entrance.entered`). `recipient` (E.164) is
        needed where the token names none. Raises `BadInput`.
        """
        payment = payments_confirm.locked(connection, reference)
        insist_manager(connection, manager, payment.outlet, payment.cashier_id)
        return self._voider.void(connection, payment, actor_of(manager), recipient, reason, now)

    def resend(
        self, connection: Connection, reference: str, cashier: Member, seen: int, now: datetime
    ) -> None:
        """Send a token's SMS once more, to its recorded recipient; of a voided one, the fresh one.

        `seen`: the latest SMS with it that they saw. Raises `BadInput` while it waits to be paid,
        `WrongState`, `NoRecipient`, `ResendLimited`, `DerivationMismatch`.
        """
        payment = self.payment(connection, reference, cashier)
        insist_payer(connection, cashier, payment.outlet)
        self._voider.resend(connection, reference, seen, actor_of(cashier), now)

    def _own(self, connection: Connection, reference: str, cashier: Member) -> Payment:
        payment = payments_confirm.locked(connection, reference)
        _insist_own(connection, cashier, payment.cashier_id, payment.outlet)
        return payment


def _insist_own(connection: Connection, cashier: Member, owner_id: int, outlet: str) -> None:
    if cashier.id != owner_id:
        raise NotAllowed("this is another cashier's")
    insist_payer(connection, cashier, outlet)


def _may_see(member: Member, owner_id: int, outlet: str) -> bool:
    manages = member.role == Role.MANAGER and member.outlet == outlet
    return member.id == owner_id or manages or member.is_operator
