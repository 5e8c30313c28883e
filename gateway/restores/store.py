"""SQL of a restore: how far the backup reaches, and which tokens live in it."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, select

from gateway.ledger.store import movements
from gateway.tokens.store import LIVE, tokens


def newest_movement(connection: Connection) -> datetime | None:
    """When the last movement was booked; None in a database without any."""
    query = select(movements.c.at).order_by(movements.c.id.desc()).limit(1)
    at: datetime | None = connection.execute(query).scalar()
    return at


def live(connection: Connection, after: int, rows_max: int) -> Sequence[int]:
    """The ids of live tokens behind one of them, in their order, also of overdue ones."""
    query = (
        select(tokens.c.id)
        .where(tokens.c.id > after, tokens.c.status.in_([status.value for status in LIVE]))
        .order_by(tokens.c.id)
        .limit(rows_max)
    )
    return connection.execute(query).scalars().all()
