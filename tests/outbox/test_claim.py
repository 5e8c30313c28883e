"""Claiming: one worker a message, oldest first, without waiting for each other."""

import time
from typing import Any

import pytest
from sqlalchemy import Connection, event, text

from gateway.database.engine import Database
from gateway.outbox import queue, store
from gateway.outbox.store import LEASE, Message
from tests.outbox.rows import Rows
from tests.support.clock import SteppedClock
from tests.support.races import race

MESSAGES, WORKERS = 12, 6


def everything(rows: Rows, worker: int) -> list[int]:
    """What one worker claims until the queue is empty."""
    taken: list[int] = []
    while True:
        message = rows.run(lambda c: queue.claim_next(c, f"w{worker}", rows.now()))
        if message is None:
            return taken
        taken.append(message.id)


def read_then_claim(rows: Rows, worker: int) -> list[int]:
    """The same without the guard: look what is queued, then take it."""
    queued = [message.id for message in rows.all() if message.state == "queued"]
    time.sleep(0.1)
    for row in queued:
        rows.run(
            lambda c, row=row: store.move(  # type: ignore[misc]
                c, row, tuple(store.State), store.State.SENDING, rows.now(), lease_by=None
            )
        )
    return queued


def test_reading_first_and_claiming_then_takes_messages_twice(rows: Rows) -> None:
    made = [rows.add() for _ in range(MESSAGES)]
    taken = [row for rows_ in race(2, lambda n: read_then_claim(rows, n)) for row in _ok(rows_)]
    assert sorted(taken) == sorted(made * 2)


def test_each_message_is_claimed_once(rows: Rows) -> None:
    made = [rows.add() for _ in range(MESSAGES)]
    shares = [_ok(share) for share in race(WORKERS, lambda n: everything(rows, n))]
    assert sorted(row for share in shares for row in share) == made


def _ok(share: list[int] | Exception) -> list[int]:
    if isinstance(share, Exception):
        raise share
    return share


def test_the_message_that_has_been_due_for_longest_goes_first(
    rows: Rows, clock: SteppedClock
) -> None:
    first, second = rows.add(), rows.add()
    message, lease = rows.claim()
    assert message.id == first
    rows.run(lambda c: queue.retry(c, message, lease, "away", queue.BACKOFF_FIRST, rows.now()))
    clock.advance(seconds=1)
    third = rows.add()
    assert [rows.claim()[0].id for _ in range(2)] == [second, third]
    assert rows.run(lambda c: queue.claim_next(c, "w", rows.now())) is None
    clock.advance(seconds=10)
    assert rows.claim()[0].id == first


def test_a_claim_whose_answer_was_lost_is_found_again(rows: Rows) -> None:
    row = rows.add()
    rows.add()
    rows.claim("w1:a")
    found = rows.run(lambda c: queue.claimed(c, "w1:a"))
    assert found is not None
    assert found.id == row
    assert rows.run(lambda c: queue.claimed(c, "w1:b")) is None


def test_a_claim_counts_the_try_and_ends_with_its_lease(rows: Rows, clock: SteppedClock) -> None:
    rows.add()
    message, _ = rows.claim()
    assert (message.attempts, message.lease_until) == (1, clock.now() + LEASE)
    assert message.claimed_at == clock.now()


def test_a_claim_passes_over_a_row_that_another_has_locked(mariadb_url: str) -> None:
    database = Database(mariadb_url)
    rows = Rows(database, SteppedClock())
    first, second = rows.add(), rows.add()
    began = time.monotonic()

    def both(connection: Connection) -> tuple[int | None, Message | None]:
        locked = store.next_due(connection, rows.now())
        return locked, rows.run(lambda c: queue.claim_next(c, "w2", rows.now()))

    locked, other = rows.run(both)
    assert other is not None
    assert (locked, other.id) == (first, second)
    assert time.monotonic() - began < 1.5  # innodb_lock_wait_timeout is 2 s
    database.dispose()


def explained(database: Database, rows: Rows, line: str = "sms") -> list[str]:
    """How the database finds the next due message."""
    statements: list[tuple[str, Any]] = []

    def note(_: object, __: object, statement: str, parameters: Any, *___: object) -> None:
        statements.append((statement, parameters))

    event.listen(database.engine, "before_cursor_execute", note)
    database.run(lambda c: store.next_due(c, rows.now(), line))
    event.remove(database.engine, "before_cursor_execute", note)
    statement, parameters = next(s for s in statements if s[0].startswith("SELECT"))
    explain = "EXPLAIN QUERY PLAN" if database.is_sqlite else "EXPLAIN"
    return database.run(
        lambda c: [str(row) for row in c.exec_driver_sql(f"{explain} {statement}", parameters)]
    )


def test_the_next_due_message_is_found_by_its_index_without_sorting(
    rows: Rows, database: Database
) -> None:
    for _ in range(50):
        rows.add()
    if not database.is_sqlite:
        database.run(lambda c: c.execute(text("ANALYZE TABLE outbox")).all())
    (plan,) = explained(database, rows)
    assert "ix_outbox_line_state_due_at" in plan
    assert "filesort" not in plan
    assert "TEMP B-TREE" not in plan


def test_the_age_of_the_oldest_survives_failed_tries(rows: Rows, clock: SteppedClock) -> None:
    queued_at = clock.now()
    rows.add()
    message, lease = rows.claim()
    assert rows.run(store.oldest_queued) is None
    clock.advance(minutes=1)
    later = queue.BACKOFF_MAX
    rows.run(lambda c: queue.retry(c, message, lease, "away", later, rows.now()))
    assert rows.run(store.oldest_queued) == queued_at


@pytest.mark.parametrize("hours", [25])
def test_what_was_handed_over_counts_for_a_day(rows: Rows, clock: SteppedClock, hours: int) -> None:
    rows.add()
    rows.sent(rows.claim()[1])
    since = clock.now()
    assert rows.run(lambda c: store.handed_over_since(c, since)) == 1
    clock.advance(hours=hours)
    assert rows.run(lambda c: store.handed_over_since(c, clock.now() - queue.BACKOFF_MAX)) == 0
