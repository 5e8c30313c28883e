"""SQL of wrong entries by the hour, and of when processes were last heard of."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, func, or_, select

from gateway.database.spans import by_span
from gateway.database.types import Instant
from gateway.tokens.guesses.store import guess_counters
from gateway.tokens.keys.store import key_holders

# What phones and cashiers have entered; what they mistyped, and what they share, counts elsewhere.
SOURCES = ("phone:", "cashier:")


def wrong_entries(connection: Connection, bounds: Sequence[datetime]) -> list[int]:
    """How many wrong entries the latest hours of all sources have counted, by when those began.

    A source keeps one hour only: what it counted in an earlier one of the day is not told.
    """
    c = guess_counters.c
    ours = or_(*(c.source.startswith(source) for source in SOURCES))
    return by_span(connection, c.hour_from, bounds, func.sum(c.hour_count), ours)


def last_heard(connection: Connection, role: str) -> datetime | None:
    """When a process of this role last said that it lives; None when none did for a day."""
    c = key_holders.c
    heard: datetime | None = connection.execute(
        select(func.max(c.seen_at, type_=Instant)).where(c.role == role)
    ).scalar()
    return heard
