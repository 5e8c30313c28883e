"""A database that is away, slow or silent at COMMIT: a proper last screen in time (E7, U13)."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, text

from gateway.database.engine import Database
from tests.menus.paying import looked, opened
from tests.outlets.staging import AMA
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.mariadb import PrivateMariaDB
from tests.support.wired import ADA, Wired
from tests.ussd.posting import FORM, PATH, form, play, post

TRY_AGAIN = b"END Sorry, we are busy. Nothing was changed. Please try again."
NOT_CONFIRMED = b"END Not confirmed. If it worked, you will get an SMS."
TURN_SECONDS_MAX = 3.0  # of a turn whose deadline is 2.5 s, on a machine that does more besides


@contextmanager
def in_time() -> Iterator[None]:
    started = time.monotonic()
    yield
    assert time.monotonic() - started <= TURN_SECONDS_MAX


@contextmanager
def locked(database: Database, wired: Wired) -> Iterator[None]:
    """Another connection holds what a turn needs: on SQLite the file, on MariaDB the row."""
    with database.engine.connect() as connection:
        if not database.is_sqlite:
            connection.execute(text("SELECT state_key FROM ussd_sessions FOR UPDATE")).all()
        connection.execute(text("UPDATE ussd_sessions SET network = network"))
        yield
        connection.rollback()


def test_a_locked_dialogue_ends_in_time_and_goes_on_afterwards(
    wired: Wired, database_url: str
) -> None:
    token = wired.issue().reveal()
    play(wired, "", "1")
    other = Database(database_url)
    with locked(other, wired), in_time():
        assert post(wired, f"1*{token}") == TRY_AGAIN
    other.dispose()
    assert wired.balance() == Decimal("0.00")
    assert post(wired, f"1*{token}").startswith(b"END You have received NGN 100.00.")


def test_a_wait_that_ends_in_time_is_answered(wired: Wired, database_url: str) -> None:
    token = wired.issue().reveal()
    play(wired, "", "1")
    other, held, release = Database(database_url), threading.Event(), threading.Event()

    def hold() -> None:
        with locked(other, wired):
            held.set()
            release.wait(1.0)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(5.0)
    with in_time():
        assert post(wired, f"1*{token}").startswith(b"END You have received")
    holder.join()
    other.dispose()


def test_a_server_that_goes_silent_ends_the_turn_in_time(
    private_mariadb: PrivateMariaDB, clock: SteppedClock
) -> None:
    with served(private_mariadb, clock) as wired:
        token = wired.issue().reveal()
        play(wired, "", "1")
        private_mariadb.process.send_signal(signal.SIGSTOP)
        try:
            with in_time():
                assert post(wired, f"1*{token}") == TRY_AGAIN
            with in_time():
                assert post(wired, "", "S2") == TRY_AGAIN
        finally:
            private_mariadb.process.send_signal(signal.SIGCONT)
        assert post(wired, f"1*{token}").startswith(b"END You have received NGN 100.00.")
        assert wired.balance() == Decimal("100.00")
        assert wired.breaches() == []


def test_a_server_that_is_gone_ends_the_turn_in_time(
    private_mariadb: PrivateMariaDB, clock: SteppedClock
) -> None:
    with served(private_mariadb, clock) as wired:
        post(wired, "")
        private_mariadb.kill()
        with in_time():
            assert post(wired, "1") == TRY_AGAIN
        events = wired.app.test_client().post(
            f"{PATH}/events", data=form("") + b"&status=Success", content_type=FORM
        )
        assert (events.status_code, events.get_data()) == (503, b"try again")


@contextmanager
def served(server: PrivateMariaDB, clock: SteppedClock) -> Iterator[Wired]:
    server.create_database("faults")
    database = Database(server.url("faults"))
    database.upgrade()
    database.dispose()
    wired = Wired(server.url("faults"), clock)
    yield wired
    wired.close()


@contextmanager
def commits_lost(wired: Wired, url: str, lost: int) -> Iterator[None]:
    """The server is told to drop the connection when COMMIT is next."""
    left, killer = [lost], Database(url)

    def drop(connection: Connection) -> None:
        if left[0]:
            left[0] -= 1
            number = connection.connection.dbapi_connection.thread_id()  # type: ignore[union-attr]
            killer.run(lambda c: c.exec_driver_sql(f"KILL CONNECTION {number}"))

    event.listen(wired.gateway.database.engine, "commit", drop)
    yield
    event.remove(wired.gateway.database.engine, "commit", drop)
    killer.dispose()


def test_a_cashier_is_told_where_to_look_as_no_sms_will_come(
    mariadb_url: str, clock: SteppedClock
) -> None:
    wired = Wired(mariadb_url, clock)
    opened(wired)
    call = looked(wired, wired.issue("60.00").reveal())
    with commits_lost(wired, mariadb_url, 100):
        said = call.post(f"{call.text}*1")
    assert said == "END Not confirmed. Hand out nothing. Dial again: 6, 3 Last five."
    assert "Nothing was paid yet." in wired.dial(AMA, text="6*3").body
    till = wired.dial(AMA, text="6*5*500")
    with commits_lost(wired, mariadb_url, 100):
        said = till.post(f"{till.text}*1")
    assert said == "END Not confirmed. Dial again: 6 shows how your till stands."
    wired.close()


@pytest.mark.parametrize("lost", [1, 100])
def test_a_lost_commit_is_repeated_and_else_said_to_be_unconfirmed(
    mariadb_url: str, clock: SteppedClock, lost: int
) -> None:
    wired = Wired(mariadb_url, clock)
    token = wired.issue().reveal()
    play(wired, "", "1")
    with commits_lost(wired, mariadb_url, lost), in_time():
        reply = post(wired, f"1*{token}")
    assert reply.startswith(b"END You have received" if lost == 1 else NOT_CONFIRMED)
    assert post(wired, f"1*{token}").startswith(b"END You have received NGN 100.00.")
    assert wired.balance() == Decimal("100.00")
    assert wired.breaches() == []
    wired.close()


def test_a_database_without_tables_shows_no_exception(tmp_path: Path, clock: SteppedClock) -> None:
    with captured_log() as log:
        wired = Wired(f"sqlite:///{tmp_path / 'empty.db'}", clock)
        assert post(wired, "1*490750293453273258") == TRY_AGAIN
        assert '"ussd_turn_failed"' in log.text()
        assert "490750293453273258" not in log.text()
        wired.close()


def test_a_redemption_does_not_wait_for_the_sms(wired: Wired) -> None:
    """The receipt is a row; nothing is sent before a worker comes by."""
    token = wired.issue().reveal()
    with in_time():
        assert post(wired, f"1*{token}", phone=ADA).startswith(b"END You have received")
    assert wired.gateway.inbox(ADA) == []
    assert wired.send_all() == 1
    assert "100.00" in wired.gateway.inbox(ADA)[0].text
