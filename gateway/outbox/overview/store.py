"""SQL of how late the outbox is, and what of it failed."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, func, select

from gateway.database.spans import by_span
from gateway.database.types import Instant
from gateway.outbox.store import SMS, State, outbox
from gateway.outbox.tasks import LINES

_C = outbox.c


def failed(connection: Connection, since: datetime) -> int:
    """How many SMS have failed for good since then."""
    where = (_C.line == SMS, _C.state == State.FAILED.value, _C.due_at >= since)
    return int(connection.execute(select(func.count()).where(*where)).scalar_one())


def oldest_due_sms(connection: Connection, now: datetime) -> datetime | None:
    """Since when the SMS has been due that waits longest; None when none is."""
    due = select(func.min(_C.due_at, type_=Instant)).where(_queued_sms(), _C.due_at <= now)
    found: datetime | None = connection.execute(due).scalar()
    return found


def oldest_due_task(connection: Connection, now: datetime) -> datetime | None:
    """Since when the task has been due that waits longest; None when none is."""
    due = select(func.min(_C.run_at, type_=Instant)).where(_queued_tasks(), _C.run_at <= now)
    found: datetime | None = connection.execute(due).scalar()
    return found


def due_sms(connection: Connection, bounds: Sequence[datetime]) -> list[int]:
    """How many SMS wait that became due in each span between two bounds."""
    return by_span(connection, _C.due_at, bounds, func.count(), _queued_sms())


def due_tasks(connection: Connection, bounds: Sequence[datetime]) -> list[int]:
    """How many tasks wait that became due in each span between two bounds."""
    return by_span(connection, _C.run_at, bounds, func.count(), _queued_tasks())


def _queued_sms() -> ColumnElement[bool]:
    return and_(_C.line == SMS, _C.state == State.QUEUED.value)


def _queued_tasks() -> ColumnElement[bool]:
    return and_(_C.line.in_(LINES), _C.state == State.QUEUED.value)
