"""How many tries a place has, and where somebody is known and counted on their own."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import Connection

from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.people.staff.tries import store

# Wrong ones of all who are not known at a place: a shop has one address for everybody in it.
TRIES_MAX = 20
WINDOW = timedelta(hours=1)
# Each place where somebody is known has tries of its own, so there are few, and not for long.
KNOWN_MAX = 5
KNOWN_FOR = timedelta(days=30)
BATCH = 200


def begin(connection: Connection, place: str, now: datetime) -> datetime | None:
    """Count one try of somebody who is not known there; when there are more, if there are none."""
    if store.count_whoever(connection, place, now, now + WINDOW, TRIES_MAX):
        return None
    return store.until(connection, place, store.WHOEVER)


def known(connection: Connection, member: int, now: datetime) -> Sequence[store.Known]:
    """The places where a member has proved who they are, of late."""
    return store.known(connection, member, now - KNOWN_FOR, KNOWN_MAX)


def locked(connection: Connection, member: int, now: datetime) -> Sequence[str]:
    """The places where a member is known and locked out now."""
    return [one.place for one in known(connection, member, now) if one.until > now]


def forget_old(database: Database, clock: Clock) -> int:
    """Delete what says nothing any more; how many rows."""
    now, forgotten = clock.now(), 0
    while True:
        # A plain read, because a DELETE that looks for its rows locks those that are counted.
        with database.snapshot() as connection:
            rows = store.over(connection, now, now - KNOWN_FOR, BATCH)
        forgotten += database.run(partial(_purge, rows, now)) if rows else 0
        if len(rows) < BATCH:
            return forgotten


def _purge(rows: Sequence[tuple[str, int]], now: datetime, connection: Connection) -> int:
    return store.purge(connection, rows, now, now - KNOWN_FOR)
