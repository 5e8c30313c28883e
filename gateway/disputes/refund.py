"""Refunds: who pays, who is paid, never more than the original over all its disputes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.disputes import messages, store
from gateway.disputes.states import REFUND, RULES, Kind
from gateway.disputes.store import Dispute
from gateway.errors import BadInput
from gateway.formats import money
from gateway.formats.facts import Made, fact
from gateway.ledger import floats
from gateway.ledger import store as ledger_store
from gateway.ledger.books import ZERO, Books, Leg
from gateway.ledger.limits import InsufficientFunds, Stopped
from gateway.ledger.store import ACTIVE, CLOSED, HOUSE, WALLET, Account
from gateway.outlets.payments import owed
from gateway.switches.restores import returns
from gateway.tokens import store as tokens
from gateway.tokens.retire import Retirer, WrongState, current
from gateway.tokens.store import LIVE, Token
from gateway.withdrawals import operate
from gateway.withdrawals import store as withdrawals
from gateway.withdrawals.operate import Deed, Operators, StillOpen
from gateway.withdrawals.store import Payout

OWNER: Final = "owner"  # whoever has the money pays
SOURCES = (OWNER, HOUSE)


class NoneLeft(BadInput):
    """More would be refunded than the original; `left` says what still can be."""

    def __init__(self, left: Decimal) -> None:
        super().__init__(f"at most {left} is left to be refunded")
        self.left = left


@dataclass(frozen=True, slots=True)
class _Sides:
    payer: Account
    payee: Account


class Refunder:
    """Moves the money of a refund."""

    def __init__(self, books: Books, retirer: Retirer, operators: Operators) -> None:
        self._books = books
        self._retirer = retirer
        self._operators = operators

    def left(self, connection: Connection, dispute: Dispute) -> Decimal:
        """What can still be refunded of the subject, over all its disputes."""
        return dispute.amount - sum(store.refunds(connection, dispute.kind, dispute.subject), ZERO)

    def insist(
        self, connection: Connection, dispute: Dispute, amount: Decimal, source: str, now: datetime
    ) -> None:
        """Lock the subject and raise unless this much of it can be refunded.

        Raises `NoneLeft`, `WrongState`, `NotHeld`, `StillOpen`, `BadInput` and `UnderRestore`;
        whether who pays has the money is seen when it is moved.
        """
        returns.insist_none(connection)
        lock_subject(connection, dispute)
        left = self.left(connection, dispute)
        if amount > left or amount <= ZERO:
            raise NoneLeft(left)
        if source not in SOURCES:
            raise BadInput(f"a refund is paid by {' or '.join(SOURCES)}")
        if not RULES[Kind(dispute.kind)].partial:
            if amount != dispute.amount:
                raise BadInput(f"all of it is refunded, {money.plain(dispute.amount)}, or nothing")
            if source != OWNER:
                raise BadInput("nobody but its owner pays for this refund")
            _insist_live(connection, dispute, now)

    def refund(
        self,
        connection: Connection,
        dispute: Dispute,
        amount: Decimal,
        source: str,
        actor: str,
        reason: str,
        now: datetime,
    ) -> None:
        """Move the money of a dispute that was just marked as refunded.

        Raises `WrongState` or `NotHeld` when the subject has ended otherwise, `StillOpen` while a
        payout may have left, `InsufficientFunds` or `Stopped` of who should pay, `FunderClosed`
        and `OwnerClosed`.
        """
        if dispute.kind == Kind.LIVE:
            self._retirer.cancel(
                connection, _token(connection, dispute.subject), actor, reason, now
            )
        elif dispute.kind == Kind.HELD:
            self._operators.reject(connection, dispute.subject, Deed(actor, reason), now)
        else:
            payer = self._move(connection, dispute, amount, source, now)
            if payer.kind in owed.COUNTERS:
                subject, name = Made(dispute.subject), Made(dispute.reference)
                what = fact("{n} for {of}, dispute {name}", n=amount, of=subject, name=name)
                action = f"{payer.kind}.refund"
                trail.record(connection, actor, action, payer.owner, now, reason, what)

    def _move(
        self, connection: Connection, dispute: Dispute, amount: Decimal, source: str, now: datetime
    ) -> Account:
        sides = self._sides(connection, dispute, source, now)
        _insist_able(sides, amount)
        surplus = floats.surplus(connection, sides.payee, amount)
        key = f"{REFUND}:{dispute.reference}"
        legs = (Leg(sides.payer, -amount), Leg(sides.payee, amount))
        # What comes back was theirs: it reaches a frozen or full wallet too.
        self._books.post(connection, key, REFUND, dispute.reference, legs, now, returning=True)
        if surplus:
            floats.bring_over(connection, self._books, sides.payee, surplus, key, now)
        messages.tell_moved(connection, dispute, sides.payer, sides.payee, amount, now)
        return sides.payer

    def _sides(
        self, connection: Connection, dispute: Dispute, source: str, now: datetime
    ) -> _Sides:
        house = floats.paying(connection, self._books, dispute.currency, now)
        if dispute.kind == Kind.PAID:
            found = operate.known(connection, dispute.subject)
            return _Sides(house, ledger_store.by_id(connection, found.account_id))
        token = _token(connection, dispute.subject)
        funder = ledger_store.by_id(connection, token.funder_id)
        return _Sides(house if source == HOUSE else _owner(connection, token), funder)


def lock_subject(connection: Connection, dispute: Dispute) -> None:
    """Keep what a dispute is about as it is until this transaction ends."""
    _LOCKS[Kind(dispute.kind)](connection, dispute.subject)


def concerned(connection: Connection, dispute: Dispute) -> Sequence[str]:
    """The phones of those whose money a refund would move, or has moved before."""
    if dispute.kind in (Kind.HELD, Kind.PAID):
        found = operate.known(connection, dispute.subject)
        owner = ledger_store.by_id(connection, found.account_id)
        return (found.msisdn, found.destination, _phone(owner))
    token = _token(connection, dispute.subject)
    people = [token.recipient or "", _phone(ledger_store.by_id(connection, token.funder_id))]
    if dispute.kind == Kind.REDEMPTION:
        people.append(_phone(_owner(connection, token)))
    return people


def _owner(connection: Connection, token: Token) -> Account:
    """Who has the money of a token that was redeemed."""
    at_counter = owed.holder(connection, token.id)
    return at_counter or store.credited_by(connection, f"redeem:{token.id}")


def _phone(account: Account) -> str:
    return account.owner if account.kind == WALLET else ""


def _insist_live(connection: Connection, dispute: Dispute, now: datetime) -> None:
    """Raise unless the subject still is what it was when the dispute was opened."""
    if dispute.kind == Kind.LIVE:
        token = _token(connection, dispute.subject)
        if token.status not in LIVE:
            raise WrongState(current(connection, token.id, now))
    elif operate.held(connection, dispute.subject).payout in (Payout.SENDING, Payout.UNKNOWN):
        raise StillOpen("the provider may have paid it, or may yet do so")


def _insist_able(sides: _Sides, amount: Decimal) -> None:
    payer, payee = sides.payer, sides.payee
    if payee.status == CLOSED:
        raise Stopped("the account that the money came from is closed")
    if payer.id == payee.id or payer.owner == payee.owner == HOUSE:
        raise BadInput("the refund would go from an account to itself")
    if payer.status != ACTIVE:
        raise Stopped(f"the account that should pay is {payer.status}: the house can pay")
    if payer.balance is not None and payer.balance < amount:
        raise InsufficientFunds("the balance of who should pay is below the amount")


def _token(connection: Connection, serial: str) -> Token:
    token = tokens.by_serial(connection, serial)
    if token is None:
        raise LookupError(f"no token {serial}")
    return token


def _lock_token(connection: Connection, serial: str) -> None:
    tokens.locked(connection, _token(connection, serial).id)


def _lock_redemption(connection: Connection, serial: str) -> None:
    owed.lock(connection, _token(connection, serial).id)
    _lock_token(connection, serial)


_LOCKS: Mapping[Kind, Callable[[Connection, str], object]] = {
    Kind.LIVE: _lock_token,
    Kind.REDEMPTION: _lock_redemption,
    Kind.HELD: withdrawals.lock,
    Kind.PAID: withdrawals.lock,
}
