"""An operator's word that an order was paid: alone where a statement says so, else by two (M9)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.audit.approvals import person
from gateway.audit.decisions.store import Approval
from gateway.deposits import store
from gateway.deposits.credit import Crediting
from gateway.deposits.states import State
from gateway.deposits.store import BY_TXN, Deposit, Keys
from gateway.errors import BadInput
from gateway.formats import money
from gateway.formats.facts import fact
from gateway.providers.base.messages import ID_CHARACTERS_MAX

CONFIRM = "deposit.confirm"  # the kind of approval
TXN_ID = "txn_id"  # where the approval's details have it


@dataclass(frozen=True, slots=True)
class Claimed:
    """What an operator says was paid for an order."""

    provider: str
    txn_id: str
    amount: Decimal
    currency: str
    names: Sequence[str]  # what a statement may call the order


# Who imported the statements in which this very payment stands.
Importers = Callable[[Connection, Claimed], Sequence[str]]


class Confirming:
    """Completes an order by the claim of a callback; in the caller's transaction."""

    def __init__(self, crediting: Crediting, importers: Importers) -> None:
        self._crediting = crediting
        self._importers = importers

    def is_alone(
        self, connection: Connection, reference: str, txn_id: str, actor: str, now: datetime
    ) -> bool:
        """Whether one operator's word is enough: somebody else's statement has this very payment.

        Never for an order that failed or is parked, nor for money that lies in suspense. Raises
        `BadInput` for what nobody could confirm.
        """
        order, payment = self._insisted(connection, reference, txn_id, now)
        if order.state != State.PENDING or order.parked is not None or payment is not None:
            return False
        # Who confirms by a statement of their own would make money alone all the same.
        found = self._importers(connection, _claimed(order, txn_id))
        return any(person(importer) != person(actor) for importer in found)

    def alone(
        self,
        connection: Connection,
        reference: str,
        txn_id: str,
        actor: str,
        reason: str,
        now: datetime,
    ) -> Deposit:
        """Complete a pending order on one operator's word; raises `BadInput` unless `is_alone`."""
        if not self.is_alone(connection, reference, txn_id, actor, now):
            raise BadInput("a second operator must approve this")
        done = self._confirmed(connection, reference, txn_id, now)
        trail.record(connection, actor, CONFIRM, reference, now, reason)
        return done

    def request(
        self, connection: Connection, reference: str, txn_id: str, now: datetime
    ) -> Mapping[str, str]:
        """The details of an approval; raises `BadInput` for what could not be done as it is now."""
        order, payment = self._insisted(connection, reference, txn_id, now)
        seen = self._importers(connection, _claimed(order, txn_id))
        return {
            TXN_ID: txn_id,
            "amount": money.display(order.amount, order.currency),
            "state": "parked" if order.parked else order.state,
            "statement": "yes" if seen else "no",
            "suspense": payment.reference if payment else "no",
        }

    def execute(self, connection: Connection, approval: Approval, now: datetime) -> str:
        """Do what a second operator has approved; raises `BadInput`."""
        done = self._confirmed(connection, approval.subject, approval.details[TXN_ID], now)
        return fact("{amount} {currency} confirmed", amount=done.amount, currency=done.currency)

    def _confirmed(
        self, connection: Connection, reference: str, txn_id: str, now: datetime
    ) -> Deposit:
        order, payment = self._insisted(connection, reference, txn_id, now)
        if order.is_open:
            own = txn_id if payment is None else ""
            seen_at = payment.occurred_at if payment else None
            self._crediting.order(connection, order, own, seen_at, now)
        if payment is not None:
            self._crediting.join(connection, payment, order, now)
        return store.locked(connection, order.id)

    def _insisted(
        self, connection: Connection, reference: str, txn_id: str, now: datetime
    ) -> tuple[Deposit, Deposit | None]:
        """The order, and its payment where that lies in suspense; both locked."""
        if not 0 < len(txn_id) <= ID_CHARACTERS_MAX or not txn_id.isprintable():
            raise BadInput(f"a transaction's id has 1 to {ID_CHARACTERS_MAX} characters")
        found = store.by_reference(connection, reference)
        if found is None or not found.is_order:
            raise BadInput("no order has this reference")
        matches = store.matches(connection, Keys(found.provider, txn_id=txn_id, ours=reference))
        payment = next((match.deposit for match in matches if match.by == BY_TXN), None)
        order = next(match.deposit for match in matches if match.deposit.id == found.id)
        lacks_its_payment = order.state == State.COMPLETED and order.txn_id is None and payment
        if not order.is_open and not lacks_its_payment:
            raise BadInput(f"the order is {order.state}")
        if payment is not None and not self._crediting.is_of(connection, order, payment, now):
            raise BadInput(f"this transaction is booked as {payment.reference}")
        told = payment is not None or self._importers(connection, _claimed(order, txn_id))
        if order.parked is not None and not told:
            raise BadInput(f"parked, and nothing proves {order.amount}: {order.parked}")
        return order, payment


def _claimed(order: Deposit, txn_id: str) -> Claimed:
    names = ("", order.reference, order.known_as or "")
    return Claimed(order.provider, txn_id, order.amount, order.currency, names)
