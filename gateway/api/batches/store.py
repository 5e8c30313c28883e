"""Tables and SQL of batches and their rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from itertools import islice

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    SmallInteger,
    String,
    func,
    insert,
    select,
    update,
)

from gateway.api.batches.row import Row
from gateway.database.types import Instant, Money, money_bounds, new_id, row_id, table

AT_ONCE = 500  # rows of one statement


class Status(StrEnum):
    """Where a batch stands."""

    WAITING = "waiting"  # for an approval
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    REFUSED = "refused"


class RowStatus(StrEnum):
    """Where a row stands; `issued` is for ever."""

    WAITING = "waiting"
    ISSUED = "issued"
    FAILED = "failed"
    CANCELLED = "cancelled"


batches = table(
    "batches",
    row_id(),
    Column("reference", String(12), nullable=False, unique=True),
    Column("owner", String(64), nullable=False),  # a partner's code, or <code>:test
    Column("status", String(10), nullable=False),
    Column("row_count", Integer, nullable=False),
    Column("total", Money, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("asked_by", String(64), nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("ended_at", Instant, nullable=True),
    CheckConstraint(
        "status IN ('waiting', 'running', 'done', 'cancelled', 'refused')", name="status_known"
    ),
    money_bounds("total"),
    Index("ix_batches_owner_id", "owner", "id"),
    Index("ix_batches_status", "status"),
)

batch_rows = table(
    "batch_rows",
    row_id(),
    Column("batch_id", ForeignKey("batches.id"), nullable=False),
    Column("number", Integer, nullable=False),  # as a spreadsheet counts, the header too
    Column("amount", Money, nullable=False),
    Column("recipient", String(16), nullable=False),
    Column("issue_ref", String(64), nullable=False),
    Column("digits", SmallInteger, nullable=False),
    Column("bound", Boolean, nullable=False),
    Column("language", String(8), nullable=True),
    Column("sender_name", String(40), nullable=True),
    Column("status", String(10), nullable=False),
    Column("serial", String(12), nullable=True),
    Column("code", String(32), nullable=True),  # why it has failed, for programs
    Column("detail", String(200), nullable=True),  # and for people
    Column("done_at", Instant, nullable=True),
    CheckConstraint("status IN ('waiting', 'issued', 'failed', 'cancelled')", name="status_known"),
    money_bounds("amount"),
    Index("uq_batch_rows_batch_id_number", "batch_id", "number", unique=True),
    Index("uq_batch_rows_batch_id_issue_ref", "batch_id", "issue_ref", unique=True),
    Index("ix_batch_rows_batch_id_status_number", "batch_id", "status", "number"),
)


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch's row."""

    id: int
    reference: str
    owner: str
    status: str
    row_count: int
    total: Decimal
    currency: str
    asked_by: str
    created_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class Kept:
    """A row of a batch as it stands."""

    id: int
    row: Row
    status: str
    serial: str | None
    code: str | None
    detail: str | None


@dataclass(frozen=True, slots=True)
class Tally:
    """How many rows stand so, and what they come to."""

    rows: int = 0
    amount: Decimal = Decimal("0.00")


_b, _r = batches.c, batch_rows.c
_WISH = (
    *(_r.number, _r.amount, _r.recipient, _r.issue_ref),
    *(_r.digits, _r.bound, _r.language, _r.sender_name),
)
_KEPT = select(_r.id, *_WISH, _r.status, _r.serial, _r.code, _r.detail)


def add(connection: Connection, values: Mapping[str, object], rows: Sequence[Row]) -> None:
    """A new batch with its rows, which wait."""
    number = new_id(connection.execute(insert(batches).values(**values, row_count=len(rows))))
    waits = {"batch_id": number, "status": RowStatus.WAITING.value}
    left = iter(rows)
    while some := list(islice(left, AT_ONCE)):
        written = [{**waits, **row.values()} for row in some]
        connection.execute(insert(batch_rows), written)


def by_reference(connection: Connection, reference: str, *, lock: bool = False) -> Batch | None:
    """The batch people call so; locked, its status stays until this transaction ends."""
    query = select(*_b).where(_b.reference == reference)
    row = connection.execute(query.with_for_update() if lock else query).one_or_none()
    return None if row is None else Batch(*row)


