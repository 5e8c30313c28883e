"""SQL of looking through the counters of wrong entries."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, or_, select

from gateway.tokens.guesses.store import DAY, HOUR, Counter, guess_counters

_C = guess_counters.c


def named(connection: Connection, prefix: str, rows_max: int) -> list[Counter]:
    """The counters whose source begins with a prefix, by name."""
    query = select(*_C).where(_begins(prefix)).order_by(_C.source).limit(rows_max)
    return [Counter(*row) for row in connection.execute(query)]


def used_up(
    connection: Connection, allowances: Sequence[tuple[str, int, int]], now: datetime, rows_max: int
) -> list[Counter]:
    """The counters that allow no further entry now, the last that began first.

    `allowances` are of prefixes, with the most an hour and a day.
    """
    full = [
        and_(
            _begins(prefix),
            or_(
                and_(_C.hour_from > now - HOUR, _C.hour_count >= an_hour),
                and_(_C.day_from > now - DAY, _C.day_count >= a_day),
            ),
        )
        for prefix, an_hour, a_day in allowances
    ]
    query = select(*_C).where(or_(*full)).order_by(_C.hour_from.desc(), _C.source).limit(rows_max)
    return [Counter(*row) for row in connection.execute(query)]


def _begins(prefix: str) -> ColumnElement[bool]:
    # A range, so that the primary key serves it; no source has a higher character.
    return and_(_C.source >= prefix, _C.source < f"{prefix}\x7f")
