"""Booking money that has arrived: to a wallet that can take it, else to suspense, never away."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import structlog
from sqlalchemy import Connection

from gateway.deposits import references, store
from gateway.deposits.callbacks.store import Became
from gateway.deposits.states import State
from gateway.deposits.store import Deposit
from gateway.errors import RaceLost
from gateway.formats import money
from gateway.ledger import wallets
from gateway.ledger.books import ZERO, Books, Leg
from gateway.ledger.limits import LimitExceeded, Stopped
from gateway.ledger.store import FEES, SETTLEMENT, SUSPENSE, Account
from gateway.outbox import queue

log = structlog.get_logger()

RECEIPT = "deposit"  # the outbox template that tells the wallet's owner
BOOKED, JOINED = "deposit", "deposit_join"  # kinds of movements


@dataclass(frozen=True, slots=True)
class Payment:
    """Money that came without an order of ours, as its provider tells it."""

    provider: str
    txn_id: str
    known_as: str  # what the payer typed
    amount: Decimal
    currency: str
    occurred_at: datetime | None


class Crediting:
    """Completes deposits; the caller holds the lock of the row, or has just made it."""

    def __init__(self, books: Books) -> None:
        self._books = books

    def order(
        self,
        connection: Connection,
        order: Deposit,
        txn_id: str,
        occurred_at: datetime | None,
        now: datetime,
    ) -> Became:
        """Complete an open order with its own amount; `RaceLost` when it is not open any more."""
        if not store.claim(connection, order.id, txn_id, occurred_at, now):
            raise RaceLost("the order was settled meanwhile")
        wallet = wallets.ensure(connection, order.msisdn, order.currency, now)
        why = self._refusal(wallet, order.amount - order.fee, now)
        return self._book(connection, order, None if why else wallet, why, now)

    def payment(
        self,
        connection: Connection,
        payment: Payment,
        wallet: Account | None,
        why: str,
        now: datetime,
    ) -> tuple[Became, int]:
        """Book a payment to `wallet`, or to suspense for the reason `why`; and its row's id."""
        reference = references.new()
        row = store.add(
            connection,
            reference=reference,
            origin=store.PAYMENT,
            provider=payment.provider,
            txn_id=payment.txn_id or None,
            known_as=payment.known_as or None,
            msisdn=wallet.owner if wallet else "",
            amount=payment.amount,
            fee=ZERO,
            currency=payment.currency,
            state=State.PENDING.value,
            created_at=now,
            changed_at=now,
            occurred_at=payment.occurred_at,
        )
        made = store.locked(connection, row)
        if not store.claim(connection, row, payment.txn_id, payment.occurred_at, now):
            raise RaceLost("the payment was settled meanwhile")
        if wallet is not None:
            why = self._refusal(wallet, payment.amount, now)
        return self._book(connection, made, None if why else wallet, why, now), row

    def join(self, connection: Connection, payment: Deposit, order: Deposit, now: datetime) -> None:
        """A payment in suspense turned out to be what `order` is credited for: book it once."""
        suspense = self.suspense(connection, payment.provider, payment.currency, now)
        if payment.account_id != suspense.id or not store.change_state(
            connection, payment.id, State.JOINED, now, joined_to=order.id
        ):
            raise RaceLost("the payment left suspense meanwhile")
        legs = (
            Leg(suspense, -payment.amount),
            Leg(self._settlement(connection, payment, now), payment.amount),
        )
        key = f"deposit.join:{payment.reference}"
        self._books.post(connection, key, JOINED, payment.reference, legs, now)
        log.info("deposit_joined", deposit=payment.reference, order=order.reference)

    def in_suspense(self, connection: Connection, payment: Deposit, now: datetime) -> bool:
        """Whether this is money that waits for its owner."""
        suspense = self.suspense(connection, payment.provider, payment.currency, now)
        return payment.state == State.COMPLETED and payment.account_id == suspense.id

    def suspense(
        self, connection: Connection, provider: str, currency: str, now: datetime
    ) -> Account:
        """Where a provider's money lies that has no wallet to go to."""
        return self._books.system(connection, SUSPENSE, currency, now, owner=provider)

    def _settlement(self, connection: Connection, deposit: Deposit, now: datetime) -> Account:
        return self._books.system(
            connection, SETTLEMENT, deposit.currency, now, owner=deposit.provider
        )

    def _refusal(self, wallet: Account, amount: Decimal, now: datetime) -> str:
        """Why a wallet cannot take an amount; "" when it can."""
        try:
            self._books.limits.insist_credit(wallet, amount, now)
        except (Stopped, LimitExceeded) as error:
            return str(error)
        return ""

    def _book(
        self,
        connection: Connection,
        deposit: Deposit,
        wallet: Account | None,
        why: str,
        now: datetime,
    ) -> Became:
        """The movement, once for each deposit: its key is the deposit's reference."""
        legs = [Leg(self._settlement(connection, deposit, now), -deposit.amount)]
        if wallet is None:
            account = self.suspense(connection, deposit.provider, deposit.currency, now)
            legs.append(Leg(account, deposit.amount))
        else:
            account = wallet
            legs.append(Leg(account, deposit.amount - deposit.fee))
            if deposit.fee:
                fees = self._books.system(connection, FEES, deposit.currency, now)
                legs.append(Leg(fees, deposit.fee))
        self._books.post(
            connection,
            f"deposit:{deposit.reference}",
            BOOKED,
            deposit.reference,
            legs,
            now,
            by_owner=deposit.is_order and wallet is not None,
        )
        store.credited(connection, deposit.id, account.id, why)
        if wallet is None:
            log.warning("deposit_in_suspense", deposit=deposit.reference, why=why)
            return Became.SUSPENSE
        self._tell(connection, deposit, wallet.owner, now)
        return Became.CREDITED

    def _tell(self, connection: Connection, deposit: Deposit, owner: str, now: datetime) -> None:
        amount = money.display(deposit.amount - deposit.fee, deposit.currency)
        details = {"amount": amount, "reference": deposit.reference, "currency": deposit.currency}
        cause = f"deposit:{deposit.reference}"
        queue.add(connection, cause, RECEIPT, "", owner, "", now, details)
