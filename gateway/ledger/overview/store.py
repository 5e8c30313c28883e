"""SQL of how much moved, hour by hour."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, func, select

from gateway.database.spans import by_span, first_since
from gateway.ledger.store import movements


def moved(connection: Connection, kind: str, bounds: Sequence[datetime]) -> list[int]:
    """How many movements of a kind were booked in each span between two bounds."""
    c = movements.c
    first = first_since(connection, c.id, c.at, bounds[0])
    return by_span(connection, c.at, bounds, func.count(), c.id >= first, c.kind == kind)


def began(connection: Connection) -> datetime | None:
    """When the first movement was booked; None before it."""
    c = movements.c
    first: datetime | None = connection.execute(select(c.at).order_by(c.id).limit(1)).scalar()
    return first
