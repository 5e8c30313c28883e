"""An outlet that is open, on either engine."""

import pytest

from tests.outlets.staging import Shop
from tests.support.wired import Wired


@pytest.fixture
def shop(wired: Wired) -> Shop:
    """An outlet with two tills."""
    return Shop(wired).open()
