"""How the limits on wrong entries stand, as operators see it."""

import pytest
from sqlalchemy import Connection

from gateway.database.engine import Database
from gateway.tokens.guesses import limits, standing, store
from gateway.tokens.guesses.limits import CHANNEL, PHONE, TYPING, Allowance
from gateway.tokens.guesses.standing import Kind
from tests.support.clock import SteppedClock

PHONES, MISTYPED = Kind("phone:", PHONE), Kind("typing:", TYPING)
KINDS = (PHONES, MISTYPED)
ADA, BELLO = "+2348030000001", "+2348030000002"


def count(database: Database, source: str, times: int, clock: SteppedClock) -> None:
    """Some wrong entries of a source, now."""

    def work(connection: Connection) -> None:
        for _ in range(times):
            store.count(connection, source, clock.now())

    database.run(work)


def limited(database: Database, clock: SteppedClock) -> list[tuple[str, str]]:
    """Who is limited now, and since which kind of entry."""
    found = database.run(lambda c: standing.limited(c, KINDS, clock.now(), 50))
    return sorted((one.kind.prefix, one.stand.name) for one in found)


def test_before_the_first_entry_the_breaker_is_closed_and_nobody_limited(
    database: Database, clock: SteppedClock
) -> None:
    breaker = database.run(lambda c: standing.breaker(c, clock.now()))
    assert (breaker.stand.in_hour, breaker.stand.in_day, breaker.live) == (0, 0, 0)
    assert breaker.stand.allowed == limits.breaker_budget(0)
    assert breaker.stand.until is None
    assert database.run(lambda c: standing.channels(c, clock.now(), 50)) == []
    assert limited(database, clock) == []


def test_a_source_is_limited_from_its_last_allowed_entry_until_its_hour_is_over(
    database: Database, clock: SteppedClock
) -> None:
    count(database, f"phone:{ADA}", 4, clock)
    count(database, f"phone:{BELLO}", 5, clock)
    assert limited(database, clock) == [("phone:", BELLO)]
    (one,) = database.run(lambda c: standing.limited(c, KINDS, clock.now(), 50))
    assert (one.stand.in_hour, one.stand.in_day) == (5, 5)
    until = one.stand.until
    clock.advance(minutes=60)
    assert until == clock.now()
    assert limited(database, clock) == []


def test_a_source_is_limited_for_the_rest_of_a_day_after_ten(
    database: Database, clock: SteppedClock
) -> None:
    count(database, f"phone:{ADA}", 5, clock)
    clock.advance(hours=2)
    count(database, f"phone:{ADA}", 5, clock)
    clock.advance(hours=1)
    (one,) = database.run(lambda c: standing.limited(c, KINDS, clock.now(), 50))
    assert (one.stand.in_hour, one.stand.in_day) == (0, 10)
    clock.advance(hours=21)
    assert limited(database, clock) == []


def test_each_kind_is_held_against_its_own_allowance(
    database: Database, clock: SteppedClock
) -> None:
    count(database, f"typing:{ADA}", 29, clock)
    count(database, "typing:cashier:staff:7", 30, clock)
    count(database, f"block:{ADA}", 30, clock)
    count(database, "phones", 30, clock)
    assert limited(database, clock) == [("typing:", "cashier:staff:7")]


def test_the_lists_are_bounded(database: Database, clock: SteppedClock) -> None:
    for n in range(7):
        count(database, f"phone:+23480300000{n:02}", 5, clock)
        count(database, f"channel:c{n}", 1, clock)
    assert len(database.run(lambda c: standing.limited(c, KINDS, clock.now(), 3))) == 3
    assert len(database.run(lambda c: standing.channels(c, clock.now(), 3))) == 3


def test_channels_stand_against_what_they_allow(database: Database, clock: SteppedClock) -> None:
    for name in ("counter", "africastalking"):
        database.run(lambda c, n=name: limits.miss(c, n, 11, clock.now()))  # type: ignore[misc]
    found = database.run(lambda c: standing.channels(c, clock.now(), 50))
    assert [(one.name, one.in_hour, one.allowed) for one in found] == [
        ("africastalking", 1, CHANNEL),
        ("counter", 1, CHANNEL),
    ]


@pytest.mark.parametrize(("live", "budget"), [(100_000, Allowance(45, 274))])
def test_an_open_breaker_says_until_when_and_for_how_many_it_is_set(
    database: Database, clock: SteppedClock, live: int, budget: Allowance
) -> None:
    database.run(lambda c: limits.recount(c, live, clock.now()))
    count(database, limits.SHORT_BREAKER, budget.an_hour - 1, clock)
    closed = database.run(lambda c: standing.breaker(c, clock.now()))
    assert (closed.live, closed.stand.allowed, closed.stand.until) == (live, budget, None)
    count(database, limits.SHORT_BREAKER, 1, clock)
    opened = database.run(lambda c: standing.breaker(c, clock.now())).stand.until
    assert opened is not None
    assert opened > clock.now()
