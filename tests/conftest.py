"""What every test can ask for: databases on both engines, a server of its own, a stepped clock.

A test that asks for `database` or `database_url` runs on SQLite and on MariaDB; both name the
same fresh database, so that a server started with the URL sees what the test wrote. One that
belongs to a single engine asks for `sqlite_url` or `mariadb_url`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gateway.database.engine import Database
from tests.support.clock import SteppedClock
from tests.support.compilations import share
from tests.support.databases import MariaDBSchema, SQLiteTemplate
from tests.support.log import plainly
from tests.support.mariadb import MariaDBServer, PrivateMariaDB
from tests.support.wired import Wired

# Before any test imports it, or its assertions would say nothing of their values.
pytest.register_assert_rewrite("tests.providers.contract")

plainly()

ENGINES = ("sqlite", "mariadb")
SHARED_SERVER = pytest.StashKey[PrivateMariaDB]()


def shared_server(config: pytest.Config) -> PrivateMariaDB:
    """The one server of this test run, started when it is first asked for."""
    if SHARED_SERVER not in config.stash:
        server = PrivateMariaDB()
        server.start()
        config.stash[SHARED_SERVER] = server
    return config.stash[SHARED_SERVER]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell each process of a parallel run where the shared server listens."""
    try:
        node.workerinput["mariadb_port"] = shared_server(node.config).port
    except RuntimeError as error:
        node.workerinput["mariadb_error"] = str(error)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the shared server at the end of the run, also after Ctrl-C."""
    if SHARED_SERVER in config.stash:
        config.stash[SHARED_SERVER].stop()


@pytest.fixture(scope="session")
def mariadb_server(pytestconfig: pytest.Config) -> MariaDBServer:
    """The server that all tests share: never pause or kill it, see `private_mariadb`."""
    workerinput: dict[str, Any] | None = getattr(pytestconfig, "workerinput", None)
    if workerinput is None:
        return shared_server(pytestconfig)
    if "mariadb_error" in workerinput:
        raise RuntimeError(workerinput["mariadb_error"])
    return MariaDBServer(workerinput["mariadb_port"])


@pytest.fixture
def private_mariadb() -> Iterator[PrivateMariaDB]:
    """A server for this test alone, to be paused, killed and started again."""
    with PrivateMariaDB() as server:
        yield server


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> SQLiteTemplate:
    """The migrated file that tests on SQLite get a copy of."""
    return SQLiteTemplate(tmp_path_factory.mktemp("sqlite"))


@pytest.fixture(scope="session")
def mariadb_schema(mariadb_server: MariaDBServer, worker_id: str) -> Iterator[MariaDBSchema]:
    """The migrated database of this test process."""
    schema = MariaDBSchema(mariadb_server, f"gateway_{worker_id}")
    yield schema
    schema.close()


@pytest.fixture
def sqlite_url(sqlite_template: SQLiteTemplate, tmp_path: Path) -> str:
    """A migrated, empty SQLite file."""
    return sqlite_template.copy_to(tmp_path / "gateway.db")


@pytest.fixture
def mariadb_url(mariadb_schema: MariaDBSchema) -> str:
    """A migrated, empty MariaDB database."""
    return mariadb_schema.restore()


@pytest.fixture(params=ENGINES)
def database_url(request: pytest.FixtureRequest) -> str:
    """A migrated, empty database, once on each engine."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """The database at `database_url`, opened."""
    opened = Database(database_url)
    share(opened.engine)
    yield opened
    opened.dispose()


@pytest.fixture
def wired(database_url: str, clock: SteppedClock) -> Iterator[Wired]:
    """The whole gateway over a fresh database, once on each engine."""
    whole = Wired(database_url, clock)
    yield whole
    whole.close()


@pytest.fixture(params=ENGINES)
def unmigrated_url(request: pytest.FixtureRequest, tmp_path: Path, worker_id: str) -> str:
    """A database without any table, once on each engine: for tests of the migrations."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'unmigrated.db'}"
    server: MariaDBServer = request.getfixturevalue("mariadb_server")
    name = f"unmigrated_{worker_id}"
    server.create_database(name)
    return server.url(name)


@pytest.fixture
def clock() -> SteppedClock:
    """A clock at Monday 2 March 2026, 09:00 UTC, that moves only when it is advanced."""
    return SteppedClock()
