"""How the limits on wrong entries stand now: the breaker, the channels, and who is limited."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from gateway.tokens.guesses import limits, store
from gateway.tokens.guesses.limits import CHANNEL, SHORT_BREAKER, Allowance
from gateway.tokens.guesses.listing import store as listing
from gateway.tokens.guesses.store import DAY, HOUR, Counter

CHANNELS = "channel:"


@dataclass(frozen=True, slots=True)
class Stand:
    """One counter against what it allows; windows that are over count as nothing."""

    name: str  # without the prefix
    in_hour: int
    in_day: int
    allowed: Allowance
    until: datetime | None  # None: another entry is allowed now


@dataclass(frozen=True, slots=True)
class Breaker:
    """The global limit on unknown 11-digit entries, and the live tokens its budget is for."""

    stand: Stand
    live: int


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of source, by what its names begin with."""

    prefix: str
    allowed: Allowance


@dataclass(frozen=True, slots=True)
class Limited:
    """A source that is limited now."""

    kind: Kind
    stand: Stand


def breaker(connection: Connection, now: datetime) -> Breaker:
    """As it stands; with the smallest budget before the first count."""
    counter = store.read(connection, [SHORT_BREAKER]).get(SHORT_BREAKER)
    budget = limits.breaker_budget(0)
    if counter is None:
        return Breaker(Stand(SHORT_BREAKER, 0, 0, budget, None), 0)
    return Breaker(_stand(counter, "", _own(counter, budget), now), counter.live or 0)


def channels(connection: Connection, now: datetime, rows_max: int) -> Sequence[Stand]:
    """Every channel over which an unknown short token was ever entered."""
    found = listing.named(connection, CHANNELS, rows_max)
    return [_stand(counter, CHANNELS, _own(counter, CHANNEL), now) for counter in found]


def limited(
    connection: Connection, kinds: Sequence[Kind], now: datetime, rows_max: int
) -> Sequence[Limited]:
    """The sources of these kinds that are limited now, at most `rows_max`."""
    allowances = [(kind.prefix, kind.allowed.an_hour, kind.allowed.a_day) for kind in kinds]
    found = listing.used_up(connection, allowances, now, rows_max)
    return [
        Limited(kind, _stand(counter, kind.prefix, kind.allowed, now))
        for counter in found
        for kind in kinds
        if counter.source.startswith(kind.prefix)
    ]


def _own(counter: Counter, default: Allowance) -> Allowance:
    """The limits that the sweep has set, where it has."""
    an_hour = default.an_hour if counter.hour_max is None else counter.hour_max
    return Allowance(an_hour, default.a_day if counter.day_max is None else counter.day_max)


def _stand(counter: Counter, prefix: str, allowed: Allowance, now: datetime) -> Stand:
    until = limits.reopens(counter, allowed, now)
    return Stand(
        name=counter.source.removeprefix(prefix),
        in_hour=counter.hour_count if counter.hour_from > now - HOUR else 0,
        in_day=counter.day_count if counter.day_from > now - DAY else 0,
        allowed=allowed,
        until=until if until > now else None,
    )
