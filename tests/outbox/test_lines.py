"""The lines of the outbox: what is no SMS is never taken, counted or shown as one."""

from datetime import timedelta

from sqlalchemy import Connection

from gateway.outbox import queue, store
from gateway.outbox.queue import Lease
from gateway.outbox.reports import store as reports_store
from gateway.outbox.store import State
from tests.outbox.rows import PHONE, Rows
from tests.support.clock import SteppedClock

PAYOUT = "payout"


def add_payout(rows: Rows, cause: str = "payout:1", after: timedelta = timedelta(0)) -> int:
    """Queue a payout to the same phone; its row."""

    def work(connection: Connection) -> None:
        now = rows.now()
        queue.add(connection, cause, "pay", "1", PHONE, "en", now, line=PAYOUT, due_at=now + after)

    rows.run(work)
    return next(row.id for row in rows.all() if row.cause == cause)


def test_a_claim_takes_rows_of_its_own_line_only(rows: Rows) -> None:
    payout = add_payout(rows)
    assert rows.run(lambda c: queue.claim_next(c, "w1", rows.now())) is None
    text = rows.add()
    assert rows.claim()[0].id == text
    taken = rows.run(lambda c: queue.claim_next(c, "w2", rows.now(), PAYOUT))
    assert taken is not None
    assert (taken.id, taken.line) == (payout, PAYOUT)
    assert rows.run(lambda c: queue.claim_next(c, "w3", rows.now(), PAYOUT)) is None


def test_a_row_may_be_queued_for_a_later_time_and_for_nobody(
    rows: Rows, clock: SteppedClock
) -> None:
    due = clock.now() + timedelta(minutes=5)
    added = ("cause", "ask", "1", "", "", clock.now(), {"provider": "mpesa"})
    assert rows.run(lambda c: queue.add_once(c, *added, line="query", due_at=due))
    assert not rows.run(lambda c: queue.add_once(c, *added, line="query", due_at=due))
    assert rows.run(lambda c: queue.claim_next(c, "w1", rows.now(), "query")) is None
    clock.advance(minutes=5)
    taken = rows.run(lambda c: queue.claim_next(c, "w1", rows.now(), "query"))
    assert taken is not None
    assert (taken.recipient, taken.details["provider"]) == ("", "mpesa")


def test_a_lapsed_or_unknown_task_is_left_to_its_own_settling(
    rows: Rows, clock: SteppedClock
) -> None:
    lapsed, unknown = add_payout(rows, "one"), add_payout(rows, "two")
    for row in (lapsed, unknown):
        rows.claim("w1", row)
    rows.run(lambda c: store.move(c, unknown, (State.SENDING,), State.UNKNOWN, rows.now()))
    clock.advance(hours=1)
    assert rows.settle() == 0
    assert (rows.state(lapsed), rows.state(unknown)) == ("sending", "unknown")


def test_a_task_is_neither_billed_nor_shown_in_the_inbox_nor_waited_for_as_a_text(
    rows: Rows, clock: SteppedClock
) -> None:
    payout = add_payout(rows)
    assert rows.run(store.oldest_queued) is None
    rows.claim("w1", payout)
    rows.sent(Lease(payout, "w1"), "")
    day_ago = clock.now() - timedelta(days=1)
    assert rows.run(lambda c: store.handed_over_since(c, day_ago)) == 0
    assert rows.run(lambda c: queue.inbox(c, PHONE)) == []


def test_a_report_about_a_nameless_text_is_not_confused_by_a_payout_to_the_phone(
    rows: Rows,
) -> None:
    text, payout = rows.add(), add_payout(rows)
    rows.unknown(rows.claim("w1", text)[1])
    rows.claim("w2", payout)
    since = rows.now() - timedelta(days=1)
    lone = rows.run(lambda c: reports_store.only_nameless(c, PHONE, since))
    assert lone is not None
    assert lone.id == text
    assert rows.report("ATXid_1")
    assert rows.state(text) == "delivered"
