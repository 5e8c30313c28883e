"""SQL of the lists of approvals, page by page."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, and_, func, or_, select

from gateway.audit.decisions.store import ALL, Approval, State, approvals, read

_C = approvals.c


def waiting(
    connection: Connection, since: datetime, before: int | None, rows_max: int
) -> list[Approval]:
    """Those asked for since an instant that nobody has decided, the newest first."""
    query = ALL.where(_C.state == State.WAITING.value, _C.asked_at > since)
    return _page(connection, query, before, rows_max)


def decided(
    connection: Connection, since: datetime, before: int | None, rows_max: int
) -> list[Approval]:
    """Those that were decided, or asked for before that instant; the newest first."""
    lapsed = and_(_C.state == State.WAITING.value, _C.asked_at <= since)
    query = ALL.where(or_(_C.state != State.WAITING.value, lapsed))
    return _page(connection, query, before, rows_max)


def count(connection: Connection, since: datetime) -> int:
    """How many asked for since an instant wait."""
    query = select(func.count()).where(_C.state == State.WAITING.value, _C.asked_at > since)
    return int(connection.execute(query).scalar_one())


def waiting_about(connection: Connection, kinds: Sequence[str], subject: str) -> list[Approval]:
    """Those of some kinds about a subject that wait, the newest first."""
    query = ALL.where(_C.subject == subject, _C.kind.in_(kinds), _C.waits == 1)
    return _page(connection, query, None, len(kinds))


def _page(
    connection: Connection, query: Select[Any], before: int | None, rows_max: int
) -> list[Approval]:
    if before is not None:
        query = query.where(_C.id < before)
    return [read(row) for row in connection.execute(query.order_by(_C.id.desc()).limit(rows_max))]
