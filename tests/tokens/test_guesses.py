"""Limits on wrong entries: counted first, tested, given back; per hour and day, and fail closed."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy.exc import DBAPIError

from gateway.errors import Limited
from gateway.tokens.guesses import limits
from gateway.tokens.guesses.limits import CHANNEL, PHONE, TYPING
from gateway.tokens.guesses.store import Counter, guess_counters, read
from gateway.tokens.redeem import Answer, Outcome
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import count, phone, rows_of, statements
from tests.tokens.vectors import VECTORS, luhn_valid

HOUR, DAY, TICK = timedelta(hours=1), timedelta(days=1), 0.000001
SOURCE = f"phone:{ADA}"
MISTYPED = "490750293453273259"


def counter(wired: Wired, source: str = SOURCE) -> Counter | None:
    """A source's row."""
    return wired.run(lambda c: read(c, [source])).get(source)


def counts(wired: Wired, source: str = SOURCE) -> tuple[int, int]:
    """What a source has used up of its hour and of its day."""
    found = counter(wired, source)
    return (0, 0) if found is None else (found.hour_count, found.day_count)


def guess(wired: Wired, times: int, msisdn: str = ADA) -> list[Answer]:
    """Enter as many different unknown tokens."""
    return [wired.redeem(luhn_valid(11, 9_000 + n), msisdn).answer for n in range(times)]


def test_after_five_wrong_tokens_the_right_one_is_not_even_looked_up(wired: Wired) -> None:
    issued = wired.issue()
    assert guess(wired, 5) == [Answer.NOT_VALID] * 5
    before = rows_of(wired)
    with statements(wired.gateway.database) as sent:
        outcome = wired.redeem(issued.reveal())
    assert outcome == Outcome(Answer.LIMITED, until=wired.clock.now() + HOUR)
    assert not any("tokens" in statement for statement in sent)
    assert wired.token(issued.serial).status == "issued"
    assert rows_of(wired) == before
    assert wired.redeem(issued.reveal(), BELLO).answer is Answer.REDEEMED


def test_a_right_token_gives_its_try_back(wired: Wired) -> None:
    guess(wired, 4)
    for _ in range(8):
        assert wired.redeem(wired.issue().reveal()).answer is Answer.REDEEMED
    assert counts(wired) == (4, 4)
    assert guess(wired, 2) == [Answer.NOT_VALID, Answer.LIMITED]
    assert counts(wired) == (5, 5)


def test_one_who_asks_again_about_a_token_of_theirs_uses_up_nothing(wired: Wired) -> None:
    issued = wired.issue()
    answers = [wired.redeem(issued.reveal()).answer for _ in range(8)]
    assert answers == [Answer.REDEEMED] + [Answer.ALREADY_YOURS] * 7
    assert counts(wired) == (0, 0)


def test_used_and_foreign_tokens_count_at_the_source_only(wired: Wired) -> None:
    issued = wired.issue()
    wired.redeem(issued.reveal(), BELLO)
    assert wired.redeem(issued.reveal()).answer is Answer.NOT_VALID
    assert counts(wired) == (1, 1)
    assert counts(wired, "channel:africastalking") == (0, 0)


def test_the_hour_ends_an_hour_after_its_first_wrong_entry(
    wired: Wired, clock: SteppedClock
) -> None:
    began = clock.now()
    guess(wired, 1)
    clock.advance(minutes=30)
    guess(wired, 4)
    clock.advance(minutes=30, seconds=-TICK)
    assert wired.redeem(luhn_valid(18, 1)).until == began + HOUR
    clock.advance(seconds=TICK)
    assert clock.now() == began + HOUR
    assert guess(wired, 6) == [Answer.NOT_VALID] * 5 + [Answer.LIMITED]
    assert counts(wired) == (5, 10)


def test_the_day_allows_ten_and_ends_a_day_after_its_first(
    wired: Wired, clock: SteppedClock
) -> None:
    began = clock.now()
    assert guess(wired, 5) == [Answer.NOT_VALID] * 5
    clock.advance(hours=2)
    assert guess(wired, 5) == [Answer.NOT_VALID] * 5
    assert wired.redeem(luhn_valid(18, 1)).until == began + DAY
    clock.advance(hours=22, seconds=-TICK)
    assert guess(wired, 1) == [Answer.LIMITED]
    clock.advance(seconds=TICK)
    assert guess(wired, 1) == [Answer.NOT_VALID]
    assert counts(wired) == (1, 1)


def test_a_refused_try_does_not_prolong_the_wait(wired: Wired, clock: SteppedClock) -> None:
    guess(wired, 5)
    first = wired.redeem(luhn_valid(18, 1)).until
    clock.advance(minutes=20)
    guess(wired, 20)
    assert wired.redeem(luhn_valid(18, 1)).until == first
    assert counts(wired) == (5, 5)


def test_another_phone_is_another_source(wired: Wired) -> None:
    guess(wired, 5)
    assert guess(wired, 1, BELLO) == [Answer.NOT_VALID]


def test_a_limit_holds_over_channels(wired: Wired) -> None:
    for number in range(5):
        wired.redeem(luhn_valid(18, number), ADA, "sms" if number % 2 else "africastalking")
    assert wired.redeem(luhn_valid(18, 9), ADA, "other").answer is Answer.LIMITED


