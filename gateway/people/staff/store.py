"""Table and SQL of staff."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    Index,
    Integer,
    Row,
    String,
    case,
    func,
    insert,
    literal,
    null,
    or_,
    select,
    update,
)

from gateway.database.types import Instant, new_id, row_id, table


class Role(StrEnum):
    """What somebody may do."""

    CASHIER = "cashier"
    MANAGER = "manager"
    OPERATOR = "operator"
    ADMIN = "admin"


class Status(StrEnum):
    """Whether somebody may do it now."""

    WAITING = "waiting"  # for a second operator's approval
    ACTIVE = "active"
    DISABLED = "disabled"


OPERATORS = (Role.OPERATOR, Role.ADMIN)  # who decides about money and about others

staff = table(
    "staff",
    row_id(),
    Column("name", String(40), nullable=False),
    Column("msisdn", String(16), nullable=False),
    Column("role", String(12), nullable=False),
    Column("pin_hash", String(128), nullable=False),
    Column("status", String(12), nullable=False),
    Column("tries", Integer, nullable=False),  # wrong PINs since the last right one
    Column("locked_until", Instant, nullable=True),
    Column("outlet", String(40), nullable=True),
    Column("created_at", Instant, nullable=False),
    Column("pin_set_by", String(64), nullable=True),  # the person; None: from before it was kept
    Column("founder", Integer, nullable=True),  # its number among the first operators
    Column("decides_from", Instant, nullable=True),  # None: has always done
    Column("pin_once", Integer, nullable=True),  # 1 while the PIN is good for changing it alone
    Column("next_pin_hash", String(128), nullable=True),  # waits for an approval
    Column("unlocked_at", Instant, nullable=True),
    CheckConstraint("role IN ('cashier','manager','operator','admin')", name="role_known"),
    CheckConstraint("status IN ('waiting','active','disabled')", name="status_known"),
    Index("uq_staff_msisdn", "msisdn", unique=True),
    Index("uq_staff_founder", "founder", unique=True),
)


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody of the staff."""

    id: int
    name: str
    msisdn: str
    role: str
    pin_hash: str = field(repr=False)
    status: str
    tries: int
    locked_until: datetime | None
    outlet: str | None
    created_at: datetime
    pin_set_by: str | None
    founder: int | None
    decides_from: datetime | None
    pin_once: int | None
    next_pin_hash: str | None = field(repr=False)
    unlocked_at: datetime | None

    @property
    def is_operator(self) -> bool:
        """Whether the role is one that decides about money and about others."""
        return self.role in OPERATORS


_c = staff.c
_ALL = select(staff)


def by_msisdn(connection: Connection, msisdn: str) -> Member | None:
    """Who has this phone."""
    row = connection.execute(_ALL.where(_c.msisdn == msisdn)).one_or_none()
    return None if row is None else _member(row)


def by_id(connection: Connection, number: int) -> Member | None:
    """Who has this number."""
    row = connection.execute(_ALL.where(_c.id == number)).one_or_none()
    return None if row is None else _member(row)


def every(connection: Connection) -> list[Member]:
    """All of them, oldest first."""
    return [_member(row) for row in connection.execute(_ALL.order_by(_c.id))]


def operators(connection: Connection) -> int:
    """How many operators and admins there have ever been; none is ever deleted."""
    counted = connection.execute(
        select(func.count())
        .select_from(staff)
        .where(_c.role.in_([role.value for role in OPERATORS]), _c.status != Status.WAITING.value)
    ).scalar_one()
    return int(counted)


def active_operators(connection: Connection, *, lock: bool = False) -> int:
    """How many may act now; locked, nobody else's answer changes until this transaction ends."""
    query = select(_c.status).where(_c.role.in_([role.value for role in OPERATORS]))
    found = connection.execute(query.with_for_update() if lock else query).scalars()
    return sum(status == Status.ACTIVE for status in found)


def add(
    connection: Connection,
    name: str,
    msisdn: str,
    role: Role,
    pin_hash: str,
    status: Status,
    outlet: str | None,
    pin_set_by: str,
    founder: int | None,
    now: datetime,
) -> int:
    """Somebody new; `DuplicateKey` when the phone is somebody's, or the founder's number is."""
    done = connection.execute(
        insert(staff).values(
            name=name,
            msisdn=msisdn,
            role=role.value,
            pin_hash=pin_hash,
            status=status.value,
            tries=0,
            outlet=outlet,
            pin_set_by=pin_set_by,
            founder=founder,
            created_at=now,
        )
    )
    return new_id(done)


