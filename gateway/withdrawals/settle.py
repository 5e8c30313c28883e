"""The two ends of a withdrawal: paid or rejected, once, each with its movement and its SMS."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection

from gateway.errors import GatewayError
from gateway.formats import money
from gateway.ledger import store as ledger_store
from gateway.ledger.books import ZERO, Books, Leg
from gateway.ledger.store import CLOSED, FEES, HELD, WALLET, Account
from gateway.ledger.store import SETTLEMENT as SETTLEMENT_ACCOUNT
from gateway.outbox import queue
from gateway.withdrawals import store
from gateway.withdrawals.store import Payout, Withdrawal

PAID, REJECTED = "withdrawal_paid", "withdrawal_rejected"  # outbox templates
ANY_STEP = tuple(Payout)


class OwnerClosed(GatewayError):
    """The account that the money was held from is closed: it has nowhere to go back to."""


class Settler:
    """Settles held withdrawals; whoever loses a race for one is told so."""

    def __init__(self, books: Books) -> None:
        self._books = books

    def pay(
        self,
        connection: Connection,
        withdrawal: Withdrawal,
        through: str,
        txn_id: str,
        now: datetime,
        before: Sequence[Payout] = ANY_STEP,
    ) -> bool:
        """Held to paid; False when it is not held any more or not at one of the steps `before`.

        `through` is the provider, or the bank, that paid it under its `txn_id`.
        """
        if not store.pay(connection, withdrawal.id, before, through, txn_id, now):
            return False
        owner = ledger_store.by_id(connection, withdrawal.account_id)
        currency = withdrawal.currency
        held = self._books.system(connection, HELD, currency, now)
        paid_by = self._books.system(connection, SETTLEMENT_ACCOUNT, currency, now, through)
        legs = [
            Leg(held, -withdrawal.total),
            Leg(paid_by, withdrawal.amount),
            Leg(owner, ZERO, held=-withdrawal.total),
        ]
        if withdrawal.fee:
            fees = self._books.system(connection, FEES, currency, now)
            legs.append(Leg(fees, withdrawal.fee))
        reference = withdrawal.reference
        self._books.post(connection, f"payout:{reference}", "payout", reference, legs, now)
        self._tell(connection, PAID, withdrawal, owner, {"txn": txn_id}, now)
        return True

    def reject(
        self,
        connection: Connection,
        withdrawal: Withdrawal,
        reason: str,
        now: datetime,
        before: Sequence[Payout] = ANY_STEP,
    ) -> bool:
        """Held to rejected, amount and fee given back; False as in `pay`. Raises `OwnerClosed`."""
        owner = ledger_store.by_id(connection, withdrawal.account_id)
        if owner.status == CLOSED:
            raise OwnerClosed(f"the account of withdrawal {withdrawal.reference} is closed")
        if not store.reject(connection, withdrawal.id, before, reason, now):
            return False
        total, reference = withdrawal.total, withdrawal.reference
        held = self._books.system(connection, HELD, withdrawal.currency, now)
        legs = (Leg(held, -total), Leg(owner, total, held=-total))
        self._books.post(
            connection, f"release:{reference}", "release", reference, legs, now, returning=True
        )
        self._tell(connection, REJECTED, withdrawal, owner, {}, now)
        return True

    def _tell(
        self,
        connection: Connection,
        template: str,
        withdrawal: Withdrawal,
        owner: Account,
        more: dict[str, str],
        now: datetime,
    ) -> None:
        if owner.kind != WALLET:
            return
        amount = money.display(withdrawal.amount, withdrawal.currency)
        queue.add(
            connection,
            f"{template}:{withdrawal.reference}",
            template,
            withdrawal.reference,
            owner.owner,  # whose it is now: a wallet may have moved to another number since
            "",
            now,
            {"amount": amount, **more},
        )
