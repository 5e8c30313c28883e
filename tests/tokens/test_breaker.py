"""The global breaker: opens for unbound 11-digit tokens only, tells nothing, closes by time."""

from datetime import timedelta

import pytest

from gateway.tokens.guesses import limits
from gateway.tokens.guesses.limits import Allowance, breaker_budget
from gateway.tokens.guesses.store import Counter, guess_counters, read
from gateway.tokens.redeem import Answer, Outcome
from gateway.tokens.store import TO_PARTNER, TO_RECIPIENT, UNBOUND
from tests.support.clock import SteppedClock
from tests.support.log import Log, captured_log
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import brought_to, count, phone
from tests.tokens.vectors import luhn_valid

LIVE = 100_000
BUDGET = Allowance(an_hour=45, a_day=274)


def breaker(wired: Wired) -> Counter:
    """The breaker's row."""
    return wired.run(lambda c: read(c, [limits.SHORT_BREAKER]))[limits.SHORT_BREAKER]


def recount(wired: Wired, live: int) -> None:
    """What the sweep sets when it has counted `live` unbound 11-digit tokens."""
    now = wired.clock.now()
    wired.run(lambda c: limits.recount(c, live, now))


def miss(wired: Wired, number: int) -> Answer:
    """An unknown 11-digit token from a phone that was never seen before."""
    return wired.redeem(luhn_valid(11, number), phone(number)).answer


def opened(wired: Wired) -> None:
    """Use the hour's budget up to the last miss."""
    recount(wired, LIVE)
    assert [miss(wired, n) for n in range(BUDGET.an_hour)] == [Answer.NOT_VALID] * BUDGET.an_hour


def alarms(log: Log) -> list[str]:
    """The alarms raised since the last look."""
    return [line["event"] for line in log.lines() if line["level"] == "error"]


