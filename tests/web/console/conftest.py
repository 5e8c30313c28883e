"""What tests of the console share: a gateway with one of each role, and an operator who is in."""

import pytest

from gateway.people.staff.store import Role
from tests.support.wired import Wired
from tests.web.staffed import Staffed, Visitor


@pytest.fixture
def staffed(wired: Wired) -> Staffed:
    """The gateway and its staff, once on each engine."""
    return Staffed(wired)


@pytest.fixture
def operator(staffed: Staffed) -> Visitor:
    """The browser of an operator who is in."""
    return staffed.within(Role.OPERATOR)
