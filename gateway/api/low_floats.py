"""A float that has fallen below what was agreed: its partner is told once for each time it does."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection

from gateway.formats import money
from gateway.partners.events import store

KIND = "float.low"


@dataclass(frozen=True, slots=True)
class LowFloat:
    """A float that an issue has just taken below what was agreed."""

    owner: str
    balance: Decimal
    low_float: Decimal
    currency: str
    serial: str  # of the token that did, with its amount and its partner's reference
    amount: Decimal
    issue_ref: str


def tell(connection: Connection, low: LowFloat, now: datetime) -> None:
    """An event, in the transaction of the issue; a repeat of it tells nothing new."""
    cause = f"{KIND}:{low.serial}"
    if store.has_cause(connection, cause):
        return
    details = {
        "amount": money.plain(low.amount),
        "currency": low.currency,
        "issue_ref": low.issue_ref,
        "balance": money.plain(low.balance),
        "low_float": money.plain(low.low_float),
    }
    store.add(connection, low.owner, KIND, low.serial, cause, now, details)