def latest(
    connection: Connection,
    owner: str | None,
    before: int | None,
    rows_max: int,
    since: datetime | None = None,
    until: datetime | None = None,
) -> list[Batch]:
    """Batches with ids below one, the newest first; no owner: everybody's."""
    query = select(*_b).order_by(_b.id.desc()).limit(rows_max)
    if owner is not None:
        query = query.where(_b.owner == owner)
    if before is not None:
        query = query.where(_b.id < before)
    if since is not None:
        query = query.where(_b.created_at >= since)
    if until is not None:
        query = query.where(_b.created_at < until)
    return [Batch(*row) for row in connection.execute(query)]


def running(connection: Connection) -> list[Batch]:
    """What is to be issued, the oldest first."""
    query = select(*_b).where(_b.status == Status.RUNNING.value).order_by(_b.id)
    return [Batch(*row) for row in connection.execute(query)]


def move(
    connection: Connection, batch_id: int, before: Status, after: Status, ended: datetime | None
) -> bool:
    """Change a batch's status once; False when it was not in `before`."""
    done = connection.execute(
        update(batches)
        .where(_b.id == batch_id, _b.status == before.value)
        .values(status=after.value, ended_at=ended)
    )
    return done.rowcount == 1


def tallies(connection: Connection, batch_id: int) -> Mapping[str, Tally]:
    """How many rows stand where; a status without rows is not named."""
    found = connection.execute(
        select(_r.status, func.count(), func.sum(_r.amount, type_=Money))
        .where(_r.batch_id == batch_id)
        .group_by(_r.status)
    )
    return {status: Tally(count, amount) for status, count, amount in found}


def rows_of(
    connection: Connection,
    batch_id: int,
    rows_max: int,
    *,
    after: int = 0,
    status: RowStatus | None = None,
) -> list[Kept]:
    """Rows behind one, in the order of the file."""
    query = _KEPT.where(_r.batch_id == batch_id, _r.number > after)
    if status is not None:
        query = query.where(_r.status == status.value)
    rows = connection.execute(query.order_by(_r.number).limit(rows_max))
    return [Kept(row[0], Row(*row[1:9]), row[9], row[10], row[11], row[12]) for row in rows]


def every_row(
    connection: Connection, batch_id: int, status: RowStatus | None = None
) -> Iterator[Kept]:
    """All of them, in the order of the file, read piece by piece."""
    last = 0
    while found := rows_of(connection, batch_id, AT_ONCE, after=last, status=status):
        yield from found
        last = found[-1].row.number


def claim(connection: Connection, kept_id: int, now: datetime) -> bool:
    """Take a row that waits, in the transaction that issues it; False: it waits no more."""
    done = connection.execute(
        update(batch_rows)
        .where(_r.id == kept_id, _r.status == RowStatus.WAITING.value)
        .values(status=RowStatus.ISSUED.value, done_at=now)
    )
    return done.rowcount == 1


def name(connection: Connection, kept_id: int, serial: str) -> None:
    """Which token a claimed row has become."""
    connection.execute(update(batch_rows).where(_r.id == kept_id).values(serial=serial))


def fail(connection: Connection, kept_id: int, code: str, detail: str, now: datetime) -> bool:
    """Say why a row that waits cannot be issued; False: it waits no more."""
    done = connection.execute(
        update(batch_rows)
        .where(_r.id == kept_id, _r.status == RowStatus.WAITING.value)
        .values(status=RowStatus.FAILED.value, code=code, detail=detail[:200], done_at=now)
    )
    return done.rowcount == 1


def turn(
    connection: Connection, batch_id: int, before: RowStatus, after: RowStatus, at: datetime | None
) -> int:
    """Let every row that stands so stand otherwise, without a reason; how many."""
    done = connection.execute(
        update(batch_rows)
        .where(_r.batch_id == batch_id, _r.status == before.value)
        .values(status=after.value, code=None, detail=None, done_at=at)
    )
    return done.rowcount


def has_waiting(connection: Connection, batch_id: int) -> bool:
    """Whether a row is left to be issued."""
    query = select(_r.id).where(_r.batch_id == batch_id, _r.status == RowStatus.WAITING.value)
    return connection.execute(query.limit(1)).first() is not None
