"""The tools the tests stand on do what the tests believe of them."""

import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pymysql
import pytest
from sqlalchemy import create_engine, inspect, text

from gateway.database.engine import Database
from tests.support.clock import SteppedClock
from tests.support.databases import MariaDBSchema
from tests.support.mariadb import MariaDBServer, PrivateMariaDB
from tests.support.races import race

SCHEMA = (
    "CREATE TABLE parents (id INT PRIMARY KEY, twice INT GENERATED ALWAYS AS (id * 2))",
    "CREATE TABLE children (id INT PRIMARY KEY, parent INT REFERENCES parents (id))",
    "CREATE TABLE untouched (id INT PRIMARY KEY, word VARCHAR(9))",
    "CREATE TRIGGER children_stay BEFORE DELETE ON children FOR EACH ROW"
    " SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'append-only'",
    "INSERT INTO parents (id) VALUES (1), (2)",
    "INSERT INTO untouched VALUES (1, 'seed')",
)


@pytest.fixture
def schema(mariadb_server: MariaDBServer, worker_id: str) -> MariaDBSchema:
    """A small schema with seeded rows, a generated column and an append-only table."""
    name = f"support_{worker_id}"

    def migrate(_url: str) -> None:
        with mariadb_server.connect(name) as connection, connection.cursor() as cursor:
            for statement in SCHEMA:
                cursor.execute(statement)

    return MariaDBSchema(mariadb_server, name, migrate)


def query(server: MariaDBServer, name: str, statement: str) -> list[tuple[object, ...]]:
    """Run one statement on a connection of its own."""
    with server.connect(name) as connection, connection.cursor() as cursor:
        cursor.execute(statement)
        return list(cursor.fetchall())


def test_a_restored_schema_holds_just_what_its_migrations_wrote(
    schema: MariaDBSchema, mariadb_server: MariaDBServer
) -> None:
    name = schema.url.rsplit("/", 1)[1]
    query(mariadb_server, name, "INSERT INTO parents (id) VALUES (3)")
    query(mariadb_server, name, "INSERT INTO children VALUES (1, 3), (2, 1)")
    query(mariadb_server, name, "UPDATE parents SET id = 7 WHERE id = 2")
    schema.restore()
    assert query(mariadb_server, name, "SELECT * FROM parents") == [(1, 2), (2, 4)]
    assert query(mariadb_server, name, "SELECT * FROM children") == []
    assert query(mariadb_server, name, "SELECT * FROM untouched") == [(1, "seed")]
    schema.close()


@pytest.mark.parametrize("turn", ["first", "second"])
def test_what_one_test_writes_the_next_does_not_see(database: Database, turn: str) -> None:
    count = text("SELECT COUNT(*) FROM movements")
    movement = "('deposit', 'deposit', :subject, '2026-03-02 09:00:00')"
    insert = text(f"INSERT INTO movements (operation_key, kind, subject, at) VALUES {movement}")
    assert database.run(lambda connection: connection.scalar(count)) == 0
    database.run(lambda connection: connection.execute(insert, {"subject": turn}))
    assert database.run(lambda connection: connection.scalar(count)) == 1


def test_the_url_and_the_database_of_a_test_are_the_same(
    database: Database, database_url: str
) -> None:
    assert database.url.render_as_string(hide_password=False) == database_url


def test_an_unmigrated_database_has_no_table(unmigrated_url: str) -> None:
    engine = create_engine(unmigrated_url)
    assert inspect(engine).get_table_names() == []
    engine.dispose()


def test_a_private_server_is_gone_with_its_folder_after_the_block() -> None:
    with PrivateMariaDB() as server:
        folder = Path(str(query(server, "mysql", "SELECT @@datadir")[0][0])).parent
        process = server.process
        assert folder.is_dir()
    assert process.poll() is not None
    assert not folder.exists()


def test_a_killed_server_comes_back_on_its_port_with_its_data(
    private_mariadb: PrivateMariaDB,
) -> None:
    private_mariadb.create_database("kept")
    query(private_mariadb, "kept", "CREATE TABLE words (word TEXT)")
    query(private_mariadb, "kept", "INSERT INTO words VALUES ('still here')")
    url = private_mariadb.url("kept")
    private_mariadb.kill()
    with pytest.raises(pymysql.err.OperationalError, match="Can't connect"):
        private_mariadb.connect()
    private_mariadb.start()
    assert private_mariadb.url("kept") == url
    assert query(private_mariadb, "kept", "SELECT * FROM words") == [("still here",)]


def test_a_paused_server_can_still_be_stopped(private_mariadb: PrivateMariaDB) -> None:
    private_mariadb.process.send_signal(signal.SIGSTOP)
    private_mariadb.stop()
    assert private_mariadb.process.returncode == 0


def test_options_given_win_over_the_defaults() -> None:
    with PrivateMariaDB(["--innodb-flush-log-at-trx-commit=1"]) as server:
        flush = query(server, "mysql", "SELECT @@innodb_flush_log_at_trx_commit")
    assert flush == [(1,)]


def test_a_wrong_option_is_told_with_the_server_log() -> None:
    with pytest.raises(RuntimeError, match="unknown option '--no-such-option'"):
        PrivateMariaDB(["--no-such-option"]).start()


def test_a_server_dies_with_the_process_that_started_it() -> None:
    program = (
        "import time; from tests.support.mariadb import PrivateMariaDB; s = PrivateMariaDB();"
        "s.start(); print(s.process.pid, s._folder, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid, folder = parent.stdout.readline().decode().split()
        parent.kill()
    deadline = time.monotonic() + 10
    while _runs(int(pid)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _runs(int(pid))
    subprocess.run(["rm", "-r", folder], check=True)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"  # a zombie waits for whoever adopts orphans


def test_racers_run_at_the_same_time_and_answer_in_order() -> None:
    together = threading.Barrier(5)

    def run(number: int) -> int:
        together.wait(10)
        if number == 3:
            raise KeyError(number)
        return number * number

    first, second, third, failed, last = race(5, run)
    assert (first, second, third, last) == (0, 1, 4, 16)
    assert isinstance(failed, KeyError)


def test_the_clock_moves_only_when_it_is_advanced() -> None:
    clock = SteppedClock()
    assert clock.now() == clock.now() == datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    assert clock.advance(hours=1, seconds=1) == datetime(2026, 3, 2, 10, 0, 1, tzinfo=UTC)
    assert clock.now() == datetime(2026, 3, 2, 10, 0, 1, tzinfo=UTC)
