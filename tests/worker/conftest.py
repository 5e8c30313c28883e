"""An installation to start real worker processes from, on both engines, and its aggregator."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.clock import Clock
from gateway.database.engine import Database
from tests.emulators.africastalking import SmsApi
from tests.outbox.rows import Rows
from tests.support.serving import Installed, production_env


@pytest.fixture
def api() -> Iterator[SmsApi]:
    """The emulated SMS API; it knows the key of `production_env`."""
    with SmsApi(api_key="test-api-key") as served:
        yield served


@pytest.fixture
def installed(tmp_path: Path, database_url: str, api: SmsApi) -> Installed:
    """A gateway whose settings point at the database and the aggregator."""
    return Installed(tmp_path, production_env(database_url, api.url))


@pytest.fixture
def rows(database: Database) -> Rows:
    """The outbox, at the real time that the processes live in."""
    return Rows(database, Clock())
