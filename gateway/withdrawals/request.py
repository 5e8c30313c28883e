"""Asking for a withdrawal: the amount and its fee are held at once, in one movement."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import structlog
from sqlalchemy import Connection

from gateway.audit import trail
from gateway.errors import BadInput
from gateway.formats import money
from gateway.ledger import store as ledger_store
from gateway.ledger.books import Books, Leg
from gateway.ledger.fees import WITHDRAW_MOBILE, Fees
from gateway.ledger.store import HELD, WALLET, Account
from gateway.outbox.leases.store import is_awaited
from gateway.outbox.tasks import PAYOUT
from gateway.providers.base.messages import Amounts
from gateway.withdrawals import store
from gateway.withdrawals.payers import Payers
from gateway.withdrawals.payout import queue_payout
from gateway.withdrawals.store import MOBILE, SETTLEMENT, Payout, State, Withdrawal

log = structlog.get_logger()

REFERENCE_LENGTH = 12
ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # people read it out: nothing looks like another
# Puts a withdrawal before a second operator.
AsksOperators = Callable[[Connection, Withdrawal, datetime], None]


class IntentReused(BadInput):
    """The intent stands for another withdrawal already."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What to withdraw: `intent` names it once and for all, whoever repeats it."""

    account: Account
    amount: Decimal
    fee: Decimal  # as it was agreed to
    intent: str
    destination: str  # a phone (E.164), or a bank account
    actor: str
    method: str = MOBILE
    reason: str = ""  # an operator's, for the trail


def new_reference() -> str:
    """The name under which a provider pays: never replaced, never used again."""
    return "".join(secrets.choice(ALPHABET) for _ in range(REFERENCE_LENGTH))


class Requester:
    """Takes withdrawals; a provider pays them, or an operator where none serves the phone."""

    def __init__(
        self,
        books: Books,
        fees: Fees,
        payers: Payers,
        ask_operators: AsksOperators,
        alone_max: Decimal | None = None,
    ) -> None:
        """Above `alone_max` a payout waits until `ask_operators` has found a second one."""
        self._books = books
        self._fees = fees
        self._payers = payers
        self._ask_operators = ask_operators
        self._alone_max = alone_max

    def fee(self, amount: Decimal) -> Decimal:
        """What withdrawing an amount to mobile money costs besides."""
        return self._fees.of(WITHDRAW_MOBILE, amount)

    def amounts(self, msisdn: str, currency: str) -> Amounts:
        """Which amounts can be paid out to a phone: others would be refused and given back."""
        return self._payers.amounts(msisdn, currency)

    def request(self, connection: Connection, wish: Wish, now: datetime) -> Withdrawal:
        """Hold the money; the same intent again is answered with its withdrawal.

        Raises `BadInput`, `IntentReused`, and whatever `Limits.insist_debit` has against it, each
        before anything is written.
        """
        # Read before the intent: what a racer with the same one took is then not missing here.
        account = ledger_store.by_id(connection, wish.account.id)
        known = store.by_intent(connection, wish.intent)
        if known is not None:
            if (known.account_id, known.amount) != (wish.account.id, wish.amount):
                raise IntentReused("this was confirmed before, as another withdrawal")
            return known
        if money.exact(wish.amount) <= 0 or money.exact(wish.fee) < 0:
            raise BadInput("the amount must be above zero")
        self._books.limits.insist_debit(account, wish.amount + wish.fee, now)
        reference = new_reference()
        # Before its row: the row's foreign key would take a shared lock on the account first.
        self._hold(connection, account, wish, reference, now)
        store.add(connection, self._row(account, wish, reference, now))
        trail.record(connection, wish.actor, "withdrawal.request", reference, now, wish.reason)
        made = store.by_reference(connection, reference)
        if made is None:
            raise LookupError("a withdrawal that was just written is not there")
        return self._on_its_way(connection, made, now)

    def _hold(
        self,
        connection: Connection,
        account: Account,
        wish: Wish,
        reference: str,
        now: datetime,
    ) -> None:
        total = wish.amount + wish.fee
        held = self._books.system(connection, HELD, account.currency, now)
        legs = (Leg(account, -total, held=total), Leg(held, total))
        key, by_owner = f"hold:{wish.intent}", account.kind == WALLET
        self._books.post(connection, key, "hold", reference, legs, now, by_owner=by_owner)

    def _row(
        self, account: Account, wish: Wish, reference: str, now: datetime
    ) -> dict[str, object]:
        mobile = wish.method == MOBILE
        payer = self._payers.serving(wish.destination, account.currency) if mobile else None
        return {
            "reference": reference,
            "intent": wish.intent,
            "account_id": account.id,
            "method": wish.method,
            "provider": payer.name if payer else "",
            "msisdn": account.owner if account.kind == WALLET else "",
            "destination": wish.destination,
            "amount": wish.amount,
            "fee": wish.fee,
            "currency": account.currency,
            "state": State.HELD.value,
            "payout": Payout.NONE.value,
            "requested_by": wish.actor,
            "requested_at": now,
            "changed_at": now,
        }

    def _on_its_way(self, connection: Connection, made: Withdrawal, now: datetime) -> Withdrawal:
        """The next step: a second operator, the worker, or an operator who pays by hand."""
        if made.method == SETTLEMENT or not made.provider:
            store.move(connection, made.id, (Payout.NONE,), Payout.MANUAL, now)
            if made.method == MOBILE:
                log.warning("payout_by_hand", reference=made.reference)
        elif self._alone_max is not None and made.amount > self._alone_max:
            self._ask_operators(connection, made, now)
        else:
            start(connection, made, now)
        return store.by_reference(connection, made.reference) or made


def start(connection: Connection, withdrawal: Withdrawal, now: datetime) -> bool:
    """Give a withdrawal that waits to the worker; False when it does not wait any more.

    One that is queued waits, too, where its task is gone.
    """
    waits: tuple[Payout, ...] = (Payout.NONE, Payout.MANUAL)
    is_queued = withdrawal.payout == Payout.QUEUED
    if is_queued and not is_awaited(connection, withdrawal.reference, PAYOUT):
        waits = (*waits, Payout.QUEUED)
    if not withdrawal.provider or withdrawal.method != MOBILE:
        return False
    if not store.move(connection, withdrawal.id, waits, Payout.QUEUED, now):
        return False
    queue_payout(connection, withdrawal, now)
    return True
