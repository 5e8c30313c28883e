"""Booking money that has arrived: to a wallet that can take it, else to suspense, never away."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import structlog
from sqlalchemy import Connection

from gateway.deposits import references, store
from gateway.deposits.callbacks.store import Became
from gateway.deposits.ordered import store as ordered
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

RECEIPT, HELD = "deposit", "deposit.held"  # the outbox templates that tell the wallet's owner
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


@dataclass(frozen=True, slots=True)
class _Paid:
    """A deposit that is about to be completed."""

    deposit: Deposit
    txn_id: str
    occurred_at: datetime | None
    net: Decimal  # what a wallet gets of it
    payer: str = ""  # who is told when it lies in suspense


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
        wallet: Account | None = None,
    ) -> Became:
        """Complete an open order with its own amount; `RaceLost` when it is not open any more.

        `wallet` is the order's, where the caller holds its lock already.
        """
        wallet = wallet or ordered.wallet(connection, order.msisdn, order.currency)
        net, payer = order.amount - order.fee, order.msisdn if wallet else ""
        paid = _Paid(order, txn_id, occurred_at, net, payer)
        # Placing an order makes its wallet: it has been given to another number since.
        why = "" if wallet else "the number's wallet has moved"
        return self._book(connection, paid, wallet, why, now)

    def payment(
        self,
        connection: Connection,
        payment: Payment,
        owner: str,
        why: str,
        now: datetime,
    ) -> tuple[Became, int]:
        """Book a payment to its owner's wallet, or to suspense for the reason `why`; its row.

        The owner ("": nobody knows) is told either way.
        """
        row = store.add(
            connection,
            reference=references.new(),
            origin=store.PAYMENT,
            provider=payment.provider,
            txn_id=payment.txn_id or None,
            known_as=payment.known_as or None,
            msisdn="" if why else owner,
            amount=payment.amount,
            fee=ZERO,
            currency=payment.currency,
            state=State.PENDING.value,
            created_at=now,
            changed_at=now,
            occurred_at=payment.occurred_at,
        )
        wallet = None if why else self._locked(connection, owner, payment.currency, now)
        made = store.locked(connection, row)
        paid = _Paid(made, payment.txn_id, payment.occurred_at, payment.amount, owner)
        return self._book(connection, paid, wallet, why, now), row

    def join(self, connection: Connection, payment: Deposit, order: Deposit, now: datetime) -> None:
        """A payment in suspense turned out to be what `order` is credited for: book it once.

        The order takes over the carrier's id, by which a statement has it.
        """
        suspense = self.suspense(connection, payment.provider, payment.currency, now)
        if payment.account_id != suspense.id or not store.change_state(
            connection, payment.id, State.JOINED, now, joined_to=order.id, txn_id=None
        ):
            raise RaceLost("the payment left suspense meanwhile")
        seen_at = {"occurred_at": payment.occurred_at} if payment.occurred_at else {}
        store.note(connection, order.id, now, txn_id=payment.txn_id, **seen_at)
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

    def is_of(
        self, connection: Connection, order: Deposit, payment: Deposit, now: datetime
    ) -> bool:
        """Whether money in suspense can be the payment of an order."""
        one = (payment.provider, payment.amount, payment.currency)
        same = one == (order.provider, order.amount, order.currency)
        return same and self.in_suspense(connection, payment, now)

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

    def _locked(self, connection: Connection, owner: str, currency: str, now: datetime) -> Account:
        known = ordered.wallet(connection, owner, currency)
        return known or wallets.ensure(connection, owner, currency, now)

    def _book(
        self,
        connection: Connection,
        paid: "_Paid",
        wallet: Account | None,
        why: str,
        now: datetime,
    ) -> Became:
        """Claim, then the movement, whose key is the deposit's reference: each once."""
        deposit = paid.deposit
        if wallet is not None:
            why = self._refusal(wallet, paid.net, now)
        account = None if why else wallet
        legs = [Leg(self._settlement(connection, deposit, now), -deposit.amount)]
        if account is None:
            account = self.suspense(connection, deposit.provider, deposit.currency, now)
            legs.append(Leg(account, deposit.amount))
        else:
            legs.append(Leg(account, paid.net))
            if deposit.fee:
                fees = self._books.system(connection, FEES, deposit.currency, now)
                legs.append(Leg(fees, deposit.fee))
        if not store.claim(
            connection, deposit.id, paid.txn_id, paid.occurred_at, account.id, why, now
        ):
            raise RaceLost("the deposit was settled meanwhile")
        key = f"deposit:{deposit.reference}"
        by_owner = deposit.is_order and not why
        self._books.post(connection, key, BOOKED, deposit.reference, legs, now, by_owner=by_owner)
        if why:
            log.warning("deposit_in_suspense", deposit=deposit.reference, why=why)
            if paid.payer:
                _tell(connection, HELD, deposit, deposit.amount, paid.payer, now)
            return Became.SUSPENSE
        _tell(connection, RECEIPT, deposit, paid.net, account.owner, now)
        return Became.CREDITED


def _tell(
    connection: Connection,
    template: str,
    deposit: Deposit,
    amount: Decimal,
    owner: str,
    now: datetime,
) -> None:
    shown = money.display(amount, deposit.currency)
    details = {"amount": shown, "reference": deposit.reference, "currency": deposit.currency}
    queue.add(connection, f"{template}:{deposit.reference}", template, "", owner, "", now, details)
