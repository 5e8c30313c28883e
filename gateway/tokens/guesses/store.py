"""Table and SQL of the counters of wrong entries."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import (
    CheckConstraint,
    Column,
    ColumnElement,
    Connection,
    Integer,
    String,
    and_,
    bindparam,
    case,
    delete,
    insert,
    or_,
    select,
    update,
)

from gateway.database import prepared
from gateway.database.types import Instant, table

HOUR, DAY = timedelta(hours=1), timedelta(days=1)

# A window begins with its first count and ends an hour (a day) later.
guess_counters = table(
    "guess_counters",
    Column("source", String(64), primary_key=True),
    Column("hour_from", Instant, nullable=False),
    Column("hour_count", Integer, nullable=False),
    Column("day_from", Instant, nullable=False),
    Column("day_count", Integer, nullable=False),
    Column("hour_max", Integer, nullable=True),  # only where the sweep sets it: the breaker
    Column("day_max", Integer, nullable=True),
    Column("live", Integer, nullable=True),  # the live tokens those limits were set from
    CheckConstraint("hour_count >= 0 AND day_count >= 0", name="counts_not_negative"),
)


@dataclass(frozen=True, slots=True)
class Counter:
    """One source's counts."""

    source: str
    hour_from: datetime
    hour_count: int
    day_from: datetime
    day_count: int
    hour_max: int | None
    day_max: int | None
    live: int | None


_c = guess_counters.c
_HOUR_AGO = bindparam("hour_ago", type_=Instant)
_DAY_AGO = bindparam("day_ago", type_=Instant)
_NOW = bindparam("now", type_=Instant)
# MariaDB assigns from left to right: a count must be set before the start it depends on.
_COUNTED = (
    (_c.hour_count, case((_c.hour_from > _HOUR_AGO, _c.hour_count + 1), else_=1)),
    (_c.hour_from, case((_c.hour_from > _HOUR_AGO, _c.hour_from), else_=_NOW)),
    (_c.day_count, case((_c.day_from > _DAY_AGO, _c.day_count + 1), else_=1)),
    (_c.day_from, case((_c.day_from > _DAY_AGO, _c.day_from), else_=_NOW)),
)
COUNT = update(guess_counters).where(_c.source == bindparam("name")).ordered_values(*_COUNTED)
# Counted and tested in one statement (G1): two racers cannot both take the last try.
COUNT_WITHIN = COUNT.where(
    or_(_c.hour_from <= _HOUR_AGO, _c.hour_count < bindparam("most_an_hour")),
    or_(_c.day_from <= _DAY_AGO, _c.day_count < bindparam("most_a_day")),
)
_GIVE_BACK = (
    update(guess_counters)
    .where(_c.source == bindparam("name"), _c.hour_count > 0, _c.day_count > 0)
    .values(hour_count=_c.hour_count - 1, day_count=_c.day_count - 1)
)
_READ = select(*_c).where(_c.source.in_(bindparam("names", expanding=True)))


def count_within(
    connection: Connection, source: str, most_an_hour: int, most_a_day: int, now: datetime
) -> bool:
    """Count one try if the limits allow it; False when they do not or the row is not there."""
    counted = prepared.change(
        connection,
        COUNT_WITHIN,
        {
            "name": source,
            "now": now,
            "hour_ago": now - HOUR,
            "day_ago": now - DAY,
            "most_an_hour": most_an_hour,
            "most_a_day": most_a_day,
        },
    )
    return counted == 1


def count(connection: Connection, source: str, now: datetime) -> None:
    """Count one, whatever the limits; makes the row on first use."""
    done = connection.execute(
        COUNT, {"name": source, "now": now, "hour_ago": now - HOUR, "day_ago": now - DAY}
    )
    if done.rowcount == 0:
        add(connection, source, now)


def add(connection: Connection, source: str, now: datetime, counted: int = 1) -> None:
    """The first count of a source; a race for it ends in `DuplicateKey` and a repeat."""
    connection.execute(
        insert(guess_counters).values(
            source=source,
            hour_from=now,
            hour_count=counted,
            day_from=now,
            day_count=counted,
        )
    )


def give_back(connection: Connection, source: str) -> None:
    """Take one count back, in the transaction that counted it."""
    prepared.later(connection, _GIVE_BACK, {"name": source})


def read(connection: Connection, sources: Sequence[str]) -> dict[str, Counter]:
    """The counters there are among these sources."""
    rows = connection.execute(_READ, {"names": sources})
    return {row[0]: Counter(*row) for row in rows}


def set_maxima(
    connection: Connection, source: str, hour_max: int, day_max: int, live: int, now: datetime
) -> None:
    """The limits of a shared counter, from what the sweep has counted."""
    values = {"hour_max": hour_max, "day_max": day_max, "live": live}
    done = connection.execute(update(guess_counters).where(_c.source == source).values(values))
    if done.rowcount == 0:
        add(connection, source, now, counted=0)
        connection.execute(update(guess_counters).where(_c.source == source).values(values))


def _quiet(before: datetime) -> ColumnElement[bool]:
    return and_(_c.hour_from < before, _c.day_from < before, _c.hour_max.is_(None))


def quiet(connection: Connection, before: datetime, rows_max: int) -> list[str]:
    """Sources whose windows are over; shared counters with limits of their own are none."""
    return list(
        connection.execute(
            select(_c.source).where(_quiet(before)).order_by(_c.source).limit(rows_max)
        ).scalars()
    )


def purge(connection: Connection, sources: Sequence[str], before: datetime) -> int:
    """Forget those of these sources that are quiet still; how many.

    One statement a source: only then is it certain that no row but its own is locked.
    """
    gone = delete(guess_counters).where(_c.source == bindparam("name"), _quiet(before))
    return sum(connection.execute(gone, {"name": source}).rowcount for source in sources)
