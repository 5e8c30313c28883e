"""Table and SQL of the staff's sessions on the web pages."""

from datetime import datetime, timedelta

from sqlalchemy import Column, Connection, ForeignKey, Index, delete, insert, select, update

from gateway.database.types import Digest, Instant, RowId, table

SEEN_EVERY = timedelta(minutes=1)  # how often a session in use is written

staff_sessions = table(
    "staff_sessions",
    Column("digest", Digest, primary_key=True),  # keyed, of the cookie's value
    Column("staff_id", RowId, ForeignKey("staff.id"), nullable=False),
    Column("began_at", Instant, nullable=False),
    Column("seen_at", Instant, nullable=False),
    Index("ix_staff_sessions_seen_at", "seen_at"),
)

_C = staff_sessions.c


def add(connection: Connection, digest: bytes, staff_id: int, now: datetime) -> None:
    """A session that begins."""
    values = {"digest": digest, "staff_id": staff_id, "began_at": now, "seen_at": now}
    connection.execute(insert(staff_sessions), values)


def owner(
    connection: Connection, digest: bytes, seen_after: datetime, began_after: datetime
) -> tuple[int, datetime] | None:
    """Whose session it is and when it was last written as seen; None for one that is over."""
    row = connection.execute(
        select(_C.staff_id, _C.seen_at).where(
            _C.digest == digest, _C.seen_at > seen_after, _C.began_at > began_after
        )
    ).one_or_none()
    return None if row is None else (int(row[0]), row[1])


def seen(connection: Connection, digest: bytes, now: datetime) -> None:
    """It is in use."""
    connection.execute(
        update(staff_sessions)
        .where(_C.digest == digest, _C.seen_at <= now - SEEN_EVERY)
        .values(seen_at=now)
    )


def end(connection: Connection, digest: bytes) -> None:
    """It is over."""
    connection.execute(delete(staff_sessions).where(_C.digest == digest))


def end_of(connection: Connection, staff_id: int) -> None:
    """All of somebody's are over."""
    connection.execute(delete(staff_sessions).where(_C.staff_id == staff_id))


def forget(connection: Connection, seen_until: datetime) -> int:
    """Delete those that were not used since; how many."""
    return connection.execute(delete(staff_sessions).where(_C.seen_at <= seen_until)).rowcount
