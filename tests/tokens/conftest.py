"""What the tests of keys ask for: processes with their own rings over one database."""

from collections.abc import Callable, Iterator

import pytest

from tests.support.clock import SteppedClock
from tests.support.wired import Wired


@pytest.fixture
def process(database_url: str, clock: SteppedClock) -> Iterator[Callable[..., Wired]]:
    """Starts a process of the gateway with its own rings over one database."""
    started: list[Wired] = []

    def start(rings: dict[str, str]) -> Wired:
        started.append(Wired(database_url, clock, **rings))
        return started[-1]

    yield start
    for each in started:
        each.close()
