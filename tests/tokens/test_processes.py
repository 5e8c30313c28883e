"""Limits and claims hold over processes, as several web servers need them to."""

from collections import Counter

from gateway.tokens.redeem import Answer
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, Wired
from tests.tokens.processes import over_processes
from tests.tokens.staging import phone
from tests.tokens.vectors import luhn_valid


def test_wrong_entries_split_over_two_processes_are_one_count(
    database_url: str, clock: SteppedClock
) -> None:
    wired = Wired(database_url, clock)
    live = wired.issue(to=None).reveal()
    wrong = [(luhn_valid(18, number), ADA) for number in range(8)]
    told = over_processes(database_url, [wrong[:4], wrong[4:]])
    assert Counter(answer for share in told for answer in share) == {
        Answer.NOT_VALID: 5,
        Answer.LIMITED: 3,
    }
    assert wired.redeem(live).answer is Answer.LIMITED
    wired.close()


def test_one_token_raced_for_by_two_processes_is_redeemed_once(
    database_url: str, clock: SteppedClock
) -> None:
    wired = Wired(database_url, clock)
    live = wired.issue("100.00", None).reveal()
    shares = [[(live, phone(number + 8 * side)) for number in range(8)] for side in range(2)]
    told = Counter(answer for share in over_processes(database_url, shares) for answer in share)
    assert told == {Answer.REDEEMED: 1, Answer.NOT_VALID: 15}
    assert sum(wired.balance(phone(number)) for number in range(16)) == 100
    assert wired.breaches() == []
    wired.close()
