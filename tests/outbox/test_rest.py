"""How long a channel that fails is left alone, and what ends it."""

from datetime import timedelta

import pytest

from gateway.errors import OutcomeUnknown, Refused, SendFailed, Throttled, Unreachable
from gateway.outbox.rest import Rest
from tests.support.clock import START

AWAY, UNHEARD = Unreachable("no connection"), OutcomeUnknown("no answer")


def seconds_left(rest: Rest) -> int:
    """How long the channel rests from now on."""
    return next(n for n in range(1_000) if not rest.left("a", START + timedelta(seconds=n)))


@pytest.mark.parametrize(
    ("failures", "seconds"),
    [
        ((AWAY,), 5),
        ((AWAY,) * 2, 10),
        ((AWAY,) * 3, 20),
        ((AWAY,) * 4, 40),
        ((AWAY,) * 5, 60),
        ((AWAY,) * 100, 60),
        ((UNHEARD,), 0),
        ((UNHEARD,) * 2, 5),
        ((UNHEARD,) * 3, 10),
        ((UNHEARD, AWAY), 10),
    ],
)
def test_a_channel_rests_longer_from_failure_to_failure(
    failures: tuple[SendFailed, ...], seconds: int
) -> None:
    rest = Rest()
    for failure in failures:
        rest.after("a", failure, START)
    assert seconds_left(rest) == seconds
    assert rest.left("b", START) is None


def test_an_answer_of_any_kind_ends_the_row_of_failures() -> None:
    for answer in (None, Refused("no"), Throttled("busy", 60)):
        rest = Rest()
        for _ in range(5):
            rest.after("a", UNHEARD, START)
            if answer is None:
                rest.answered("a")
            else:
                rest.after("a", answer, START)
        assert seconds_left(rest) == 0
