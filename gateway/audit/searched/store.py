"""SQL of searching the trail, a page at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from gateway.audit.store import Record, audit_trail
from gateway.database.spans import DISORDER, first_since


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the trail and its number."""

    id: int
    record: Record


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which lines; what is None does not matter."""

    subjects: Sequence[str] | None = None  # any of these
    actor: str | None = None
    since: datetime | None = None  # and until: both or neither
    until: datetime | None = None


def last_about(connection: Connection, subject: str) -> int:
    """The number of the last line about a subject; 0 for none."""
    c = audit_trail.c
    found = connection.execute(select(func.max(c.id)).where(c.subject == subject)).scalar()
    return int(found or 0)


def about_since(connection: Connection, subject: str, after: int, rows_max: int) -> list[Record]:
    """The latest lines about a subject with numbers above `after`, newest first."""
    c = audit_trail.c
    rows = connection.execute(
        select(c.at, c.actor, c.action, c.subject, c.reason)
        .where(c.subject == subject, c.id > after)
        .order_by(c.id.desc())
        .limit(rows_max)
    )
    return [Record(*row) for row in rows]


def page(connection: Connection, wanted: Wanted, before: int | None, rows_max: int) -> list[Line]:
    """The latest lines with numbers below `before`, newest first."""
    c = audit_trail.c
    query = select(c.id, c.at, c.actor, c.action, c.subject, c.reason)
    if wanted.subjects is not None:
        query = query.where(c.subject.in_(wanted.subjects))
    if wanted.actor is not None:
        query = query.where(c.actor == wanted.actor)
    if wanted.since is not None and wanted.until is not None:
        # Times have no index: their numbers bound what is read.
        low = first_since(connection, c.id, c.at, wanted.since)
        high = first_since(connection, c.id, c.at, wanted.until + 2 * DISORDER)
        query = query.where(c.id >= low, c.id < high, c.at >= wanted.since, c.at < wanted.until)
    if before is not None:
        query = query.where(c.id < before)
    rows = connection.execute(query.order_by(c.id.desc()).limit(rows_max))
    return [Line(row[0], Record(*row[1:])) for row in rows]
