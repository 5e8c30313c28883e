"""What tests of the counter's pages share: an outlet whose cashier and manager are in."""

import pytest

from tests.support.wired import Wired
from tests.web.counter.desk import Desk


@pytest.fixture
def desk(wired: Wired) -> Desk:
    """The counter, once on each engine; its cashier has no till open yet."""
    return Desk(wired)
