"""Real worker processes that are killed, stopped, doubled, and cut off from their database."""

import signal
import time
from datetime import timedelta
from pathlib import Path

from sqlalchemy import update

from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.outbox.queue import REPORT_WAIT
from gateway.outbox.store import outbox
from tests.emulators.africastalking import SmsApi
from tests.emulators.africastalking_answers import slow
from tests.outbox.rows import Rows
from tests.outbox.senders import until
from tests.support.databases import migrate
from tests.support.mariadb import PrivateMariaDB
from tests.support.serving import Installed, production_env

STOP_SECONDS_MAX = 12.0
MESSAGES = 20


def age(rows: Rows, by: timedelta) -> None:
    """Let so much time have passed for every message that waits."""
    for message in rows.all():
        lease = message.lease_until
        values = {"changed_at": message.changed_at - by, "lease_until": lease and lease - by}
        rows.run(
            lambda c, row=message.id, values=values: c.execute(  # type: ignore[misc]
                update(outbox).where(outbox.c.id == row).values(values)
            )
        )


def test_a_worker_killed_in_mid_send_loses_nothing(
    installed: Installed, rows: Rows, api: SmsApi
) -> None:
    for _ in range(3):
        rows.add()
    api.script(slow(30))
    with installed.worker("--threads", "1", name="first") as first:
        api.wait_for_requests(1, seconds=15)
        first.popen.kill()
        first.popen.wait()
    assert rows.states() == ["sending", "queued", "queued"]
    with installed.worker("--threads", "2", name="second"):
        until(lambda: rows.states() == ["sending", "sent", "sent"])
        age(rows, timedelta(minutes=1))
        until(lambda: rows.states() == ["unknown", "sent", "sent"])
        time.sleep(0.5)
        assert len(api.requests) == 3  # a report about the first may still come
        age(rows, REPORT_WAIT)
        until(lambda: rows.states() == ["sent"] * 3)
    assert [request.text for request in api.requests] == [api.requests[0].text] * 4


def test_a_report_settles_what_a_killed_worker_was_sending(
    installed: Installed, rows: Rows, api: SmsApi
) -> None:
    rows.add()
    api.script(slow(30))
    with installed.worker(name="first") as first:
        api.wait_for_requests(1, seconds=15)
        first.popen.kill()
        first.popen.wait()
    assert not rows.report(api.requests[0].message_id)
    age(rows, timedelta(minutes=1))
    with installed.worker(name="second"):
        until(lambda: rows.states() != ["sending"])
        # The lease was moved into the past together with the claim, the report came after it.
        assert rows.states() == ["delivered"]
    assert len(api.requests) == 1


def test_a_stopped_worker_finishes_its_send_and_holds_no_lease(
    installed: Installed, rows: Rows, api: SmsApi
) -> None:
    for _ in range(4):
        rows.add()
    api.usual = slow(1.5)
    with installed.worker("--threads", "2") as worker:
        api.wait_for_requests(2, seconds=15)
        began = time.monotonic()
        assert worker.stop(signal.SIGTERM) == 0
        assert time.monotonic() - began < STOP_SECONDS_MAX
    assert sorted(rows.states()) == ["queued", "queued", "sent", "sent"]
    assert "worker_stopped" in worker.text()


def test_an_idle_worker_stops_at_once(installed: Installed) -> None:
    with installed.worker() as worker:
        began = time.monotonic()
        assert worker.stop(signal.SIGINT) == 0
        assert time.monotonic() - began < STOP_SECONDS_MAX / 2


def test_two_processes_hand_each_message_over_once(
    installed: Installed, rows: Rows, api: SmsApi
) -> None:
    api.usual = slow(0.5)
    with installed.worker(name="first"), installed.worker(name="second"):
        for _ in range(MESSAGES):
            rows.add()
        until(lambda: rows.states() == ["sent"] * MESSAGES, seconds=40)
    assert len(api.requests) == MESSAGES
    assert {message.attempts for message in rows.all()} == {1}
    holders = {str(message.lease_by).split(":")[1] for message in rows.all()}
    assert len(holders) == 2  # both had their share


def test_a_worker_carries_on_after_its_database_was_away(
    tmp_path: Path, private_mariadb: PrivateMariaDB, api: SmsApi
) -> None:
    private_mariadb.create_database("gateway")
    url = private_mariadb.url("gateway")
    migrate(url)
    installed = Installed(tmp_path, production_env(url, api.url))
    database = Database(url)
    rows = Rows(database, Clock())
    with installed.worker("--threads", "2") as worker:
        private_mariadb.kill()
        worker.wait_for("worker_waits_for_database")
        private_mariadb.start()
        database.dispose()
        rows.add()
        until(lambda: rows.states() == ["sent"], seconds=30)
        assert worker.popen.poll() is None
        private_mariadb.kill()
        assert worker.stop() == 0
    private_mariadb.start()  # so that stopping it finds it running
    database.dispose()
    assert len(api.requests) == 1


def test_a_single_run_sends_what_is_due_and_ends(
    installed: Installed, rows: Rows, api: SmsApi
) -> None:
    rows.add()
    rows.add()
    done = installed.command("worker", "--once")
    assert (done.returncode, done.stdout) == (0, "2 messages handled\n")
    assert rows.states() == ["sent", "sent"]
    assert installed.command("worker", "--once").stdout == "0 messages handled\n"


def test_a_single_run_ends_when_the_aggregator_is_away(installed: Installed, rows: Rows) -> None:
    for _ in range(3):
        rows.add()
    installed.env["AFRICASTALKING_BASE_URL"] = "http://127.0.0.1:9"
    done = installed.command("worker", "--once")
    assert (done.returncode, done.stdout) == (0, "1 messages handled\n")
    assert rows.states() == ["queued"] * 3
