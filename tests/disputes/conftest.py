"""An office over a fresh database, once on each engine."""

import pytest

from tests.disputes.staging import Office
from tests.support.wired import Wired
from tests.withdrawals.staging import Desk


@pytest.fixture
def office(wired: Wired) -> Office:
    """Two operators, and a provider that pays at once."""
    return Office(wired, Desk(wired))
