"""The worker runs tasks beside its senders: on threads of their own, and in a single run."""

import threading

import pytest

from gateway.outbox import queue
from gateway.outbox.tasks import QUERY
from gateway.worker import Worker
from tests.outbox.performing import Pays, stage
from tests.outbox.rows import Rows
from tests.outbox.senders import channel, emulated, rows_of, sender, until
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.serving import Installed
from tests.support.wired import Wired


def test_tasks_and_texts_are_both_handled_until_the_worker_is_stopped(wired: Wired) -> None:
    rows: Rows = rows_of(wired)
    on = stage(rows, Pays())
    with emulated() as api:
        senders = [sender(wired, [channel(api.url)])]
        worker = Worker(senders, [], [on.runner(f"r{n}") for n in range(2)])
        thread = threading.Thread(target=worker.run)
        thread.start()
        rows.add()
        on.add("1")
        on.add("2", line=QUERY)
        until(lambda: rows.states() == ["sent"] * 3)
        worker.stop()
        thread.join(10)
        assert not thread.is_alive()


def test_a_single_run_drains_both_also_what_one_queues_for_the_other(wired: Wired) -> None:
    rows: Rows = rows_of(wired)
    on = stage(rows, Pays(call=rows.add))
    with emulated() as api:
        rows.add()
        on.add("1")
        on.add("2")
        worker = Worker([sender(wired, [channel(api.url)])], [], [on.runner()])
        assert worker.drain() == 5
    assert rows.states() == ["sent"] * 5


def test_a_task_that_fails_unexpectedly_stops_no_thread(
    wired: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.worker.BROKEN_SECONDS", 0.05)
    rows: Rows = rows_of(wired)
    on = stage(rows, Pays())
    runner = on.runner()
    faults = [ZeroDivisionError()]
    step = runner.run_next

    def once_broken() -> bool:
        if faults:
            raise faults.pop()
        return step()

    monkeypatch.setattr(runner, "run_next", once_broken)
    with captured_log() as log:
        worker = Worker([], [], [runner])
        thread = threading.Thread(target=worker.run)
        thread.start()
        on.add("1")
        until(lambda: rows.states() == ["sent"])
        worker.stop()
        thread.join(10)
        assert "worker_step_failed" in log.text()


def test_the_wired_gateway_settles_lost_tasks_with_lost_messages(
    wired: Wired, clock: SteppedClock
) -> None:
    rows: Rows = rows_of(wired)
    text, task = rows.add(), stage(rows).add("1", line=QUERY)
    for row in (text, task):
        rows.claim("dies", row)
    clock.advance(seconds=61)
    with captured_log():
        assert wired.gateway.settle_messages() == 2
    assert [rows.state(text), rows.state(task)] == ["unknown", "queued"]


def test_a_real_worker_leaves_a_task_it_does_not_know_for_a_newer_one(
    installed: Installed, rows: Rows
) -> None:
    rows.run(lambda c: queue.add(c, "x", "of_a_newer_version", "1", "", "", rows.now(), line=QUERY))
    assert installed.command("worker", "--once").stdout == "1 messages handled\n"
    (row,) = rows.all()
    assert (row.state, row.attempts, row.reason) == (
        "queued",
        0,
        "no task for of_a_newer_version",
    )
