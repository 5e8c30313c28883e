"""A worker of before there were tasks runs beside a new one: it sees texts, and never a task."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, text

from gateway.database.engine import Database
from gateway.database.types import Instant
from gateway.outbox import queue, store
from gateway.outbox.leases import store as leases_store
from gateway.outbox.queue import REPORT_WAIT
from gateway.outbox.store import State
from tests.outbox.performing import Pays, drained, stage
from tests.outbox.rows import PHONE, Rows
from tests.outbox.test_claim import explained
from tests.support.clock import SteppedClock
from tests.support.log import captured_log

# What version 0007 sends, word for word but for its bound names.
OLD_DUE = "SELECT id FROM outbox WHERE state = 'queued' AND due_at <= :now ORDER BY due_at, id"
OLD_LAPSED = "SELECT id FROM outbox WHERE state = 'sending' AND lease_until <= :now"
OLD_UNDECIDED = "SELECT id FROM outbox WHERE state = 'unknown' AND changed_at <= :before"
# A row as the version before `run_at` wrote it.
UNGUARDED = (
    "UPDATE outbox SET due_at = run_at, run_at = NULL WHERE line <> 'sms' AND state = 'queued'"
)


def old_sees(rows: Rows) -> dict[str, list[int]]:
    """What each look of an old worker finds."""

    def look(connection: Connection, statement: str, **values: Any) -> list[int]:
        typed = text(statement)
        bound = {name: _bound(connection, value) for name, value in values.items()}
        return list(connection.execute(typed, bound).scalars())

    def work(connection: Connection) -> dict[str, list[int]]:
        now = rows.now()
        return {
            "due": look(connection, OLD_DUE, now=now),
            "lapsed": look(connection, OLD_LAPSED, now=now),
            "undecided": look(connection, OLD_UNDECIDED, before=now - REPORT_WAIT),
        }

    return rows.run(work)


def _bound(connection: Connection, value: Any) -> Any:
    given = Instant().process_bind_param(value, connection.dialect)
    return given if isinstance(given, str) else given.isoformat(" ", "microseconds")


NOTHING: Mapping[str, list[int]] = {"due": [], "lapsed": [], "undecided": []}


def test_a_task_that_is_due_is_no_text_to_an_old_worker(rows: Rows) -> None:
    on = stage(rows, Pays())
    on.add()
    assert old_sees(rows) == NOTHING
    assert drained(on.runner()) == 1


def test_without_its_own_time_an_old_worker_would_take_it(rows: Rows) -> None:
    row = stage(rows, Pays()).add()
    rows.run(lambda c: c.execute(text(UNGUARDED)).rowcount)
    assert old_sees(rows)["due"] == [row]


def test_a_text_is_seen_by_both(rows: Rows, clock: SteppedClock) -> None:
    row = rows.add()
    assert old_sees(rows)["due"] == [row]
    rows.claim("old", row)
    clock.advance(seconds=61)
    assert old_sees(rows)["lapsed"] == [row]
    assert rows.settle() == 1


def test_a_task_in_the_middle_of_its_call_whose_worker_died_is_left_to_the_new_one(
    rows: Rows, clock: SteppedClock
) -> None:
    row = stage(rows, Pays()).add()
    rows.claim("w1", row)
    clock.advance(days=1)
    assert old_sees(rows) == NOTHING


@pytest.mark.parametrize("repeatable", [True, False])
def test_a_task_that_failed_or_was_lost_is_never_seen(
    rows: Rows, clock: SteppedClock, repeatable: bool
) -> None:
    def fail() -> str:
        raise ZeroDivisionError

    on = stage(rows, Pays(call=fail, repeatable=repeatable))
    row = on.add()
    with captured_log():
        drained(on.runner())
    clock.advance(days=1)
    assert old_sees(rows) == NOTHING
    assert rows.state(row) == State.FAILED


def test_a_task_put_off_is_due_when_it_was_put_off_to(rows: Rows, clock: SteppedClock) -> None:
    on = stage(rows, Pays())
    row = on.add()
    message, lease = rows.claim("w1", row)
    assert message.lease_until == clock.now() + store.LEASE
    rows.retry(message, lease, after=timedelta(minutes=5))
    assert rows.row(row).due_at == clock.now() + timedelta(minutes=5)
    assert drained(on.runner()) == 0
    clock.advance(minutes=5)
    assert old_sees(rows) == NOTHING
    assert drained(on.runner()) == 1


def test_it_is_known_whether_a_task_about_something_is_awaited(rows: Rows) -> None:
    def awaited() -> bool:
        return rows.run(lambda c: leases_store.is_awaited(c, "7", "payout"))

    assert not awaited()
    now = rows.now()
    rows.run(lambda c: queue.add(c, "a", "pay", "7", PHONE, "", now, line="payout"))
    assert awaited()
    message = rows.run(lambda c: queue.claim_next(c, "w", now, "payout"))
    assert message is not None
    assert awaited()
    rows.run(lambda c: store.move(c, message.id, (State.SENDING,), State.DROPPED, now))
    assert not awaited()


def test_the_next_due_task_is_found_by_its_index_without_sorting(
    rows: Rows, database: Database
) -> None:
    for n in range(50):
        stage(rows, Pays()).add(str(n))
    if not database.is_sqlite:
        database.run(lambda c: c.execute(text("ANALYZE TABLE outbox")).all())
    (plan,) = explained(database, rows, "payout")
    assert "ix_outbox_line_state_run_at" in plan
    assert "filesort" not in plan
    assert "TEMP B-TREE" not in plan
