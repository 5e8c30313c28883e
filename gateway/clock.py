"""The one source of time: aware UTC for instants, the configured zone for calendar days."""

import time
from datetime import UTC, date, datetime, timedelta
from datetime import time as time_of_day
from zoneinfo import ZoneInfo


class Clock:
    """The system's clock; tests hand in one that they step."""

    def now(self) -> datetime:
        """The present instant, aware, in UTC."""
        return datetime.now(UTC)


def monotonic() -> float:
    """Seconds on a clock that never goes back: for deadlines and durations only."""
    return time.monotonic()


def end_of_local_day(instant: datetime, days: int, zone: ZoneInfo) -> datetime:
    """The first instant after the local day that lies `days` days after `instant`'s, in UTC.

    Tokens valid for whole days count to the end of the local day, whatever its length.

    >>> lagos = ZoneInfo("Africa/Lagos")
    >>> end_of_local_day(datetime(2026, 1, 31, 22, 30, tzinfo=UTC), 1, lagos).isoformat()
    '2026-02-01T23:00:00+00:00'
    >>> end_of_local_day(datetime(2026, 1, 31, 23, 30, tzinfo=UTC), 1, lagos).isoformat()
    '2026-02-02T23:00:00+00:00'
    """
    local = instant.astimezone(zone).date() + timedelta(days=days + 1)
    return datetime(local.year, local.month, local.day, tzinfo=zone).astimezone(UTC)


def day_that_ends(instant: datetime, zone: ZoneInfo) -> date | None:
    """The local day that a deadline is the end of; None for one that lies within a day.

    Such a deadline is told to people as the last day that counts: its clock time, midnight of the
    day after, is read as one day more or as one less.

    >>> lagos = ZoneInfo("Africa/Lagos")
    >>> day_that_ends(datetime(2026, 12, 30, 23, 0, tzinfo=UTC), lagos)
    datetime.date(2026, 12, 30)
    >>> day_that_ends(datetime(2026, 12, 30, 22, 59, tzinfo=UTC), lagos) is None
    True
    """
    local = instant.astimezone(zone)
    is_midnight = local.time() == time_of_day.min
    return local.date() - timedelta(days=1) if is_midnight else None


def iso(instant: datetime) -> str:
    """An instant as people and JSON read it: ISO 8601, UTC, `Z`.

    >>> iso(datetime(2026, 3, 2, 9, 0, tzinfo=UTC))
    '2026-03-02T09:00:00Z'
    """
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")
