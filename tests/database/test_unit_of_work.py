"""A unit of work happens once or not at all, and is repeated as a whole when it lost a race."""

import threading
import time
from functools import partial

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from gateway.database import engine
from gateway.database.engine import Database, Deadline
from gateway.errors import BadInput, DeadlineExceeded, DuplicateKey, RaceLost, TryAgain
from gateway.ledger import store
from tests.support.clock import START
from tests.support.money_rows import movements
from tests.support.races import race


def add(connection: Connection, key: str) -> int:
    """One row that can be counted."""
    return store.add_movement(connection, key, "issue", "test", START)


def assert_pool_is_clean(database: Database) -> None:
    """Every connection is back and none has a transaction or a lock left open."""
    assert database.engine.pool.status().endswith("Current Checked out connections: 0")
    other = Database(database.url.render_as_string(hide_password=False))
    other.run(lambda c: add(c, f"probe-{time.monotonic_ns()}"), deadline=Deadline(1.0))
    other.dispose()


def test_what_returned_is_committed(database: Database) -> None:
    assert database.run(lambda c: add(c, "a")) > 0
    assert movements(database) == ["a"]


def test_what_raised_is_rolled_back_and_passed_on_as_it_is(database: Database) -> None:
    def work(connection: Connection) -> None:
        add(connection, "a")
        raise BadInput("no")

    with pytest.raises(BadInput, match="no"):
        database.run(work)
    assert movements(database) == []
    assert_pool_is_clean(database)


def test_a_lost_race_repeats_the_whole_of_the_work(database: Database) -> None:
    attempts: list[int] = []

    def work(connection: Connection) -> str:
        add(connection, f"try-{len(attempts)}")
        attempts.append(1)
        if len(attempts) < 3:
            raise RaceLost("again")
        return "done"

    assert database.run(work) == "done"
    assert movements(database) == ["try-2"]
    assert_pool_is_clean(database)


def test_repeats_are_bounded_and_end_in_try_again(database: Database) -> None:
    attempts: list[int] = []

    def work(connection: Connection) -> None:
        attempts.append(1)
        add(connection, "a")
        raise RaceLost("always")

    with pytest.raises(TryAgain, match="gave up"):
        database.run(work, deadline=Deadline(30.0))
    assert len(attempts) == engine.ATTEMPTS_MAX
    assert movements(database) == []
    assert_pool_is_clean(database)


def test_a_key_that_is_always_refused_is_reported_by_its_index_alone(database: Database) -> None:
    database.run(lambda c: add(c, "secret-key"))
    attempts: list[int] = []

    def work(connection: Connection) -> int:
        attempts.append(1)
        return add(connection, "secret-key")

    with pytest.raises(DuplicateKey) as refusal:
        database.run(work)
    assert "operation_key" in refusal.value.index
    assert "secret-key" not in str(refusal.value)
    assert len(attempts) == engine.DUPLICATES_MAX
    assert_pool_is_clean(database)


def test_a_row_that_a_racer_has_made_is_found_by_the_repeat(database: Database) -> None:
    attempts: list[int] = []

    def work(connection: Connection) -> str:
        attempts.append(1)
        if len(attempts) == 1:
            if not shared:
                other.run(lambda c: add(c, "same"))
            add(connection, "same")
        return "found"

    # On SQLite the racer must have come before: there is one writer at a time.
    shared = database.is_sqlite
    other = Database(database.url.render_as_string(hide_password=False))
    if shared:
        other.run(lambda c: add(c, "same"))
    assert database.run(work) == "found"
    assert len(attempts) == 2
    other.dispose()
    assert movements(database) == ["same"]


def test_a_fault_of_ours_is_not_repeated(database: Database) -> None:
    attempts: list[int] = []

    def work(connection: Connection) -> None:
        attempts.append(1)
        add(connection, "a")
        connection.execute(text("SELECT nonsense FROM nowhere"))

    with pytest.raises(DBAPIError):
        database.run(work)
    assert attempts == [1]
    assert movements(database) == []
    assert_pool_is_clean(database)


