"""What tests of the counter's pages share: an outlet whose cashier and manager are in."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.support.clock import SteppedClock
from tests.support.wired import Wired
from tests.web.counter.desk import Desk
from tests.web.counter.window import Front, front


@pytest.fixture
def desk(wired: Wired) -> Desk:
    """The counter, once on each engine; its cashier has no till open yet."""
    return Desk(wired)


@pytest.fixture
def at_front(desk: Desk, browser: Browser) -> Iterator[Front]:
    """The same counter, served to real browsers."""
    with front(desk, browser) as opened:
        yield opened


@pytest.fixture
def one_desk(sqlite_url: str, clock: SteppedClock) -> Iterator[Desk]:
    """A counter on one engine alone, for what is of the page and not of the database."""
    wired = Wired(sqlite_url, clock)
    yield Desk(wired)
    wired.close()


@pytest.fixture
def one_front(one_desk: Desk, browser: Browser) -> Iterator[Front]:
    """It, served to real browsers."""
    with front(one_desk, browser) as opened:
        yield opened


@pytest.fixture
def rich_front(sqlite_url: str, clock: SteppedClock, browser: Browser) -> Iterator[Front]:
    """A counter whose tills may pay very large amounts, served to real browsers."""
    wired = Wired(sqlite_url, clock)
    with front(Desk(wired, float_limit="9000000000000.00"), browser) as opened:
        yield opened
    wired.close()
