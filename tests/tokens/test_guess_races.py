"""Limits under racers: five get through, tries given back are exact, no shared row is awaited."""

from collections import Counter
from threading import Barrier

import pytest

from gateway.tokens.guesses import limits, store
from gateway.tokens.guesses.store import guess_counters
from gateway.tokens.redeem import Answer, Outcome
from tests.support.clock import SteppedClock
from tests.support.races import race
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import once_before, phone
from tests.tokens.vectors import luhn_valid

RACERS = 16
SOURCE = f"phone:{ADA}"
MOST = limits.PHONE.an_hour


def counts(wired: Wired, source: str = SOURCE) -> tuple[int, int]:
    """What a source has used up of its hour and of its day."""
    found = wired.run(lambda c: store.read(c, [source]))[source]
    return found.hour_count, found.day_count


def answers(results: list[Outcome | Exception]) -> Counter[str]:
    """How often each answer was given; an exception counts by its name."""
    return Counter(
        result.answer.value if isinstance(result, Outcome) else type(result).__name__
        for result in results
    )


def check_then_count(wired: Wired, barrier: Barrier) -> bool:
    """What a limit must not be: look at the count, judge, count afterwards."""
    with wired.gateway.database.snapshot() as connection:
        found = store.read(connection, [SOURCE])[SOURCE]
    barrier.wait(30)
    if found.hour_count >= MOST:
        return False
    wired.run(lambda c: store.count(c, SOURCE, wired.clock.now()))
    return True


def test_checking_and_then_counting_lets_many_racers_through(wired: Wired) -> None:
    wired.run(lambda c: store.add(c, SOURCE, wired.clock.now(), counted=0))
    barrier = Barrier(RACERS)
    assert race(RACERS, lambda _: check_then_count(wired, barrier)).count(True) > MOST


@pytest.mark.parametrize("begun", [True, False])
def test_of_sixteen_racing_guesses_five_are_judged(wired: Wired, begun: bool) -> None:
    if begun:
        wired.run(lambda c: store.add(c, SOURCE, wired.clock.now(), counted=0))
    results = race(RACERS, lambda number: wired.redeem(luhn_valid(11, number)))
    assert answers(results) == {"not_valid": MOST, "limited": RACERS - MOST}
    assert counts(wired) == (MOST, MOST)
    assert counts(wired, "channel:africastalking") == (MOST, MOST)


def test_tries_given_back_are_exact_under_racers(wired: Wired) -> None:
    right = [wired.issue("1.00").reveal() for _ in range(RACERS // 2)]
    entries = [*right, *(luhn_valid(18, number) for number in range(RACERS // 2))]
    results = race(RACERS, lambda number: wired.redeem(entries[number]))
    told = answers(results)
    assert set(told) <= {"redeemed", "not_valid", "limited"}
    assert told["not_valid"] <= MOST
    assert counts(wired) == (told["not_valid"],) * 2
    assert wired.balance() == told["redeemed"]
    assert wired.breaches() == []


def test_right_entries_alone_use_nothing_up_under_racers(wired: Wired) -> None:
    right = [wired.issue("1.00").reveal() for _ in range(RACERS)]
    results = race(RACERS, lambda number: wired.redeem(right[number]))
    assert answers(results) == {"redeemed": RACERS}
    assert counts(wired) == (0, 0)


def test_shared_counters_miss_no_racer(wired: Wired) -> None:
    results = race(RACERS, lambda number: wired.redeem(luhn_valid(11, number), phone(number)))
    assert answers(results) == {"not_valid": RACERS}
    assert counts(wired, limits.SHORT_BREAKER) == (RACERS, RACERS)
    assert counts(wired, "channel:africastalking") == (RACERS, RACERS)


def test_a_success_does_not_wait_for_a_locked_shared_row(
    mariadb_url: str, clock: SteppedClock
) -> None:
    wired = Wired(mariadb_url, clock)
    issued = wired.issue(digits=11)
    wired.redeem(luhn_valid(11, 1), BELLO)
    locked = guess_counters.update().where(guess_counters.c.source.not_like("phone:%"))
    with wired.gateway.database.engine.connect() as holder:
        assert holder.execute(locked.values(day_count=1)).rowcount == 2
        assert wired.redeem(issued.reveal()).answer is Answer.REDEEMED
        holder.rollback()
    wired.close()


def test_typing_errors_of_racers_stop_at_their_limit(wired: Wired) -> None:
    mistyped = "490750293453273259"
    most = limits.TYPING.an_hour
    results = race(4, lambda _: [wired.redeem(mistyped).answer for _ in range(10)])
    told = Counter(answer for lane in results if isinstance(lane, list) for answer in lane)
    assert told == {Answer.MISTYPED: most, Answer.LIMITED: 40 - most}
    assert counts(wired, f"typing:{ADA}") == (most, most)


def test_an_entry_beside_the_very_first_one_of_its_phone_is_not_called_one_too_many(
    mariadb_url: str, clock: SteppedClock
) -> None:
    """It finds no counter to count in, and then the other's, which has room."""
    wired = Wired(mariadb_url, clock)
    one, other = wired.issue("1.00").reveal(), wired.issue("1.00").reveal()
    with once_before(wired.gateway.database, "SELECT guess_counters", lambda: wired.redeem(other)):
        assert wired.redeem(one).answer is Answer.REDEEMED
    assert counts(wired) == (0, 0)
    assert wired.breaches() == []
    wired.close()
