"""SQL of how much moved, hour by hour."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, func, select

from gateway.database.spans import by_span, first_since
from gateway.formats.money import TEST_CURRENCY
from gateway.ledger.store import OUTSTANDING, accounts, entries, movements


def moved(connection: Connection, kind: str, bounds: Sequence[datetime]) -> list[int]:
    """How many movements of a kind were booked in each span between two bounds; no test money's."""
    c = movements.c
    first = first_since(connection, c.id, c.at, bounds[0])
    wanted = (c.id >= first, c.kind == kind)
    found = by_span(connection, c.at, bounds, func.count(), *wanted)
    played = _outstanding_of_tests(connection)
    if played is None:
        return found
    # Every movement of a token has one entry there, and this account has few.
    of_tests = select(entries.c.movement_id).where(entries.c.account_id == played)
    tests = by_span(connection, c.at, bounds, func.count(), *wanted, c.id.in_(of_tests))
    return [all_ - test for all_, test in zip(found, tests, strict=True)]


def _outstanding_of_tests(connection: Connection) -> int | None:
    """The account of live test tokens; None before the first."""
    c = accounts.c
    query = select(c.id).where(c.kind == OUTSTANDING, c.currency == TEST_CURRENCY)
    return connection.execute(query).scalar()


def began(connection: Connection) -> datetime | None:
    """When the first movement was booked; None before it."""
    c = movements.c
    first: datetime | None = connection.execute(select(c.at).order_by(c.id).limit(1)).scalar()
    return first
