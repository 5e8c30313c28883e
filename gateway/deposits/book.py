"""Booking money that only a statement has, into suspense: by two operators, never more than it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection

from gateway.audit.decisions.store import Approval
from gateway.deposits import references, store
from gateway.deposits.callbacks.masking import masked
from gateway.deposits.credit import Crediting, Payment
from gateway.deposits.store import BY_TXN, Keys
from gateway.errors import BadInput
from gateway.formats import money
from gateway.formats.facts import Made, fact

BOOK = "deposit.book"  # the kind of approval; its subject is the carrier's id
PROVIDER = "provider"  # where the approval's details have it


@dataclass(frozen=True, slots=True)
class Stated:
    """Money that came to us, as a statement has it."""

    amount: Decimal
    currency: str
    reference: str
    at: datetime


# The lines of a provider's statements under a carrier's id: (connection, provider, txn_id).
Lines = Callable[[Connection, str, str], Sequence[Stated]]


class Booking:
    """Books what no callback told us of, or what a conflict kept out of the books."""

    def __init__(self, crediting: Crediting, lines: Lines) -> None:
        self._crediting = crediting
        self._lines = lines

    def request(self, connection: Connection, provider: str, txn_id: str) -> Mapping[str, str]:
        """The details of an approval; raises `BadInput` for what no statement has, or is booked."""
        found = self._insisted(connection, provider, txn_id)
        return {
            PROVIDER: provider,
            "amount": money.display(found.amount, found.currency),
            "reference": masked(found.reference),
        }

    def execute(self, connection: Connection, approval: Approval, now: datetime) -> str:
        """Do what a second operator has approved; raises as `request` does."""
        provider, txn_id = approval.details[PROVIDER], approval.subject
        found = self._insisted(connection, provider, txn_id)
        payment = Payment(
            provider, txn_id, masked(found.reference), found.amount, found.currency, found.at
        )
        why = "booked by two operators from a statement"
        _, row = self._crediting.payment(connection, payment, "", why, now)
        name = store.locked(connection, row).reference
        return fact("booked into suspense as {name}", name=Made(name))

    def _insisted(self, connection: Connection, provider: str, txn_id: str) -> Stated:
        lines = self._lines(connection, provider, txn_id)
        if not lines:
            raise BadInput(f"no statement of {provider} has this transaction as money that came")
        if len({(line.amount, line.currency) for line in lines}) > 1:
            raise BadInput("statements have this transaction over different amounts")
        ours = references.within(lines[-1].reference)
        for match in store.matches(connection, Keys(provider, txn_id=txn_id, ours=ours)):
            if match.by == BY_TXN:
                raise BadInput(f"this transaction is booked as {match.deposit.reference}")
            if match.deposit.is_open and match.deposit.provider == provider:
                raise BadInput(f"it names the order {match.deposit.reference}: confirm that")
        return lines[-1]
