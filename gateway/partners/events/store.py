"""Tables and SQL of partners' events, and of how far each partner's are numbered."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Index,
    Row,
    Select,
    String,
    Text,
    insert,
    select,
    update,
)

from gateway.database import prepared
from gateway.database.types import Instant, row_id, table

partner_events = table(
    "partner_events",
    row_id(),
    Column("owner", String(64), nullable=False),  # a partner's code, or <code>:test
    Column("seq", BigInteger, nullable=True),  # null until it is numbered; then for ever
    Column("kind", String(24), nullable=False),
    Column("serial", String(12), nullable=False),
    Column("cause", String(120), nullable=False, unique=True),  # what it follows from, once
    Column("at", Instant, nullable=False),
    Column("details", Text, nullable=False),  # JSON; never digits, never who was paid
    Index("uq_partner_events_owner_seq", "owner", "seq", unique=True),
    Index("ix_partner_events_seq_owner", "seq", "owner"),
    Index("ix_partner_events_owner_at", "owner", "at"),
)

partner_feeds = table(
    "partner_feeds",
    row_id(),
    Column("owner", String(64), nullable=False, unique=True),
    Column("last_seq", BigInteger, nullable=False),  # also of an event that was forgotten since
)


@dataclass(frozen=True, slots=True)
class Event:
    """An event's row."""

    id: int
    owner: str
    seq: int | None
    kind: str
    serial: str
    cause: str
    at: datetime
    details: Mapping[str, str]


_e, _f = partner_events.c, partner_feeds.c
_ALL = select(*_e)
_INSERT = insert(partner_events)


def add(
    connection: Connection,
    owner: str,
    kind: str,
    serial: str,
    cause: str,
    at: datetime,
    details: Mapping[str, str],
) -> None:
    """A new event, in the transaction of what it tells; it has no number yet."""
    values = {
        "owner": owner,
        "kind": kind,
        "serial": serial,
        "cause": cause,
        "at": at,
        "details": json.dumps(details, ensure_ascii=False, sort_keys=True),
    }
    prepared.later(connection, _INSERT, {**values, "seq": None})


def has_cause(connection: Connection, cause: str) -> bool:
    """Whether it was told before."""
    return connection.execute(select(_e.id).where(_e.cause == cause)).first() is not None


def by_id(connection: Connection, event_id: int) -> Event | None:
    """The event of a row."""
    return _one(connection, _ALL.where(_e.id == event_id))


def by_seq(connection: Connection, owner: str, seq: int) -> Event | None:
    """A partner's event by its number."""
    return _one(connection, _ALL.where(_e.owner == owner, _e.seq == seq))


def page(
    connection: Connection,
    owner: str,
    after: int,
    rows_max: int,
    since: datetime | None = None,
    until: datetime | None = None,
) -> list[Event]:
    """A partner's numbered events behind one of them, in their order.

    `since` is the first instant they may be of, `until` the first they may not.
    """
    query = _ALL.where(_e.owner == owner, _e.seq > after)
    if since is not None:
        query = query.where(_e.at >= since)
    if until is not None:
        query = query.where(_e.at < until)
    return _some(connection, query.order_by(_e.seq).limit(rows_max))


def owners_unnumbered(connection: Connection) -> list[str]:
    """Whose events wait for their numbers."""
    rows = connection.execute(select(_e.owner).where(_e.seq.is_(None)).distinct())
    return [str(row[0]) for row in rows]


def unnumbered(connection: Connection, owner: str, rows_max: int) -> Sequence[int]:
    """The rows of a partner that have no number yet, in the order they were written in."""
    rows = connection.execute(
        select(_e.id).where(_e.owner == owner, _e.seq.is_(None)).order_by(_e.id).limit(rows_max)
    )
    return [int(row[0]) for row in rows]


def last_seq(connection: Connection, owner: str) -> int:
    """The greatest number that was given to a partner's events; 0: none yet."""
    found = connection.execute(select(_f.last_seq).where(_f.owner == owner)).scalar()
    return int(found or 0)


def locked_last_seq(connection: Connection, owner: str) -> int:
    """The same, and nobody else gives this partner's events numbers until the transaction ends."""
    locking = select(_f.last_seq).where(_f.owner == owner).with_for_update()
    found = connection.execute(locking).scalar()
    if found is None:
        connection.execute(insert(partner_feeds), {"owner": owner, "last_seq": 0})
    return int(found or 0)


def skip(connection: Connection, owner: str, numbers: int) -> None:
    """Never give so many of the numbers that come next to a partner's events."""
    last = locked_last_seq(connection, owner)
    connection.execute(
        update(partner_feeds).where(_f.owner == owner).values(last_seq=last + numbers)
    )


def give(connection: Connection, owner: str, event_ids: Sequence[int], first: int) -> None:
    """Number these events from `first` on."""
    for seq, event_id in enumerate(event_ids, first):
        connection.execute(
            update(partner_events).where(_e.id == event_id, _e.seq.is_(None)).values(seq=seq)
        )
    connection.execute(
        update(partner_feeds).where(_f.owner == owner).values(last_seq=first + len(event_ids) - 1)
    )


def _one(connection: Connection, query: Select[Any]) -> Event | None:
    row = connection.execute(query).one_or_none()
    return None if row is None else _event(row)


def _some(connection: Connection, query: Select[Any]) -> list[Event]:
    return [_event(row) for row in connection.execute(query)]


def _event(row: Row[Any]) -> Event:
    return Event(**{**row._mapping, "details": json.loads(row.details)})