@pytest.mark.parametrize(
    ("live", "a_day"),
    [(0, 27_397), (1_000, 27_397), (10_000, 2_740), (100_000, 274), (10**6, 27), (10**8, 1)],
)
def test_the_budget_is_one_expected_theft_a_year(live: int, a_day: int) -> None:
    budget = breaker_budget(live)
    assert budget.a_day == a_day or budget == Allowance(1, 1)
    assert budget.an_hour == max(1, a_day // 6)


def test_the_sweep_sets_the_budget_from_live_unbound_11_digit_tokens(wired: Wired) -> None:
    for state in ("issued", "suspended", "overdue", "redeemed", "cancelled", "expired"):
        brought_to(wired, state, digits=11)
    wired.issue(digits=18)
    wired.issue(digits=11, binding=TO_RECIPIENT)
    wired.issue(digits=11, binding=TO_PARTNER)
    assert wired.gateway.chores()["live_unbound_11_digit"]() == 3
    found = breaker(wired)
    assert (found.live, found.day_max, found.hour_max) == (3, 27_397, 4_566)
    assert (found.day_count, found.hour_count) == (0, 0)


def test_the_275th_miss_of_a_day_finds_the_breaker_open(wired: Wired, clock: SteppedClock) -> None:
    live = wired.issue(to=None, digits=11)
    recount(wired, LIVE)
    began = clock.now()
    with captured_log() as log:
        for number in range(BUDGET.a_day):
            if number and number % (BUDGET.an_hour - 1) == 0:
                clock.advance(hours=1)
            assert miss(wired, number) is Answer.NOT_VALID
            assert alarms(log) == (["breaker_open"] if number == BUDGET.a_day - 1 else [])
        assert miss(wired, 9_999) is Answer.UNAVAILABLE
        assert alarms(log) == []
    assert wired.redeem(live.reveal()).answer is Answer.UNAVAILABLE
    clock.advance(seconds=(began + timedelta(days=1) - clock.now()).total_seconds())
    assert wired.redeem(live.reveal()).answer is Answer.REDEEMED
    assert miss(wired, 9_998) is Answer.NOT_VALID


def test_an_open_breaker_leaves_18_digit_and_bound_tokens_working(wired: Wired) -> None:
    unbound, bound = (
        wired.issue(digits=11, binding=binding) for binding in (UNBOUND, TO_RECIPIENT)
    )
    opened(wired)
    assert wired.redeem(unbound.reveal()).answer is Answer.UNAVAILABLE
    for recipient in (ADA, None):
        issued = wired.issue(to=recipient, digits=18)
        assert wired.redeem(issued.reveal()).answer is Answer.REDEEMED
    assert wired.redeem(bound.reveal()).answer is Answer.REDEEMED
    assert wired.redeem(bound.reveal()).answer is Answer.ALREADY_YOURS
    assert wired.redeem(luhn_valid(18, 1)).answer is Answer.NOT_VALID
    assert wired.breaches() == []


STATES = ("issued", "suspended", "redeemed", "cancelled", "expired", "overdue")


def test_an_open_breaker_says_the_same_of_every_11_digit_entry_and_counts_none(
    wired: Wired,
) -> None:
    entries = [brought_to(wired, state, digits=11, to=BELLO).reveal() for state in STATES]
    entries.append(wired.issue(to=BELLO, digits=11, binding=TO_RECIPIENT).reveal())
    entries.append(wired.issue(to=ADA, digits=11, binding=TO_PARTNER).reveal())
    own = wired.issue(to=ADA, digits=11)
    wired.redeem(own.reveal())
    entries += [own.reveal(), luhn_valid(11, 77_777), "0" * 11]
    opened(wired)
    before, rows = breaker(wired), count(wired, guess_counters)
    told = [wired.redeem(entry) for _ in range(3) for entry in entries]
    assert set(told) == {Outcome(Answer.UNAVAILABLE)}
    assert (breaker(wired), count(wired, guess_counters)) == (before, rows)
    counter = wired.run(lambda c: read(c, [f"phone:{ADA}"]))[f"phone:{ADA}"]
    assert (counter.hour_count, counter.day_count) == (0, 0)


def test_the_screen_says_unavailable_for_a_live_and_for_an_unknown_token(wired: Wired) -> None:
    live = wired.issue(to=None, digits=11)
    opened(wired)
    bodies = {
        wired.dial(text=f"1*{entry}").body for entry in (live.reveal(), luhn_valid(11, 77_777))
    }
    assert bodies == {
        "END Redeeming is temporarily unavailable. Your token is safe. Please try again later."
    }


def test_a_limited_phone_is_told_only_that_while_the_breaker_is_open(wired: Wired) -> None:
    live = wired.issue(to=None, digits=11)
    for number in range(5):
        wired.redeem(luhn_valid(18, number), BELLO)
    opened(wired)
    told = {wired.redeem(entry, BELLO) for entry in (live.reveal(), luhn_valid(11, 77_777))}
    assert {outcome.answer for outcome in told} == {Answer.LIMITED}
    assert len(told) == 1


def test_the_breaker_closes_when_its_hour_is_over(wired: Wired, clock: SteppedClock) -> None:
    live = wired.issue(to=None, digits=11)
    opened(wired)
    clock.advance(hours=1, seconds=-0.000001)
    assert wired.redeem(live.reveal()).answer is Answer.UNAVAILABLE
    clock.advance(seconds=0.000001)
    assert wired.redeem(live.reveal()).answer is Answer.REDEEMED


def test_the_alarm_is_raised_once_each_time_the_breaker_opens(
    wired: Wired, clock: SteppedClock
) -> None:
    with captured_log() as log:
        opened(wired)
        for number in range(20):
            miss(wired, 5_000 + number)
        assert alarms(log) == ["breaker_open"]
        clock.advance(hours=1)
        for number in range(BUDGET.an_hour + 5):
            miss(wired, 6_000 + number)
        assert alarms(log) == ["breaker_open"]


def test_a_recount_that_opens_the_breaker_raises_the_alarm_too(wired: Wired) -> None:
    recount(wired, 0)
    for number in range(46):
        miss(wired, number)
    with captured_log() as log:
        recount(wired, LIVE)
        recount(wired, LIVE)
        assert alarms(log) == ["breaker_open"]
    assert miss(wired, 999) is Answer.UNAVAILABLE


def test_the_channel_alarm_is_raised_once(wired: Wired, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CHANNEL", Allowance(3, 100))
    with captured_log() as log:
        for number in range(6):
            wired.redeem(luhn_valid(11, number), phone(number))
        assert alarms(log) == ["channel_closed"]


def test_misses_of_18_digits_and_known_tokens_leave_the_breaker_alone(wired: Wired) -> None:
    issued = brought_to(wired, "redeemed", digits=11)
    recount(wired, LIVE)
    wired.redeem(luhn_valid(18, 1))
    wired.redeem(issued.reveal(), BELLO)
    assert (breaker(wired).hour_count, breaker(wired).day_count) == (0, 0)
    miss(wired, 1)
    assert (breaker(wired).hour_count, breaker(wired).day_count) == (1, 1)
