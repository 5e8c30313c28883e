"""A desk of withdrawals over a fresh database, once on each engine."""

import pytest

from tests.support.wired import Wired
from tests.withdrawals.staging import Desk


@pytest.fixture
def desk(wired: Wired) -> Desk:
    """One provider that pays at once."""
    return Desk(wired)
