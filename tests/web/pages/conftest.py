"""What tests of the pages' foundation share: a gateway with one of each role."""

import pytest

from tests.support.wired import Wired
from tests.web.staffed import Staffed


@pytest.fixture
def staffed(wired: Wired) -> Staffed:
    """The gateway and its staff, once on each engine."""
    return Staffed(wired)
