"""A server that hangs, and a file another process has locked, never outlast the caller's time."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, text

from gateway.database.engine import Database, Deadline
from gateway.errors import DeadlineExceeded, TryAgain
from gateway.ledger import store
from tests.support.clock import START
from tests.support.databases import migrate
from tests.support.mariadb import PrivateMariaDB
from tests.support.money_rows import movements

SECONDS = 0.6
GRACE_SECONDS = 0.8
HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.readline()
connection.execute("COMMIT")
"""


@pytest.fixture(scope="module")
def server() -> Iterator[PrivateMariaDB]:
    """A server to be paused."""
    with PrivateMariaDB() as mariadb:
        mariadb.create_database("paused")
        migrate(mariadb.url("paused"))
        yield mariadb


@pytest.fixture
def database(server: PrivateMariaDB) -> Iterator[Database]:
    """Its database, with an empty pool."""
    with server.connect("paused") as connection, connection.cursor() as cursor:
        cursor.execute("SET foreign_key_checks = 0")
        cursor.execute("TRUNCATE movements")
    opened = Database(server.url("paused"))
    yield opened
    server.process.send_signal(signal.SIGCONT)
    opened.dispose()


def add(connection: Connection) -> int:
    """A row that must not appear later."""
    return store.add_movement(connection, "late", "issue", "test", START)


def assert_in_time(database: Database, work: object = add) -> None:
    """The work is given up for certain, within its time."""
    started = time.monotonic()
    with pytest.raises(TryAgain):
        database.run(work, deadline=Deadline(SECONDS))  # type: ignore[arg-type]
    assert time.monotonic() - started < SECONDS + GRACE_SECONDS


def test_a_paused_server_is_left_in_time_over_a_warm_connection(
    database: Database, server: PrivateMariaDB
) -> None:
    database.run(lambda c: c.execute(text("SELECT 1")))
    server.process.send_signal(signal.SIGSTOP)
    assert_in_time(database)
    server.process.send_signal(signal.SIGCONT)
    time.sleep(0.3)
    assert movements(database) == []


def test_a_paused_server_is_left_in_time_with_an_empty_pool(
    database: Database, server: PrivateMariaDB
) -> None:
    server.process.send_signal(signal.SIGSTOP)
    assert_in_time(database)
    assert_in_time(database)
    server.process.send_signal(signal.SIGCONT)
    time.sleep(0.3)
    assert movements(database) == []


def test_a_server_paused_before_the_rollback_is_left_in_time(
    database: Database, server: PrivateMariaDB
) -> None:
    database.run(lambda c: c.execute(text("SELECT 1")))
    begun = time.monotonic()

    def work(connection: Connection) -> None:
        add(connection)
        server.process.send_signal(signal.SIGSTOP)
        time.sleep(max(0.0, begun + SECONDS - time.monotonic()) + 0.01)
        add(connection)

    assert_in_time(database, work)
    server.process.send_signal(signal.SIGCONT)
    time.sleep(0.3)
    assert movements(database) == []


def test_a_server_paused_before_commit_is_left_in_time(
    database: Database, server: PrivateMariaDB
) -> None:
    def work(connection: Connection) -> None:
        add(connection)
        server.process.send_signal(signal.SIGSTOP)
        raise DeadlineExceeded("given up by the work itself")

    assert_in_time(database, work)
    server.process.send_signal(signal.SIGCONT)
    time.sleep(0.3)
    assert movements(database) == []


def test_the_line_works_again_after_the_pause(database: Database, server: PrivateMariaDB) -> None:
    database.run(lambda c: c.execute(text("SELECT 1")))
    server.process.send_signal(signal.SIGSTOP)
    assert_in_time(database)
    server.process.send_signal(signal.SIGCONT)
    database.run(add, deadline=Deadline(2.5))
    assert movements(database) == ["late"]


def test_a_file_locked_by_another_process_is_left_in_time(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    database.run(lambda c: c.execute(text("SELECT 1")))
    file = str(database.url.database)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"locked\n"
        assert_in_time(database)
        cold = Database(sqlite_url)
        assert_in_time(cold)
        with database.snapshot() as connection:  # readers do not wait for the writer
            assert connection.execute(text("SELECT COUNT(*) FROM movements")).scalar() == 0
        holder.communicate(b"\n")
    assert movements(database) == []
    database.run(add, deadline=Deadline(2.5))
    assert movements(database) == ["late"]
    database.dispose()
    cold.dispose()


def test_a_lock_given_back_in_time_is_waited_for(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    file = str(database.url.database)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == b"locked\n"
        holder.stdin.write(b"\n")
        holder.stdin.flush()
        database.run(add, deadline=Deadline(2.5))
    assert movements(database) == ["late"]
    database.dispose()
