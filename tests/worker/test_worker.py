"""The worker's threads: a failing task is tried again, and stopping ends them all."""

import threading
import time

from gateway.errors import TryAgain
from gateway.worker import Worker
from tests.outbox.rows import Rows
from tests.outbox.senders import channel, emulated, rows_of, sender, until
from tests.support.log import captured_log
from tests.support.wired import Wired


def running(worker: Worker) -> threading.Thread:
    """The worker, on a thread of its own."""
    thread = threading.Thread(target=worker.run)
    thread.start()
    return thread


def test_housekeeping_that_fails_is_tried_again_and_said(wired: Wired) -> None:
    tries: list[float] = []

    def away() -> None:
        tries.append(time.monotonic())
        raise TryAgain("no connection")

    def broken() -> None:
        raise ZeroDivisionError

    with captured_log() as log:
        worker = Worker([], [(1, away), (1, broken)])
        thread = running(worker)
        until(lambda: len(tries) >= 2)
        worker.stop()
        thread.join(10)
        events = {line["event"]: line["level"] for line in log.lines()}
    assert not thread.is_alive()
    assert events["housekeeping_waits_for_database"] == "warning"
    assert events["housekeeping_failed"] == "error"


def test_every_sender_sends_until_it_is_stopped(wired: Wired) -> None:
    rows: Rows = rows_of(wired)
    with emulated() as api:
        senders = [sender(wired, [channel(api.url)], worker=f"w{n}") for n in range(3)]
        worker = Worker(senders, [])
        thread = running(worker)
        for _ in range(3):
            rows.add()
        until(lambda: rows.states() == ["sent"] * 3)
        worker.stop()
        thread.join(10)
        assert not thread.is_alive()
        rows.add()
        assert worker.drain() == 0  # stopped is stopped
    assert rows.states() == ["sent"] * 3 + ["queued"]
