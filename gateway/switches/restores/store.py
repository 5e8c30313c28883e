"""Table and SQL of restores: a row for each time this database was brought back from a backup."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Boolean, Column, Connection, Integer, String, insert, select, update

from gateway.database.types import Instant, new_id, row_id, table

restores = table(
    "restores",
    row_id(),
    Column("began_at", Instant, nullable=False),
    Column("began_by", String(64), nullable=False),
    Column("newest_at", Instant, nullable=True),  # the last movement that the backup has
    Column("lines", Integer, nullable=False),  # of the logs, as far as they were read
    Column("missed", Integer, nullable=False),  # lines that the last reading did not find
    Column("suspended", Integer, nullable=False),
    Column("everything", Boolean, nullable=False),  # whether all live tokens were suspended
    Column("ended_at", Instant, nullable=True),
    Column("ended_by", String(64), nullable=True),
)
_c = restores.c


@dataclass(frozen=True, slots=True)
class Restore:
    """One restore."""

    id: int
    began_at: datetime
    began_by: str
    newest_at: datetime | None
    lines: int
    missed: int
    suspended: int
    everything: bool
    ended_at: datetime | None
    ended_by: str | None


def under_way(connection: Connection) -> Restore | None:
    """The restore that was not ended yet."""
    query = select(*_c).where(_c.ended_at.is_(None)).order_by(_c.id.desc()).limit(1)
    row = connection.execute(query).one_or_none()
    return None if row is None else Restore(*row)


def latest(connection: Connection) -> Restore | None:
    """The latest restore, ended or not."""
    row = connection.execute(select(*_c).order_by(_c.id.desc()).limit(1)).one_or_none()
    return None if row is None else Restore(*row)


def add(connection: Connection, actor: str, newest_at: datetime | None, now: datetime) -> int:
    """A restore that begins; its id."""
    values = {"lines": 0, "missed": 0, "suspended": 0, "everything": False}
    begins = {"began_at": now, "began_by": actor, "newest_at": newest_at, **values}
    return new_id(connection.execute(insert(restores), begins))


def read(connection: Connection, restore: int, lines: int, missed: int, suspended: int) -> None:
    """What a reading of the logs came to; what is missed now stands for what was missed before."""
    connection.execute(
        update(restores)
        .where(_c.id == restore)
        .values(lines=lines, missed=missed, suspended=_c.suspended + suspended)
    )


def stopped_all(connection: Connection, restore: int, suspended: int) -> None:
    """Every live token was suspended, whatever the logs say."""
    values = {"everything": True, "suspended": _c.suspended + suspended}
    connection.execute(update(restores).where(_c.id == restore).values(values))


def end(connection: Connection, restore: int, actor: str, now: datetime) -> bool:
    """Once; False when it was ended before."""
    done = connection.execute(
        update(restores)
        .where(_c.id == restore, _c.ended_at.is_(None))
        .values(ended_at=now, ended_by=actor)
    )
    return done.rowcount == 1
