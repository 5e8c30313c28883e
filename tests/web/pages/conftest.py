"""What tests of the pages' foundation share: a gateway with one of each role."""

import pytest

from tests.support.wired import Wired
from tests.web.counter.desk import Desk
from tests.web.staffed import Staffed


@pytest.fixture
def staffed(wired: Wired) -> Staffed:
    """The gateway and its staff, once on each engine."""
    return Staffed(wired)


@pytest.fixture
def desk(wired: Wired) -> Desk:
    """A counter with its staff, once on each engine."""
    return Desk(wired)
