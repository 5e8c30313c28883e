"""Table and SQL of what was said about payouts; append-only."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from sqlalchemy import Column, Connection, Index, String, insert, select

from gateway.database.types import Instant, Money, money_bounds, row_id, table
from gateway.formats.digits import hidden

REASON_MAX = 200


class Verdict(StrEnum):
    """What we made of it."""

    APPLIED = "applied"
    NOTED = "noted"  # it decided nothing
    IGNORED_LATE = "ignored_late"  # a failure of what is paid
    CONTRADICTION = "contradiction"  # money may have left twice, or the wrong amount did


payout_events = table(
    "payout_events",
    row_id(),
    # No foreign key: it would lock the withdrawal's row before the change that decides.
    Column("reference", String(12), nullable=False),
    Column("at", Instant, nullable=False),
    Column("source", String(16), nullable=False),  # who said it
    Column("said", String(16), nullable=False),
    Column("verdict", String(16), nullable=False),
    Column("txn_id", String(64), nullable=False),
    Column("amount", Money, nullable=True),
    Column("reason", String(200), nullable=False),
    money_bounds("amount"),
    Index("ix_payout_events_reference_id", "reference", "id"),
)


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that was said; texts are empty where nothing was."""

    reference: str
    at: datetime
    source: str
    said: str
    verdict: str
    txn_id: str = ""
    amount: Decimal | None = None
    reason: str = ""


def add(connection: Connection, event: Event) -> None:
    """Keep what was said."""
    connection.execute(
        insert(payout_events),
        {
            "reference": event.reference,
            "at": event.at,
            "source": event.source,
            "said": event.said,
            "verdict": event.verdict,
            "txn_id": event.txn_id,
            "amount": event.amount,
            "reason": hidden(event.reason)[:REASON_MAX],
        },
    )


def is_known(connection: Connection, event: Event) -> bool:
    """Whether the same was said, and judged alike, before."""
    c = payout_events.c
    found = connection.execute(
        select(c.id)
        .where(
            c.reference == event.reference,
            c.said == event.said,
            c.verdict == event.verdict,
            c.txn_id == event.txn_id,
        )
        .limit(1)
    )
    return found.first() is not None


def about(connection: Connection, reference: str) -> list[Event]:
    """Everything that was said about a withdrawal, oldest first."""
    c = payout_events.c
    rows = connection.execute(
        select(c.reference, c.at, c.source, c.said, c.verdict, c.txn_id, c.amount, c.reason)
        .where(c.reference == reference)
        .order_by(c.id)
    )
    return [Event(*row) for row in rows]