def propose_anew(
    connection: Connection,
    row: int,
    name: str,
    role: Role,
    pin_hash: str,
    status: Status,
    outlet: str | None,
    pin_set_by: str,
) -> bool:
    """Replace what was proposed and never approved; False when it is no mere proposal."""
    done = connection.execute(
        update(staff)
        .where(_c.id == row, _c.status == Status.WAITING.value)
        .values(
            name=name,
            role=role.value,
            pin_hash=pin_hash,
            status=status.value,
            outlet=outlet,
            pin_set_by=pin_set_by,
        )
    )
    return done.rowcount == 1


def move(connection: Connection, row: int, before: Status, after: Status) -> bool:
    """One change of status, with the one before in the WHERE."""
    done = connection.execute(
        update(staff)
        .where(_c.id == row, _c.status == before.value)
        .values(status=after.value, tries=0, locked_until=null())
    )
    return done.rowcount == 1


def count_try(
    connection: Connection, row: int, now: datetime, tries_max: int, locked_for: timedelta
) -> bool:
    """Count one try before it is judged; False while locked, or for one who is not active.

    The try that reaches `tries_max` locks, and each one after that: a right one ends it.
    """
    reached = _c.tries + 1 >= tries_max
    done = connection.execute(
        update(staff)
        .where(
            _c.id == row,
            _c.status == Status.ACTIVE.value,
            or_(_c.locked_until.is_(None), _c.locked_until <= now),
        )
        # In this order: MariaDB reads a column that was set before as its new value.
        .ordered_values(
            (_c.locked_until, case((reached, literal(now + locked_for, Instant)), else_=null())),
            (_c.tries, _c.tries + 1),
        )
    )
    return done.rowcount == 1


def forget_tries(connection: Connection, row: int) -> None:
    """The PIN was right."""
    connection.execute(
        update(staff)
        .where(_c.id == row, _c.status == Status.ACTIVE.value)
        .values(tries=0, locked_until=null())
    )


def set_pin(connection: Connection, row: int, before: str, after: str, pin_set_by: str) -> bool:
    """Replace an active member's hash; False when it is not `before` any more."""
    done = connection.execute(
        update(staff)
        .where(_c.id == row, _c.status == Status.ACTIVE.value, _c.pin_hash == before)
        .values(
            pin_hash=after, pin_set_by=pin_set_by, pin_once=null(), tries=0, locked_until=null()
        )
    )
    return done.rowcount == 1


def decides_from(connection: Connection, row: int, when: datetime) -> None:
    """Let somebody approve nothing before that."""
    connection.execute(update(staff).where(_c.id == row).values(decides_from=when))


def unlock(connection: Connection, row: int, now: datetime, unlocked_until: datetime) -> bool:
    """End a lock; False when one was ended after `unlocked_until`, or they are not active."""
    done = connection.execute(
        update(staff)
        .where(
            _c.id == row,
            _c.status == Status.ACTIVE.value,
            or_(_c.unlocked_at.is_(None), _c.unlocked_at <= unlocked_until),
        )
        .values(tries=0, locked_until=null(), unlocked_at=now)
    )
    return done.rowcount == 1


def propose_pin(connection: Connection, row: int, pin_hash: str) -> bool:
    """Keep what an active member's PIN is to be; False when they are not active."""
    done = connection.execute(
        update(staff)
        .where(_c.id == row, _c.status == Status.ACTIVE.value)
        .values(next_pin_hash=pin_hash)
    )
    return done.rowcount == 1


def renew_pin(connection: Connection, row: int, pin_set_by: str, decides_from: datetime) -> bool:
    """Make the proposed PIN the one that counts, for once; False: none, or not active."""
    done = connection.execute(
        update(staff)
        .where(_c.id == row, _c.status == Status.ACTIVE.value, _c.next_pin_hash.is_not(None))
        # In this order: MariaDB reads a column that was set before as its new value.
        .ordered_values(
            (_c.pin_hash, _c.next_pin_hash),
            (_c.next_pin_hash, null()),
            (_c.pin_set_by, pin_set_by),
            (_c.pin_once, 1),
            (_c.decides_from, literal(decides_from, Instant)),
            (_c.tries, 0),
            (_c.locked_until, null()),
        )
    )
    return done.rowcount == 1


def _member(row: Row[Any]) -> Member:
    return Member(**row._mapping)
