"""A gateway that takes money, on each engine."""

from collections.abc import Iterator

import pytest

from tests.deposits.staging import Till, till
from tests.support.clock import SteppedClock


@pytest.fixture
def tz(database_url: str, clock: SteppedClock) -> Iterator[Till]:
    """A gateway in Tanzania, in shillings."""
    with till(database_url, clock) as made:
        yield made


@pytest.fixture
def ke(database_url: str, clock: SteppedClock) -> Iterator[Till]:
    """A gateway in Kenya, in shillings."""
    with till(database_url, clock, "KE") as made:
        yield made


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
