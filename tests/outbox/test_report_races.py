"""Reports racing sends and each other: with the locks none is lost, without them some are."""

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import pytest
from sqlalchemy import Connection, select

from gateway.channels.base import Delivery, Handover
from gateway.database.engine import Database
from gateway.outbox import queue
from gateway.outbox.queue import Lease
from gateway.outbox.reports import store as reports_store
from gateway.outbox.reports.settle import take_in
from gateway.outbox.reports.store import Said, delivery_reports
from gateway.outbox.store import Message, message, outbox
from tests.outbox.rows import CHANNEL, PHONE, Rows, report_of
from tests.support.clock import SteppedClock
from tests.support.races import race

Work = Callable[[Connection], object]
OVERLAP_SECONDS = 0.3


def overlapping(rows: Rows, first: Work, second: Work, seconds: float = OVERLAP_SECONDS) -> None:
    """Do `second` while the transaction of `first` is open: its COMMIT comes a little later."""
    done, committed = threading.Event(), threading.Event()

    def held_open(connection: Connection) -> None:
        first(connection)
        if not done.is_set():
            done.set()
            committed.wait(seconds)

    def run(number: int) -> None:
        if number == 0:
            rows.run(held_open)
            return
        assert done.wait(10)
        rows.run(second)
        committed.set()

    assert race(2, run) == [None, None]


@pytest.fixture
def claimed(rows: Rows) -> Lease:
    """A message being sent."""
    rows.add()
    return rows.claim()[1]


@pytest.fixture
def sends(rows: Rows, claimed: Lease) -> Work:
    """The send returns."""
    return lambda c: queue.sent(c, claimed, CHANNEL, Handover("ATXid_1"), rows.now())


@pytest.fixture
def reports(rows: Rows) -> Work:
    """Its report comes."""
    said = report_of("ATXid_1", Delivery.DELIVERED)
    return lambda c: take_in(c, said, PHONE, rows.now())


def test_a_report_that_races_the_send_is_applied(rows: Rows, sends: Work, reports: Work) -> None:
    overlapping(rows, sends, reports)
    assert rows.states() == ["delivered"]


def test_a_send_that_races_its_report_sees_it(rows: Rows, sends: Work, reports: Work) -> None:
    overlapping(rows, reports, sends)
    assert rows.states() == ["delivered"]


@pytest.fixture
def without_locks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Plain reads in place of the locking ones."""

    def by_message_id(connection: Connection, channel: str, message_id: str) -> Message | None:
        c = outbox.c
        plain = select(outbox).where(c.channel == channel, c.message_id == message_id)
        row = connection.execute(plain).one_or_none()
        return None if row is None else message(row)

    def about(connection: Connection, channel: str, message_id: str) -> list[Said]:
        c = delivery_reports.c
        plain = select(c.delivery, c.status, c.reason).where(c.message_id == message_id)
        return [Said(*row) for row in connection.execute(plain)]

    monkeypatch.setattr(reports_store, "by_message_id", by_message_id)
    monkeypatch.setattr(reports_store, "about", about)
    return iter(())


@pytest.mark.usefixtures("without_locks")
@pytest.mark.parametrize("order", ["send first", "report first"])
def test_without_the_locks_the_report_is_lost(
    mariadb_url: str, clock: SteppedClock, order: str
) -> None:
    database = Database(mariadb_url)
    rows = Rows(database, clock)
    rows.add()
    _, lease = rows.claim()

    def sends(c: Connection) -> None:
        queue.sent(c, lease, CHANNEL, Handover("ATXid_1"), rows.now())

    def reports(c: Connection) -> None:
        take_in(c, report_of("ATXid_1", Delivery.DELIVERED), PHONE, rows.now())

    pair = (sends, reports) if order == "send first" else (reports, sends)
    overlapping(rows, *pair, seconds=10)  # nothing waits for anything: it ends at once
    assert rows.states() == ["sent"]
    database.dispose()


def test_the_same_report_many_times_at_once_is_kept_once(rows: Rows) -> None:
    rows.add()
    rows.sent(rows.claim()[1])
    assert race(6, lambda _: rows.report("ATXid_1")) == [True] * 6
    assert rows.reports() == [("ATXid_1", "Success")]
    assert rows.states() == ["delivered"]


def test_two_final_words_at_once_leave_one_state(rows: Rows) -> None:
    words = (Delivery.FAILED, Delivery.DELIVERED)
    expected = {"delivered": None, "failed": "Failed"}
    for number in range(5):
        row = rows.add()
        name = f"ATXid_{number}"
        rows.sent(rows.claim()[1], name)
        race(2, partial(_reported, rows, name, words))
        settled = rows.row(row)
        assert settled.reason == expected[settled.state]


def _reported(rows: Rows, name: str, words: Sequence[Delivery], number: int) -> bool:
    return rows.report(name, words[number])


def test_two_ids_at_once_for_one_send_without_an_answer_do_not_share_it(rows: Rows) -> None:
    for number in range(5):
        row = rows.add()
        rows.unknown(rows.claim()[1])
        names = [f"ATXid_{number}a", f"ATXid_{number}b"]
        known = race(2, partial(_named, rows, names))
        assert sorted(map(str, known)) == ["False", "True"]
        assert rows.row(row).message_id == names[known.index(True)]


def _named(rows: Rows, names: Sequence[str], number: int) -> bool:
    return rows.report(names[number])
