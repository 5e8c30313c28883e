"""An empty outbox on both engines."""

import pytest

from gateway.database.engine import Database
from tests.outbox.rows import Rows
from tests.support.clock import SteppedClock


@pytest.fixture
def rows(database: Database, clock: SteppedClock) -> Rows:
    """The outbox of a fresh database."""
    return Rows(database, clock)
