"""A database that is paused, killed, locked or forgets us: a screen in time, and nothing lost."""

import os
import signal
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.emulators.africastalking import SmsApi
from tests.emulators.posting import Answer
from tests.end_to_end.calls import (
    balance,
    books_are_sound,
    form,
    in_time,
    is_last_screen,
    issue,
    phone,
    post,
)
from tests.support.databases import migrate
from tests.support.mariadb import PrivateMariaDB
from tests.support.races import race
from tests.support.serving import Installed, production_env

IDLE_SECONDS = 2


@pytest.fixture
def server() -> Iterator[PrivateMariaDB]:
    """A server for this test alone, which drops connections that are idle for long."""
    with PrivateMariaDB([f"--wait-timeout={IDLE_SECONDS}"]) as started:
        started.create_database("gateway")
        migrate(started.url("gateway"))
        yield started


@pytest.fixture
def on_own_server(server: PrivateMariaDB, api: SmsApi, tmp_path: Path) -> Installed:
    """A production installation on that server."""
    return Installed(tmp_path, production_env(server.url("gateway"), api.url))


def test_a_paused_database_ends_the_call_in_time_and_pays_nothing_twice(
    on_own_server: Installed, server: PrivateMariaDB
) -> None:
    with on_own_server.web(processes=2) as web:
        tokens = [issue(on_own_server, to=phone(number)) for number in range(4)]
        server.process.send_signal(signal.SIGSTOP)
        try:
            with in_time(3.5):  # four at once on busy cores
                answers = race(
                    4,
                    lambda n: post(web, form(f"1*{tokens[n].digits}", f"s{n}", phone(n))),
                )
        finally:
            server.process.send_signal(signal.SIGCONT)
        assert all(isinstance(answer, Answer) and is_last_screen(answer) for answer in answers)
        for number, token in enumerate(tokens):
            post(web, form(f"1*{token.digits}", f"again{number}", phone(number)))
    assert [balance(on_own_server, phone(number)) for number in range(4)] == ["500.00"] * 4
    assert books_are_sound(on_own_server)


def test_a_database_that_is_killed_and_comes_back_is_used_again_without_a_restart(
    on_own_server: Installed, server: PrivateMariaDB, api: SmsApi
) -> None:
    with on_own_server.web() as web, on_own_server.worker():
        token = issue(on_own_server)
        api.wait_for_requests(1)
        assert post(web, form("")).text.startswith("CON ")
        server.kill()
        with in_time():
            assert is_last_screen(post(web, form("1")))
        time.sleep(1.0)  # the worker meets the outage too
        server.start()
        answer = post(web, form(f"1*{token.digits}", "ATUid_2"))
        assert "NGN 500.00" in answer.text
        assert post(web, form(f"1*{token.digits}", "ATUid_2")) == answer
        api.wait_for_requests(2, seconds=15)  # the receipt
    assert balance(on_own_server) == "500.00"
    assert books_are_sound(on_own_server)


def test_processes_that_were_idle_beyond_the_servers_patience_carry_on(
    on_own_server: Installed, api: SmsApi
) -> None:
    with on_own_server.web() as web, on_own_server.worker():
        post(web, form(""))
        time.sleep(IDLE_SECONDS + 1.5)
        token = issue(on_own_server)
        assert "NGN 500.00" in post(web, form(f"1*{token.digits}", "ATUid_2")).text
        api.wait_for_requests(1, seconds=10)


def test_a_locked_sqlite_file_ends_the_call_in_time(on_sqlite: Installed) -> None:
    with on_sqlite.web(processes=2) as web:
        token = issue(on_sqlite)
        file = on_sqlite.env["GATEWAY_DATABASE_URL"].removeprefix("sqlite:///")
        other = sqlite3.connect(file, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with in_time(3.5):
            answers = race(6, lambda n: post(web, form(f"1*{token.digits}", f"s{n}")))
        other.execute("ROLLBACK")
        other.close()
        assert all(isinstance(answer, Answer) and is_last_screen(answer) for answer in answers)
        assert "NGN 500.00" in post(web, form(f"1*{token.digits}", "after")).text
    assert balance(on_sqlite) == "500.00"
    assert books_are_sound(on_sqlite)


def test_a_database_that_is_away_at_the_start_is_waited_for(
    on_own_server: Installed, server: PrivateMariaDB
) -> None:
    server.kill()
    with on_own_server.web() as web:
        with in_time():
            assert is_last_screen(post(web, form("")))
        server.start()
        assert post(web, form("", "ATUid_2")).text.startswith("CON ")
    assert os.path.exists(web.log)
    assert "Traceback" not in web.text()
