"""Table and SQL of approvals."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
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
    Text,
    insert,
    select,
    update,
)

from gateway.database.types import Instant, new_id, row_id, table


class State(StrEnum):
    """Where a request stands; it leaves `waiting` once."""

    WAITING = "waiting"
    APPROVED = "approved"
    REFUSED = "refused"
    EXPIRED = "expired"


approvals = table(
    "approvals",
    row_id(),
    Column("kind", String(32), nullable=False),
    Column("subject", String(64), nullable=False),
    Column("details", Text, nullable=False),  # JSON, shown to whoever decides
    Column("state", String(12), nullable=False),
    Column("waits", Integer, nullable=True),  # 1 while it waits, so that it is asked for once
    Column("asked_by", String(64), nullable=False),
    Column("asker", String(64), nullable=False),  # the person behind `asked_by`, however written
    Column("asked_at", Instant, nullable=False),
    Column("reason", String(200), nullable=False),
    Column("decided_by", String(64), nullable=True),
    Column("decided_at", Instant, nullable=True),
    Column("outcome", String(200), nullable=True),
    CheckConstraint("state IN ('waiting','approved','refused','expired')", name="state_known"),
    Index("uq_approvals_kind_subject_waits", "kind", "subject", "waits", unique=True),
    Index("ix_approvals_state", "state"),
)


@dataclass(frozen=True, slots=True)
class Approval:
    """One request as it stands."""

    id: int
    kind: str
    subject: str
    details: Mapping[str, str]
    state: str
    asked_by: str
    asked_at: datetime
    reason: str
    decided_by: str | None
    decided_at: datetime | None
    outcome: str | None


_c = approvals.c
ALL = select(*(column for column in _c if column.name not in ("waits", "asker")))


def add(
    connection: Connection,
    kind: str,
    subject: str,
    details: Mapping[str, str],
    asked_by: str,
    asker: str,
    reason: str,
    now: datetime,
) -> int:
    """A waiting request; `DuplicateKey` when the same one waits already."""
    done = connection.execute(
        insert(approvals).values(
            kind=kind,
            subject=subject,
            details=json.dumps(details, ensure_ascii=False, sort_keys=True),
            state=State.WAITING.value,
            waits=1,
            asked_by=asked_by,
            asker=asker,
            asked_at=now,
            reason=reason,
        )
    )
    return new_id(done)


def waiting(connection: Connection, kind: str, subject: str) -> Approval | None:
    """The request of this kind about a subject that waits."""
    row = connection.execute(
        ALL.where(_c.kind == kind, _c.subject == subject, _c.waits == 1)
    ).one_or_none()
    return None if row is None else read(row)


def by_id(connection: Connection, number: int) -> Approval | None:
    """A request by its number."""
    row = connection.execute(ALL.where(_c.id == number)).one_or_none()
    return None if row is None else read(row)


def decide(
    connection: Connection,
    number: int,
    after: State,
    decided_by: str,
    now: datetime,
    *,
    asked_after: datetime,
    not_asked_by: str | None = None,
) -> bool:
    """The one change of a waiting request; `not_asked_by` keeps its asker from it."""
    statement = update(approvals).where(
        _c.id == number, _c.state == State.WAITING.value, _c.asked_at > asked_after
    )
    if not_asked_by is not None:
        statement = statement.where(_c.asker != not_asked_by)
    done = connection.execute(
        statement.values(state=after.value, waits=None, decided_by=decided_by, decided_at=now)
    )
    return done.rowcount == 1


def conclude(connection: Connection, number: int, outcome: str) -> None:
    """Keep what came of an approved request, in the transaction that approved it."""
    connection.execute(update(approvals).where(_c.id == number).values(outcome=outcome))


def overdue(connection: Connection, asked_until: datetime) -> list[Approval]:
    """What nobody decided in time, the oldest first."""
    query = ALL.where(_c.state == State.WAITING.value, _c.asked_at <= asked_until)
    return [read(row) for row in connection.execute(query.order_by(_c.id))]


def expire(connection: Connection, number: int, asked_until: datetime, now: datetime) -> bool:
    """Close what nobody decided in time; False when it was decided, or is not so old."""
    done = connection.execute(
        update(approvals)
        .where(_c.id == number, _c.state == State.WAITING.value, _c.asked_at <= asked_until)
        .values(state=State.EXPIRED.value, waits=None, decided_at=now)
    )
    return done.rowcount == 1


def latest(
    connection: Connection, rows_max: int, *, waiting_since: datetime | None
) -> list[Approval]:
    """The newest requests first; those only that wait since then, if that is given."""
    statement = ALL.order_by(_c.id.desc()).limit(rows_max)
    if waiting_since is not None:
        statement = statement.where(_c.state == State.WAITING.value, _c.asked_at > waiting_since)
    return [read(row) for row in connection.execute(statement)]


def read(row: Row[Any]) -> Approval:
    """What a row of `ALL` says."""
    values = dict(row._mapping)
    values["details"] = json.loads(values["details"])
    return Approval(**values)
