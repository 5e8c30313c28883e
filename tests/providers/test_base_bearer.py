"""A short-lived access token: one fetch for all threads, and none that is nearly over."""

import threading
import time

import pytest

from gateway.errors import Unreachable
from gateway.providers.base.bearer import LIFETIME_SECONDS_MAX, Bearer, lifetime_seconds
from tests.support.clock import SteppedClock


class Issuer:
    """Hands out tokens that last so many seconds."""

    def __init__(self, seconds: int, slow: float = 0.0) -> None:
        self.seconds = seconds
        self.slow = slow
        self.fetched = 0

    def fetch(self) -> tuple[str, int]:
        number = self.fetched + 1
        time.sleep(self.slow)
        self.fetched = number
        return f"token-{number}", self.seconds


def test_threads_that_come_at_once_share_one_fetch() -> None:
    issuer = Issuer(180, slow=0.05)
    bearer = Bearer(issuer.fetch, SteppedClock())
    seen: list[str] = []
    threads = [threading.Thread(target=lambda: seen.append(bearer.token())) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == ["token-1"] * 16


@pytest.mark.parametrize(
    ("lifetime", "kept"), [(180, 149), (3600, 3569), (60, 29), (10, 4), (1, 0)]
)
def test_a_token_is_renewed_early_and_a_short_one_at_half_its_life(
    lifetime: int, kept: int
) -> None:
    clock, issuer = SteppedClock(), Issuer(lifetime)
    bearer = Bearer(issuer.fetch, clock)
    bearer.token()
    clock.advance(seconds=kept)
    assert bearer.token() == "token-1"
    clock.advance(seconds=1)
    assert bearer.token() == "token-2"


def test_a_token_without_a_lifetime_is_used_once() -> None:
    bearer = Bearer(Issuer(0).fetch, SteppedClock())
    assert [bearer.token(), bearer.token()] == ["token-1", "token-2"]


def test_a_refused_token_is_dropped_once_for_all_threads() -> None:
    issuer = Issuer(180)
    bearer = Bearer(issuer.fetch, SteppedClock())
    first = bearer.token()
    bearer.drop(first)
    assert bearer.token() == "token-2"
    bearer.drop(first)  # a slower thread was refused with the same one
    assert bearer.token() == "token-2"


def test_a_fetch_that_fails_leaves_nothing_behind() -> None:
    answers: list[tuple[str, int] | None] = [None, ("good", 180)]

    def fetch() -> tuple[str, int]:
        answer = answers.pop(0)
        if answer is None:
            raise Unreachable("no connection")
        return answer

    bearer = Bearer(fetch, SteppedClock())
    with pytest.raises(Unreachable):
        bearer.token()
    assert bearer.token() == "good"


@pytest.mark.parametrize("written", ["", "-1", "1.5", "1e3", " 180", "\u0661", "9" * 10, None, 180])
def test_a_lifetime_that_cannot_be_read_is_none(written: object) -> None:
    assert lifetime_seconds(written) == 0


def test_a_lifetime_of_years_is_one_day() -> None:
    assert lifetime_seconds("999999999") == LIFETIME_SECONDS_MAX


def test_a_bearer_shows_no_token() -> None:
    bearer = Bearer(Issuer(180).fetch, SteppedClock())
    bearer.token()
    assert "token-1" not in repr(bearer)