def test_ten_thousand_mistyped_entries_reach_neither_tokens_nor_shared_counters(
    wired: Wired,
) -> None:
    caller_answers = set()
    rounds = 10_000 if wired.gateway.database.is_sqlite else 1_000
    with statements(wired.gateway.database) as sent:
        for _ in range(rounds):
            caller_answers.add(wired.redeem(MISTYPED).answer)
    assert caller_answers == {Answer.MISTYPED, Answer.LIMITED}
    assert not any("FROM tokens" in statement for statement in sent)
    assert counts(wired, f"typing:{ADA}") == (TYPING.an_hour, TYPING.an_hour)
    assert count(wired, guess_counters) == 1
    assert wired.redeem(wired.issue().reveal()).answer is Answer.REDEEMED
    assert guess(wired, 1) == [Answer.NOT_VALID]


@pytest.mark.parametrize("entry", ["", " * ", "#"])
def test_an_empty_entry_counts_nowhere(wired: Wired, entry: str) -> None:
    assert wired.redeem(entry).answer is Answer.MISTYPED
    assert count(wired, guess_counters) == 0


@pytest.mark.parametrize("entry", [MISTYPED, "123", "abc", VECTORS[0].token + "0"])
def test_what_cannot_be_a_token_counts_as_typing(wired: Wired, entry: str) -> None:
    assert wired.redeem(entry).answer is Answer.MISTYPED
    assert counts(wired, f"typing:{ADA}") == (1, 1)
    assert counter(wired) is None


def test_a_success_writes_its_own_counter_and_reads_the_shared_ones(wired: Wired) -> None:
    guess(wired, 1, BELLO)
    shared = counter(wired, "channel:africastalking")
    issued = wired.issue()
    with statements(wired.gateway.database) as sent:
        assert wired.redeem(issued.reveal()).answer is Answer.REDEEMED
    writes = [s for s in sent if "guess_counters" in s and not s.startswith("SELECT")]
    # The last may travel in one statement with other writes, on MariaDB.
    assert [statement.split()[0] for statement in writes[:2]] == ["UPDATE", "INSERT"]
    assert [statement.count("UPDATE guess_counters") for statement in writes] == [1, 0, 1]
    assert counter(wired, "channel:africastalking") == shared


def test_without_its_counters_nothing_is_redeemed(wired: Wired) -> None:
    issued = wired.issue()
    wired.run(lambda c: c.exec_driver_sql("ALTER TABLE guess_counters RENAME TO away"))
    try:
        with pytest.raises(DBAPIError):
            wired.redeem(issued.reveal())
        assert wired.dial(text=f"1*{issued.reveal()}").body.startswith("END ")
    finally:
        wired.run(lambda c: c.exec_driver_sql("ALTER TABLE away RENAME TO guess_counters"))
    assert wired.token(issued.serial).status == "issued"
    assert wired.redeem(issued.reveal()).answer is Answer.REDEEMED


def test_quiet_sources_are_forgotten_and_the_breaker_is_not(
    wired: Wired, clock: SteppedClock
) -> None:
    wired.gateway.chores()["live_unbound_11_digit"]()
    guess(wired, 1)
    purge: Callable[[], int] = wired.gateway.chores()["counters_purged"]
    clock.advance(days=2)
    assert purge() == 0
    guess(wired, 1, BELLO)
    clock.advance(seconds=TICK)
    assert purge() == 1
    assert counter(wired) is None
    assert counts(wired, f"phone:{BELLO}") == (1, 1)
    assert counter(wired, limits.SHORT_BREAKER) is not None


def test_a_used_up_channel_withholds_short_tokens_that_are_not_bound_to_their_caller(
    wired: Wired, clock: SteppedClock
) -> None:
    short, long = wired.issue(to=None, digits=11), wired.issue(to=None)
    bound = wired.issue(to=ADA, digits=11, binding="recipient")
    guess(wired, 1)
    full = guess_counters.c.source == "channel:africastalking"
    used_up = guess_counters.update().where(full).values(hour_count=CHANNEL.an_hour)
    wired.run(lambda c: c.execute(used_up).rowcount)
    assert wired.redeem(short.reveal()).answer is Answer.UNAVAILABLE
    assert wired.redeem(luhn_valid(11, 1)).answer is Answer.UNAVAILABLE
    assert wired.redeem(bound.reveal()).answer is Answer.REDEEMED
    assert wired.redeem(short.reveal(), phone(1), "sms").answer is Answer.REDEEMED
    assert counts(wired) == (1, 1)
    assert wired.redeem(long.reveal()).answer is Answer.REDEEMED
    assert wired.redeem(luhn_valid(18, 1)).answer is Answer.NOT_VALID
    clock.advance(hours=1)
    assert wired.redeem(luhn_valid(11, 2)).answer is Answer.NOT_VALID


def test_a_limit_says_when_it_opens_by_whichever_window_lasts_longer(
    wired: Wired, clock: SteppedClock
) -> None:
    now = clock.now()
    changes = {"hour_count": PHONE.an_hour, "day_count": PHONE.a_day}
    guess(wired, 1)
    wired.run(lambda c: c.execute(guess_counters.update().values(**changes)).rowcount)
    with pytest.raises(Limited) as error:
        wired.run(lambda c: limits.begin(c, SOURCE, PHONE, now))
    assert error.value.until == now + DAY
