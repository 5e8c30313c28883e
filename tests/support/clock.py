"""A clock that stands still until a test steps it."""

from datetime import UTC, datetime, timedelta

from gateway.clock import Clock

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class SteppedClock(Clock):
    """Shows Monday 2 March 2026, 09:00 UTC (10:00 in Lagos), until it is advanced."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start

    def now(self) -> datetime:
        """The instant the test has reached, aware, in UTC."""
        return self._now

    def advance(
        self, *, days: float = 0, hours: float = 0, minutes: float = 0, seconds: float = 0
    ) -> datetime:
        """Step the clock (back, if negative) and return the new instant."""
        self._now += timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
        return self._now
