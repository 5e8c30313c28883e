"""Table and SQL of the tries at PINs of the staff, by place."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    ColumnElement,
    Connection,
    Index,
    Integer,
    String,
    Update,
    and_,
    bindparam,
    case,
    delete,
    insert,
    or_,
    select,
    update,
)

from gateway.database.types import Instant, RowId, table

WHOEVER = 0  # in the place of a member: all who try from there and are not known there

staff_tries = table(
    "staff_tries",
    Column("place", String(48), primary_key=True),
    # No foreign key: it could not say `WHOEVER`, and would lock the member's row.
    Column("staff_id", RowId, primary_key=True, autoincrement=False),
    Column("tries", Integer, nullable=False),
    # Of whoever: the end of the window that is counted. Of a member: the end of their lock.
    Column("until", Instant, nullable=False),
    # When the member last was right there; of a phone that is nobody's, when it was last tried.
    Column("proved_at", Instant, nullable=True),
    CheckConstraint("tries >= 0", name="tries_not_negative"),
    Index("ix_staff_tries_staff_id", "staff_id", "proved_at"),
    Index("ix_staff_tries_until", "until"),
)


@dataclass(frozen=True, slots=True)
class Known:
    """A place where a member has proved who they are, and the end of a lock there."""

    place: str
    until: datetime


_c = staff_tries.c
_KEY = and_(_c.place == bindparam("at"), _c.staff_id == bindparam("of"))
_NOW, _ENDS = bindparam("now", type_=Instant), bindparam("ends", type_=Instant)
_MOST = bindparam("most", type_=Integer())
_OPEN = _c.until > _NOW
# Counted and tested in one statement (G1): two racers cannot both take the last try. MariaDB
# assigns from left to right: what depends on a column comes before it.
COUNT_WHOEVER = (
    update(staff_tries)
    .where(_KEY, or_(_c.until <= _NOW, _c.tries < _MOST))
    .ordered_values(
        (_c.tries, case((_OPEN, _c.tries + 1), else_=1)),
        (_c.until, case((_OPEN, _c.until), else_=_ENDS)),
    )
)
# The try that reaches the most locks, and each one after that: a right one ends it.
_NOT_LOCKED = update(staff_tries).where(_KEY, _c.until <= _NOW)
_LOCKING = (
    (_c.until, case((_c.tries + 1 >= _MOST, _ENDS), else_=_c.until)),
    (_c.tries, _c.tries + 1),
)
COUNT_MEMBER = _NOT_LOCKED.ordered_values(*_LOCKING)
# Of a phone that is nobody's; when it was last tried keeps the row for as long as a known place.
COUNT_STRANGER = _NOT_LOCKED.ordered_values(*_LOCKING, (_c.proved_at, _NOW))
_GIVE_BACK = update(staff_tries).where(_KEY, _c.tries > 0).values(tries=_c.tries - 1)
_PROVED = update(staff_tries).where(_KEY).values(tries=0, until=_NOW, proved_at=_NOW)


def count_whoever(
    connection: Connection, place: str, now: datetime, ends: datetime, most: int
) -> bool:
    """Count one try of somebody who is not known there; False when the window has no more.

    A race for the first one ends in `DuplicateKey` and a repeat.
    """
    values = {"at": place, "of": WHOEVER, "now": now, "ends": ends, "most": most}
    return _counted(connection, COUNT_WHOEVER, values, {"until": ends})


def count_member(
    connection: Connection, place: str, member: int, now: datetime, ends: datetime, most: int
) -> bool:
    """Count one try of a member where they are known; False while it is locked."""
    values = {"at": place, "of": member, "now": now, "ends": ends, "most": most}
    return connection.execute(COUNT_MEMBER, values).rowcount == 1


def count_stranger(
    connection: Connection, phone: str, now: datetime, ends: datetime, most: int
) -> bool:
    """Count one try of a phone that is nobody's; False while it is locked, as a member's would be.

    A race for the first one ends in `DuplicateKey` and a repeat.
    """
    values = {"at": phone, "of": WHOEVER, "now": now, "ends": ends, "most": most}
    return _counted(connection, COUNT_STRANGER, values, {"until": now, "proved_at": now})


def _counted(
    connection: Connection, statement: Update, values: dict[str, Any], first: dict[str, datetime]
) -> bool:
    """Count one try, in a row made with `first` where there is none; False when it is refused."""
    if connection.execute(statement, values).rowcount == 1:
        return True
    if until(connection, values["at"], values["of"]) is not None:
        return False
    row = {"place": values["at"], "staff_id": values["of"], "tries": 1, **first}
    connection.execute(insert(staff_tries), row)
    return True


def give_back(connection: Connection, place: str) -> None:
    """Take back one count of whoever tried there."""
    connection.execute(_GIVE_BACK, {"at": place, "of": WHOEVER})


def proved(connection: Connection, place: str, member: int, now: datetime) -> None:
    """A member was right there; a race for the row ends in `DuplicateKey` and a repeat."""
    if connection.execute(_PROVED, {"at": place, "of": member, "now": now}).rowcount == 0:
        row = {"place": place, "staff_id": member, "tries": 0, "until": now, "proved_at": now}
        connection.execute(insert(staff_tries), row)


def known(
    connection: Connection, member: int, proved_after: datetime, rows_max: int
) -> list[Known]:
    """The places where a member was right since then, the latest ones."""
    rows = connection.execute(
        select(_c.place, _c.until)
        .where(_c.staff_id == member, _c.proved_at > proved_after)
        .order_by(_c.proved_at.desc(), _c.place)
        .limit(rows_max)
    )
    return [Known(*row) for row in rows]


def until(connection: Connection, place: str, member: int) -> datetime | None:
    """The end of a window or lock as it is kept; None when nothing is."""
    query = select(_c.until).where(_c.place == place, _c.staff_id == member)
    return connection.execute(query).scalar_one_or_none()


def unlock(connection: Connection, place: str, member: int, now: datetime) -> None:
    """End a member's lock at a place."""
    row = and_(_c.place == place, _c.staff_id == member)
    connection.execute(update(staff_tries).where(row).values(tries=0, until=now))


def forget(connection: Connection, member: int) -> None:
    """A member is known nowhere any more."""
    connection.execute(delete(staff_tries).where(_c.staff_id == member))


def _is_over(now: datetime, proved_until: datetime) -> ColumnElement[bool]:
    return and_(_c.until <= now, or_(_c.proved_at.is_(None), _c.proved_at <= proved_until))


def over(
    connection: Connection, now: datetime, proved_until: datetime, rows_max: int
) -> Sequence[tuple[str, int]]:
    """Rows that say nothing any more."""
    query = select(_c.place, _c.staff_id).where(_is_over(now, proved_until)).limit(rows_max)
    return [(str(place), int(member)) for place, member in connection.execute(query)]


def purge(
    connection: Connection,
    rows: Sequence[tuple[str, int]],
    now: datetime,
    proved_until: datetime,
) -> int:
    """Delete those of these rows that are over still, each by its key; how many."""
    gone = delete(staff_tries).where(_KEY, _is_over(now, proved_until))
    return sum(
        connection.execute(gone, {"at": place, "of": member}).rowcount for place, member in rows
    )
