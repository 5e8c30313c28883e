"""How near the shared limits on wrong entries are to closing something for everybody."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from gateway.tokens.guesses.limits import CHANNEL, SHORT_BREAKER, breaker_budget
from gateway.tokens.guesses.store import DAY, HOUR, Counter

NEAR_PERCENT = 80


@dataclass(frozen=True, slots=True)
class Level:
    """How much of a shared limit is used up."""

    name: str  # the breaker's, or `channel:` and a channel's
    an_hour: int
    an_hour_max: int
    a_day: int
    a_day_max: int

    @property
    def is_open(self) -> bool:
        """Whether what it guards is closed to everybody now."""
        return self.an_hour >= self.an_hour_max or self.a_day >= self.a_day_max

    @property
    def percent(self) -> int:
        """How much is used of whichever allowance is the nearer one, 100 at most.

        >>> Level("breaker:11", 9, 10, 9, 100).percent, Level("breaker:11", 0, 10, 250, 200).percent
        (90, 100)
        """
        pairs = ((self.an_hour, self.an_hour_max), (self.a_day, self.a_day_max))
        return min(100, max(used * 100 // max(1, most) for used, most in pairs))

    @property
    def is_near(self) -> bool:
        """Whether it soon closes.

        >>> Level("breaker:11", 8, 10, 8, 100).is_near, Level("breaker:11", 7, 10, 8, 100).is_near
        (True, False)
        """
        return self.percent >= NEAR_PERCENT and not self.is_open


def levels(counters: Sequence[Counter], now: datetime) -> Sequence[Level]:
    """Those of counters that guard something shared, the fullest first."""
    found = (_level(counter, now) for counter in counters)
    return sorted(found, key=lambda level: -level.percent)


def _level(counter: Counter, now: datetime) -> Level:
    allowed = breaker_budget(0) if counter.source == SHORT_BREAKER else CHANNEL
    return Level(
        counter.source,
        counter.hour_count if counter.hour_from > now - HOUR else 0,
        counter.hour_max if counter.hour_max is not None else allowed.an_hour,
        counter.day_count if counter.day_from > now - DAY else 0,
        counter.day_max if counter.day_max is not None else allowed.a_day,
    )
