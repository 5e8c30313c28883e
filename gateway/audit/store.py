"""Table and SQL of the audit trail."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Column, Connection, Index, String, insert, select

from gateway.database.types import Instant, row_id, table

audit_trail = table(
    "audit_trail",
    row_id(),
    Column("at", Instant, nullable=False),
    Column("actor", String(64), nullable=False),  # a phone, an operator, a partner, "cli:<user>"
    Column("action", String(40), nullable=False),
    Column("subject", String(64), nullable=False),
    Column("reason", String(200), nullable=False),
    Index("ix_audit_trail_subject", "subject"),
    Index("ix_audit_trail_actor", "actor"),
)


@dataclass(frozen=True, slots=True)
class Record:
    """One line of the trail."""

    at: datetime
    actor: str
    action: str
    subject: str
    reason: str


def add(
    connection: Connection, at: datetime, actor: str, action: str, subject: str, reason: str
) -> None:
    """Append one line."""
    connection.execute(
        insert(audit_trail).values(
            at=at, actor=actor, action=action, subject=subject, reason=reason
        )
    )


def about(connection: Connection, subject: str) -> list[Record]:
    """Every line about a subject, oldest first."""
    c = audit_trail.c
    rows = connection.execute(
        select(c.at, c.actor, c.action, c.subject, c.reason)
        .where(c.subject == subject)
        .order_by(c.id)
    )
    return [Record(*row) for row in rows]


def latest(
    connection: Connection, rows_max: int, *, subject: str | None = None, actor: str | None = None
) -> list[Record]:
    """The latest lines about a subject, by an actor, or both; newest first."""
    c = audit_trail.c
    wanted = ((c.subject, subject), (c.actor, actor))
    rows = connection.execute(
        select(c.at, c.actor, c.action, c.subject, c.reason)
        .where(*(column == value for column, value in wanted if value is not None))
        .order_by(c.id.desc())
        .limit(rows_max)
    )
    return [Record(*row) for row in rows]
