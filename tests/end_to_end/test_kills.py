"""Processes that are killed or stopped in the middle of their work."""

import os
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPException

import pymysql
import pytest
from sqlalchemy.engine import make_url

from tests.emulators.africastalking import SmsApi
from tests.emulators.africastalking_answers import hang, slow
from tests.emulators.posting import Answer
from tests.end_to_end.calls import (
    Token,
    balance,
    books_are_sound,
    form,
    in_time,
    issue,
    phone,
    post,
)
from tests.support.serving import Installed, Web, is_gone


@contextmanager
def token_held(installed: Installed, token: Token) -> Iterator[Callable[[], None]]:
    """Lock what redeeming the token needs, from this process; call the given to let go."""
    url = make_url(installed.env["GATEWAY_DATABASE_URL"])
    if url.get_backend_name() == "sqlite":
        file = sqlite3.connect(str(url.database), isolation_level=None, check_same_thread=False)
        file.execute("BEGIN IMMEDIATE")
        release, close = file.rollback, file.close
    else:
        line = pymysql.connect(
            host=url.host, port=url.port or 3306, user=url.username, database=url.database
        )
        with line.cursor() as cursor:
            cursor.execute("SELECT id FROM tokens WHERE serial = %s FOR UPDATE", (token.serial,))
        release, close = line.rollback, line.close
    try:
        yield release
    finally:
        close()


def test_a_web_worker_killed_in_mid_redemption_pays_nothing_and_the_retry_pays_once(
    installed: Installed,
) -> None:
    with installed.web(processes=2) as web, ThreadPoolExecutor(1) as threads:
        token = issue(installed)
        turn = form(f"1*{token.digits}")
        with token_held(installed, token) as release:
            under_way = threads.submit(post, web, turn)
            time.sleep(0.7)
            for worker in web.children():
                os.kill(worker, signal.SIGKILL)
            with pytest.raises(OSError, match=r".*"):
                under_way.result(10)
            release()
        wait_for_workers(web)
        answer = post(web, turn)
        assert "NGN 500.00" in answer.text
        assert post(web, turn) == answer
    assert balance(installed) == "500.00"
    assert books_are_sound(installed)


def wait_for_workers(web: Web) -> None:
    """Return when gunicorn has put new workers in the place of the killed ones."""
    end = time.monotonic() + 15
    while time.monotonic() < end:
        try:
            post(web, b"", "/nowhere")
        except (OSError, HTTPException):
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("no worker came back")


def redeemed_despite_all(web: Web, token: Token, caller: str) -> Answer:
    """Post the same turn until it is paid, as a gateway and its caller would."""
    turn = form(f"1*{token.digits}", f"ATUid_{token.serial}", caller)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            answer = post(web, turn)
        except (OSError, HTTPException):
            time.sleep(0.1)
            continue
        if "NGN 500.00" in answer.text:
            return answer
    raise RuntimeError(f"{caller} was never paid")


def test_workers_killed_under_load_lose_and_double_nothing(installed: Installed) -> None:
    with installed.web(processes=2) as web, ThreadPoolExecutor(8) as threads:
        for _ in range(3):
            tokens = [issue(installed, to=phone(number)) for number in range(4)]
            paid = [
                threads.submit(redeemed_despite_all, web, token, phone(number))
                for number, token in enumerate(tokens)
            ]
            time.sleep(0.01)
            for worker in web.children():
                os.kill(worker, signal.SIGKILL)
            assert all("NGN 500.00" in turn.result(60).text for turn in paid)
    assert [balance(installed, phone(number)) for number in range(4)] == ["1500.00"] * 4
    assert books_are_sound(installed)


def test_a_graceful_stop_lets_requests_under_way_finish(installed: Installed) -> None:
    token = issue(installed)
    turn = form(f"1*{token.digits}")
    with installed.web(processes=2) as web, ThreadPoolExecutor(2) as threads:
        workers = web.children()
        with token_held(installed, token) as release:
            under_way = threads.submit(post, web, turn)
            time.sleep(0.5)
            web.popen.send_signal(signal.SIGTERM)
            time.sleep(0.5)
            late = threads.submit(post, web, form("", "too-late"))
            time.sleep(0.2)
            release()
        answer = under_way.result(10)
        assert "NGN 500.00" in answer.text
        with pytest.raises(OSError, match=r".*"):
            late.result(20)
        assert web.popen.wait(15) == 0
        assert all(map(is_gone, workers))
    with installed.web("next", processes=2) as web:
        assert post(web, turn) == answer
        assert post(web, form("", "too-late")).text.startswith("CON ")
    assert balance(installed) == "500.00"
    assert books_are_sound(installed)


def test_a_provider_that_hangs_keeps_no_caller_waiting(installed: Installed, api: SmsApi) -> None:
    api.usual = hang(30, takes=True)
    with installed.web(processes=2) as web, installed.worker("--threads", "1"):
        token = issue(installed)
        api.wait_for_requests(1)
        with in_time():
            assert "NGN 500.00" in post(web, form(f"1*{token.digits}")).text
        with in_time():
            assert post(web, form("", "another")).text.startswith("CON ")
        assert len(api.requests) == 1  # the receipt is queued behind
    assert balance(installed) == "500.00"


def test_a_worker_killed_in_mid_send_sends_nothing_twice(installed: Installed, api: SmsApi) -> None:
    api.usual = slow(3)
    with installed.worker() as worker:
        token = issue(installed)
        api.wait_for_requests(1)
        os.kill(worker.pid, signal.SIGKILL)
        worker.popen.wait()
    api.usual = slow(0)
    with installed.worker(name="second"):
        time.sleep(3)
    assert len(api.requests) == 1
    assert installed.json("tokens", "show", token.serial)["status"] == "issued"
    assert books_are_sound(installed)


def test_a_worker_stops_cleanly_and_finishes_its_send(installed: Installed, api: SmsApi) -> None:
    api.usual = slow(1)
    with installed.worker() as worker:
        token = issue(installed)
        api.wait_for_requests(1)
        assert worker.stop() == 0
    assert installed.json("tokens", "show", token.serial)["messages"] == ["token sent"]
