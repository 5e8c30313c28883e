"""The limits on wrong entries (G1, G2): counted first, tested, then given back on success."""

from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

import structlog
from sqlalchemy import Connection

from gateway.errors import Limited, RaceLost
from gateway.tokens import code
from gateway.tokens.code import InvalidCode, Wrong
from gateway.tokens.guesses import store
from gateway.tokens.guesses.store import DAY, HOUR, Counter

log = structlog.get_logger()

SPACE_OF_SHORT = 10**10  # tokens of 11 digits: ten free digits and a computed one
LIVE_FLOOR = 1_000  # the breaker reckons with at least so many live tokens
GROWTH_MAX = Decimal("1.2")  # how much the live tokens may grow before the budget follows
THEFTS_A_YEAR = 1  # expected, at the breaker's budget
SHORT_BREAKER = "breaker:11"
UNBOUND_SHORT_MAX = 100_000  # above so many live ones an 11-digit token must be bound (G3)


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many wrong entries a source has in an hour and in a day.

    A window begins with its first wrong entry, so around its edge up to twice as many fit into
    one hour; the daily allowance bounds that.
    """

    an_hour: int
    a_day: int


PHONE = Allowance(5, 10)
TYPING = Allowance(30, 100)  # entries that cannot be a token at all: no look-up is made
PARTNER = Allowance(100, 400)  # unknown and foreign tokens through one partner's keys
CHANNEL = Allowance(2_000, 10_000)  # unknown tokens over one channel, all its callers together


def breaker_budget(live: int) -> Allowance:
    """Unknown 11-digit entries allowed with `live` unbound ones: one expected theft a year.

    >>> breaker_budget(100_000)
    Allowance(an_hour=45, a_day=274)
    >>> breaker_budget(0) == breaker_budget(1_000)
    True
    """
    days_and_live = 365 * max(live, LIVE_FLOOR)
    a_day = (THEFTS_A_YEAR * SPACE_OF_SHORT + days_and_live // 2) // days_and_live
    return Allowance(max(1, a_day // 6), max(1, a_day))


def begin(connection: Connection, source: str, allowance: Allowance, now: datetime) -> None:
    """Count one entry of a source before it is judged; raises `Limited` when none is left."""
    if store.count_within(connection, source, allowance.an_hour, allowance.a_day, now):
        return
    counter = store.read(connection, [source]).get(source)
    if counter is None:
        store.add(connection, source, now)
        return
    until = reopens(counter, allowance, now)
    if until <= now:
        # Made, or given back, since it was counted: that it had no room is true no more.
        raise RaceLost("the counter changed while it was being counted")
    raise Limited(until)


def typed(connection: Connection, entry: str, source: str, now: datetime) -> str:
    """The digits of an entry; one that cannot be a token counts as a typing error of its source.

    Raises `InvalidCode`, and `Limited` when the source has mistyped too often.
    """
    try:
        return code.validate(entry)
    except InvalidCode as error:
        if error.wrong is not Wrong.EMPTY:
            begin(connection, f"typing:{source}", TYPING, now)
        raise


def forgive(connection: Connection, source: str) -> None:
    """The entry was right: give its count back, in the same transaction."""
    store.give_back(connection, source)


def insist_room(connection: Connection, source: str, allowance: Allowance, now: datetime) -> None:
    """Raise `Limited` when a source that many share has had its misses; nothing is counted."""
    counter = store.read(connection, [source]).get(source)
    if _used_up(counter, allowance, now) and counter is not None:
        raise Limited(reopens(counter, allowance, now))


def missed(connection: Connection, source: str, now: datetime) -> None:
    """Count a miss of a source that many share; a success of theirs touches no row."""
    store.count(connection, source, now)


def withholds(connection: Connection, channel: str, digits: int, now: datetime) -> bool:
    """Whether an entry of this length that is not bound to its caller gets no answer now.

    Only short tokens are withheld: a long one cannot be guessed, so a limit on it would only be a
    switch with which anybody turns off everybody's redeeming. A success never writes what is read.
    """
    if digits != code.SHORT:
        return False
    name = _of_channel(channel)
    counters = store.read(connection, [name, SHORT_BREAKER])
    return _used_up(counters.get(name), CHANNEL, now) or _used_up(
        counters.get(SHORT_BREAKER), breaker_budget(0), now
    )


def miss(connection: Connection, channel: str, digits: int, now: datetime) -> None:
    """An unknown token was entered: a short one counts where everybody's misses count."""
    if digits != code.SHORT:
        return
    name = _of_channel(channel)
    store.count(connection, SHORT_BREAKER, now)
    store.count(connection, name, now)
    counters = store.read(connection, [name, SHORT_BREAKER])
    if _was_the_last(counters[SHORT_BREAKER], breaker_budget(0), now):
        log.error("breaker_open", breaker=SHORT_BREAKER)
    if _was_the_last(counters[name], CHANNEL, now):
        log.error("channel_closed", channel=channel)


def _of_channel(channel: str) -> str:
    return f"channel:{channel}"


def recount(connection: Connection, live: int, now: datetime) -> Allowance:
    """Set the breaker's budget from the number of live unbound 11-digit tokens."""
    budget = breaker_budget(live)
    before = store.read(connection, [SHORT_BREAKER]).get(SHORT_BREAKER)
    store.set_maxima(connection, SHORT_BREAKER, budget.an_hour, budget.a_day, live, now)
    after = store.read(connection, [SHORT_BREAKER])[SHORT_BREAKER]
    if _used_up(after, budget, now) and not _used_up(before, breaker_budget(0), now):
        log.error("breaker_open", breaker=SHORT_BREAKER)
    return budget


def keep_up(connection: Connection, live: int, now: datetime) -> None:
    """Recount when many more tokens are live than the breaker's budget was set for.

    Between two sweeps a bulk issue must not leave a budget that was meant for a handful.
    """
    counter = store.read(connection, [SHORT_BREAKER]).get(SHORT_BREAKER)
    known = max(LIVE_FLOOR, (counter.live or 0) if counter else 0)
    if live > known * GROWTH_MAX:
        recount(connection, live, now)


def _used_up(counter: Counter | None, default: Allowance, now: datetime) -> bool:
    if counter is None:
        return False
    an_hour = counter.hour_max if counter.hour_max is not None else default.an_hour
    a_day = counter.day_max if counter.day_max is not None else default.a_day
    in_hour = counter.hour_from > now - HOUR and counter.hour_count >= an_hour
    return in_hour or (counter.day_from > now - DAY and counter.day_count >= a_day)


def _was_the_last(counter: Counter, default: Allowance, now: datetime) -> bool:
    """Whether the latest count, whose row is still locked, is the one that used the limit up."""
    before = replace(counter, hour_count=counter.hour_count - 1, day_count=counter.day_count - 1)
    return _used_up(counter, default, now) and not _used_up(before, default, now)


def reopens(counter: Counter, allowance: Allowance, now: datetime) -> datetime:
    """When a counter allows another entry; now, where it does."""
    ends = [now]
    if counter.hour_from > now - HOUR and counter.hour_count >= allowance.an_hour:
        ends.append(counter.hour_from + HOUR)
    if counter.day_from > now - DAY and counter.day_count >= allowance.a_day:
        ends.append(counter.day_from + DAY)
    return max(ends)
