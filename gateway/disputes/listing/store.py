"""SQL of the lists of disputes, page by page."""

from datetime import datetime

from sqlalchemy import Connection, and_, case, func, or_, select

from gateway.disputes.states import State
from gateway.disputes.store import Dispute, disputes

_C = disputes.c
_ALL = select(*_C)


def nearest(connection: Connection, after: int | None, rows_max: int) -> list[Dispute]:
    """The open disputes by their deadline, the nearest first; those behind the one with an id."""
    query = _ALL.where(_C.state == State.OPEN.value)
    if after is not None:
        mark = select(_C.deadline).where(_C.id == after).scalar_subquery()
        later = and_(_C.deadline == mark, _C.id > after)
        query = query.where(or_(_C.deadline > mark, later))
    rows = connection.execute(query.order_by(_C.deadline, _C.id).limit(rows_max))
    return [Dispute(*row) for row in rows]


def resolved(connection: Connection, before: int | None, rows_max: int) -> list[Dispute]:
    """The disputes that have ended, the newest first; those with ids below one."""
    query = _ALL.where(_C.state != State.OPEN.value)
    if before is not None:
        query = query.where(_C.id < before)
    return [
        Dispute(*row) for row in connection.execute(query.order_by(_C.id.desc()).limit(rows_max))
    ]


def count(connection: Connection, now: datetime) -> tuple[int, int]:
    """How many are open, and how many of those are overdue."""
    is_late = case((_C.deadline <= now, 1), else_=0)
    query = select(func.count(), func.coalesce(func.sum(is_late), 0))
    row = connection.execute(query.where(_C.state == State.OPEN.value)).one()
    return int(row[0]), int(row[1])


def newest(connection: Connection) -> int:
    """The number of the last dispute that was opened, whatever about; 0 before the first."""
    return int(connection.execute(select(func.max(_C.id))).scalar() or 0)


def about(connection: Connection, subject: str, rows_max: int) -> list[Dispute]:
    """The disputes about a token or a withdrawal, the newest first."""
    query = _ALL.where(_C.subject == subject).order_by(_C.id.desc()).limit(rows_max)
    return [Dispute(*row) for row in connection.execute(query)]
