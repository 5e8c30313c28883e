"""What settles an order without a callback: the provider's answer to our question."""

from datetime import datetime

import structlog
from sqlalchemy import Connection

from gateway.deposits import store
from gateway.deposits.callbacks.store import Became
from gateway.deposits.credit import Crediting
from gateway.deposits.states import State
from gateway.deposits.store import BY_TXN, Deposit, Keys
from gateway.errors import BadInput
from gateway.providers.base.messages import Outcome, Status

log = structlog.get_logger()


class Answers:
    """Settles orders by the same claim as a callback; in the caller's transaction."""

    def __init__(self, crediting: Crediting) -> None:
        self._crediting = crediting

    def answered(
        self, connection: Connection, reference: str, status: Status, now: datetime
    ) -> Became:
        """What a provider's answer about an order does; safe to repeat.

        Only SUCCEEDED over the order's own amount credits, FAILED fails what is pending, and
        everything else changes nothing.
        """
        order, by_txn = self._locked(connection, reference, status.txn_id)
        if not order.is_open:
            return self._late(connection, order, by_txn, status, now)
        if status.outcome is Outcome.SUCCEEDED:
            return self._paid(connection, order, by_txn, status, now)
        if status.outcome is Outcome.FAILED and order.state == State.PENDING:
            reason = status.reason or "the provider says so"
            store.change_state(connection, order.id, State.FAILED, now, reason=reason)
            return Became.FAILED
        if status.outcome is Outcome.REVERSED:
            return self._park(connection, order, "the provider says that it was reversed", now)
        return Became.NOTED

    def _locked(
        self, connection: Connection, reference: str, txn_id: str
    ) -> tuple[Deposit, Deposit | None]:
        """The order, and what is booked under the carrier's id, locked by their ids."""
        order = store.by_reference(connection, reference)
        if order is None or not order.is_order:
            raise BadInput("no order has this reference")
        keys = Keys(order.provider, txn_id=txn_id, ours=reference)
        matches = store.matches(connection, keys)
        by_txn = next((match.deposit for match in matches if match.by == BY_TXN), None)
        fresh = next(match.deposit for match in matches if match.deposit.id == order.id)
        return fresh, by_txn

    def _paid(
        self,
        connection: Connection,
        order: Deposit,
        by_txn: Deposit | None,
        status: Status,
        now: datetime,
    ) -> Became:
        if order.parked is not None:
            return Became.CONFLICT  # alarmed when it was parked
        if status.amount is not None and status.amount != order.amount:
            return self._park(connection, order, f"the provider says {status.amount}", now)
        if by_txn is None:
            return self._crediting.order(connection, order, status.txn_id, None, now)
        if not self._crediting.is_of(connection, order, by_txn, now):
            return self._park(connection, order, f"its payment is {by_txn.reference}", now)
        became = self._crediting.order(connection, order, "", by_txn.occurred_at, now)
        self._crediting.join(connection, by_txn, order, now)
        return became

    def _late(
        self,
        connection: Connection,
        order: Deposit,
        by_txn: Deposit | None,
        status: Status,
        now: datetime,
    ) -> Became:
        if status.outcome is Outcome.SUCCEEDED and status.txn_id and order.txn_id is None:
            if by_txn is None:
                store.note(connection, order.id, now, txn_id=status.txn_id)
            elif self._crediting.is_of(connection, order, by_txn, now):
                self._crediting.join(connection, by_txn, order, now)
        if status.outcome in (Outcome.FAILED, Outcome.REVERSED):
            log.error("deposit_contradicted", deposit=order.reference, says=status.outcome.value)
            return Became.IGNORED_LATE
        return Became.DUPLICATE

    def _park(self, connection: Connection, order: Deposit, why: str, now: datetime) -> Became:
        store.note(connection, order.id, now, parked=why)
        log.error("deposit_conflict", deposit=order.reference, reason=why)
        return Became.CONFLICT
