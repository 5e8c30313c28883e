"""A server that refuses triggers gets a usable schema, and the doctor says what is missing."""

import json
from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from gateway.cli.main import command_group
from gateway.database import server, triggers
from gateway.database.engine import Database
from gateway.database.types import metadata
from gateway.ledger import store
from tests.support.clock import START, SteppedClock
from tests.support.mariadb import PrivateMariaDB
from tests.support.money_rows import movements
from tests.support.wired import Wired

BINARY_LOG = ("--log-bin=binlog", "--server-id=1", "--log-bin-trust-function-creators=0")
NAME = "refusing"


@pytest.fixture(scope="module")
def refusing() -> Iterator[PrivateMariaDB]:
    """A server with its binary log on and a user who lacks SUPER."""
    with PrivateMariaDB(BINARY_LOG) as mariadb:
        yield mariadb


@pytest.fixture
def url(refusing: PrivateMariaDB) -> str:
    """An empty database, as that user opens it."""
    refusing.create_database(NAME)
    give(refusing, "DROP USER IF EXISTS gateway@'127.0.0.1'", "CREATE USER gateway@'127.0.0.1'")
    give(refusing, f"GRANT ALL ON {NAME}.* TO gateway@'127.0.0.1'")
    return refusing.url(NAME).replace("root@", "gateway@")


def give(refusing: PrivateMariaDB, *statements: str) -> None:
    """Run statements as root."""
    with refusing.connect() as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def append_only(url: str) -> tuple[bool, str]:
    """The doctor's line about the append-only tables."""
    wired = Wired(url, SteppedClock())
    group = command_group(wired.gateway.parts)
    answer = CliRunner().invoke(group, ["doctor", "--json"])
    wired.close()
    rows = {row["check"]: row for row in json.loads(answer.output)}
    return rows["append-only"]["ok"], rows["append-only"]["found"]


def test_refused_triggers_leave_a_schema_that_works(url: str) -> None:
    database = Database(url)
    database.upgrade()
    assert database.run(triggers.names) == set()
    database.run(lambda c: store.add_movement(c, "a", "issue", "test", START))
    assert movements(database) == ["a"]
    assert database.run(server.missing_triggers) == sorted(triggers.expected())
    database.dispose()


def test_the_doctor_names_what_is_missing_and_what_to_revoke(url: str) -> None:
    database = Database(url)
    database.upgrade()
    database.dispose()
    healthy, found = append_only(url)
    assert not healthy
    assert "tr_entries_no_delete" in found
    assert "revoke UPDATE and DELETE" in found


def test_missing_grants_make_up_for_missing_triggers(url: str, refusing: PrivateMariaDB) -> None:
    database = Database(url)
    database.upgrade()
    database.dispose()
    give(refusing, f"REVOKE ALL ON {NAME}.* FROM gateway@'127.0.0.1'")
    give(refusing, f"GRANT SELECT, INSERT ON {NAME}.* TO gateway@'127.0.0.1'")
    tables = [t for t in metadata.tables if t not in triggers.APPEND_ONLY]
    for table in tables:
        give(refusing, f"GRANT UPDATE, DELETE ON {NAME}.{table} TO gateway@'127.0.0.1'")
    database = Database(url)
    assert database.run(server.missing_triggers) == []
    database.dispose()
    assert append_only(url)[0]


def test_triggers_are_made_by_the_next_upgrade_once_they_are_allowed(
    url: str, refusing: PrivateMariaDB
) -> None:
    database = Database(url)
    database.upgrade()
    give(refusing, "SET GLOBAL log_bin_trust_function_creators = 1")
    database.upgrade()
    give(refusing, "SET GLOBAL log_bin_trust_function_creators = 0")
    assert database.run(triggers.names) == triggers.expected()
    assert database.run(server.missing_triggers) == []
    database.dispose()
