"""What end-to-end tests share: an SMS API, an installation on either engine, its processes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.emulators.africastalking import SmsApi
from tests.end_to_end.market import Market
from tests.support.serving import Installed, production_env


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy stands between a process and an emulator."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def api() -> Iterator[SmsApi]:
    """Africa's Talking's SMS API, which takes only our key."""
    with SmsApi(api_key="test-api-key") as served:
        yield served


@pytest.fixture
def installed(database_url: str, api: SmsApi, tmp_path: Path) -> Installed:
    """A production installation over a fresh database, once on each engine."""
    return Installed(tmp_path, production_env(database_url, api.url))


@pytest.fixture
def on_sqlite(sqlite_url: str, api: SmsApi, tmp_path: Path) -> Installed:
    """A production installation on SQLite."""
    return Installed(tmp_path, production_env(sqlite_url, api.url))


@pytest.fixture
def on_mariadb(mariadb_url: str, api: SmsApi, tmp_path: Path) -> Installed:
    """A production installation on the shared MariaDB."""
    return Installed(tmp_path, production_env(mariadb_url, api.url))


@pytest.fixture
def market(installed: Installed) -> Iterator[Market]:
    """A production installation without providers yet, and short ways to look into its books."""
    made = Market(installed)
    yield made
    made.close()


@pytest.fixture
def market_on_mariadb(on_mariadb: Installed) -> Iterator[Market]:
    """The same on MariaDB alone, for what speaks with many providers and takes long."""
    made = Market(on_mariadb)
    yield made
    made.close()
