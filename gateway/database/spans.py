"""Counting a table's rows by spans of time, and finding where a time begins without its index."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Integer, case, func, literal, select

from gateway.database.types import Instant

# Rows are numbered when they are written and seen once they are committed.
DISORDER = timedelta(minutes=2)


def first_since(
    connection: Connection, ids: ColumnElement[Any], at: ColumnElement[Any], since: datetime
) -> int:
    """An id before which no row is from `since` or later; not many from before it follow.

    For tables that only grow and have no index on their time: some twenty probes by the key find
    the place among a million rows.
    """
    low, high = connection.execute(select(func.min(ids), func.max(ids))).one()
    if low is None:
        return 0
    high += 1
    while low < high:
        middle = (low + high) // 2
        probe = select(ids, at).where(ids >= middle).order_by(ids).limit(1)
        number, when = connection.execute(probe).one()
        if when >= since - DISORDER:
            high = middle
        else:
            low = number + 1
    return int(low)


def by_span(
    connection: Connection,
    at: ColumnElement[Any],
    bounds: Sequence[datetime],
    what: ColumnElement[Any],
    *where: ColumnElement[bool],
) -> list[int]:
    """`what` (a count or a sum of numbers) of the rows in each span, from bound n to bound n + 1.

    There are two bounds at least, and one span less than bounds.
    """
    ends = [(at < literal(end, Instant), literal(n, Integer)) for n, end in enumerate(bounds[1:])]
    inside = (at >= literal(bounds[0], Instant), at < literal(bounds[-1], Instant))
    rows = connection.execute(
        select(case(*ends).label("span"), what).where(*inside, *where).group_by("span")
    )
    found = {int(span): int(counted or 0) for span, counted in rows}
    return [found.get(n, 0) for n in range(len(bounds) - 1)]