def test_no_exception_text_carries_a_value(database: Database) -> None:
    secret = "4907502911223344556"
    with pytest.raises(DBAPIError) as refusal:
        database.run(lambda c: c.execute(text("SELECT nonsense, :value"), {"value": secret}))
    assert secret not in str(refusal.value)
    assert secret not in repr(refusal.value)


def test_pauses_between_attempts_grow_and_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    for attempt in range(1, engine.ATTEMPTS_MAX):
        for _ in range(50):
            engine._pause(attempt, None)
    first, last = pauses[:50], pauses[-50:]
    assert len(set(first)) > 40
    assert 0.2 * engine.PAUSE_SECONDS_MAX <= min(first) <= max(first) <= engine.PAUSE_SECONDS_MAX
    assert max(last) <= 16 * engine.PAUSE_SECONDS_MAX
    assert min(last) > max(first)


def test_a_pause_leaves_time_for_another_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    engine._pause(7, Deadline(0.1))
    assert 0 < pauses[0] <= 0.05


def test_work_is_not_begun_when_no_time_is_left(database: Database) -> None:
    begun = []
    with pytest.raises(DeadlineExceeded):
        database.run(lambda _: begun.append(1), deadline=Deadline(0.0))
    assert begun == []


def test_nothing_is_sent_after_the_deadline(database: Database) -> None:
    def work(connection: Connection) -> None:
        add(connection, "before")
        time.sleep(0.3)
        add(connection, "after")

    started = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        database.run(work, deadline=Deadline(0.25))
    assert time.monotonic() - started < 1.6
    assert movements(database) == []
    assert_pool_is_clean(database)


def test_work_that_ends_after_the_deadline_is_not_committed(database: Database) -> None:
    def work(connection: Connection) -> None:
        add(connection, "late")
        time.sleep(0.3)

    with pytest.raises(DeadlineExceeded):
        database.run(work, deadline=Deadline(0.25))
    assert movements(database) == []
    assert_pool_is_clean(database)


def test_a_deadline_ends_with_its_unit_of_work(database: Database) -> None:
    database.run(lambda c: add(c, "short"), deadline=Deadline(2.0))
    time.sleep(2.05)
    database.run(lambda c: add(c, "long"))
    assert movements(database) == ["short", "long"]


def test_waiting_for_a_free_connection_ends_with_the_deadline(database_url: str) -> None:
    database = Database(database_url, pool_size=1)
    taken, done = threading.Event(), threading.Event()

    def hold(_: Connection) -> None:
        taken.set()
        done.wait(10.0)

    holder = threading.Thread(target=database.run, args=(hold,))
    holder.start()
    taken.wait(5.0)
    started = time.monotonic()
    with pytest.raises(TryAgain):
        database.run(lambda c: add(c, "never"), deadline=Deadline(0.3))
    assert time.monotonic() - started < 1.6
    done.set()
    holder.join()
    database.run(lambda c: add(c, "now"), deadline=Deadline(2.0))
    assert movements(database) == ["now"]
    database.dispose()


def test_200_mixed_units_on_8_threads_keep_to_their_own_lines(database: Database) -> None:
    def mixed(thread: int) -> int:
        for number in range(25):
            key = f"{thread}-{number}"
            if number % 5 == 4:
                with database.snapshot() as connection:
                    assert connection.execute(text("SELECT 1")).scalar() == 1
            elif number % 5 == 3:
                with pytest.raises(BadInput):
                    database.run(partial(refuse, key=key))
            else:
                database.run(partial(add, key=key))
        return thread

    def refuse(connection: Connection, key: str) -> None:
        add(connection, key)
        raise BadInput(key)

    assert race(8, mixed) == list(range(8))
    assert len(movements(database)) == 8 * 15
    assert_pool_is_clean(database)
