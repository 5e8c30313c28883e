"""A COMMIT whose answer is lost has one effect under a key, and is called unknown without one."""

import time
from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import IntegrityError

from gateway.database.engine import Database, Deadline
from gateway.errors import BadInput, CommitUnknown, TryAgain
from gateway.ledger import store
from tests.support.clock import START
from tests.support.commit_proxy import CommitProxy, Fault
from tests.support.mariadb import MariaDBServer
from tests.support.money_rows import movements

LOST = (Fault.COMMIT_LOST, Fault.ANSWER_LOST)


@pytest.fixture
def proxy(mariadb_server: MariaDBServer) -> Iterator[CommitProxy]:
    """The line to the shared server."""
    with CommitProxy(mariadb_server.port) as line:
        yield line


@pytest.fixture
def far(proxy: CommitProxy, mariadb_url: str) -> Iterator[Database]:
    """A database at the far end of the line."""
    database = Database(proxy.url(mariadb_url))
    database.run(lambda c: c.execute(text("SELECT 1")))  # so that the pool is warm
    yield database
    database.dispose()


def once(connection: Connection) -> str:
    """Work as it should be: it looks for its own earlier effect first."""
    known = connection.execute(
        text("SELECT 1 FROM movements WHERE operation_key = 'once'")
    ).one_or_none()
    if known is None:
        store.add_movement(connection, "once", "issue", "test", START)
    return "done"


@pytest.mark.parametrize("fault", LOST)
def test_keyed_work_has_one_effect_whatever_became_of_the_commit(
    far: Database, proxy: CommitProxy, fault: Fault
) -> None:
    proxy.fail_next_commit(fault)
    assert far.run(once, keyed=True) == "done"
    assert movements(far) == ["once"]


@pytest.mark.parametrize("fault", LOST)
def test_work_without_a_key_is_called_unknown_and_not_repeated(
    far: Database, proxy: CommitProxy, fault: Fault
) -> None:
    attempts: list[int] = []

    def work(connection: Connection) -> None:
        attempts.append(1)
        store.add_movement(connection, f"try-{len(attempts)}", "issue", "test", START)

    proxy.fail_next_commit(fault)
    with pytest.raises(CommitUnknown):
        far.run(work)
    assert attempts == [1]
    assert movements(far) == (["try-1"] if fault is Fault.ANSWER_LOST else [])


def test_a_refusal_by_the_repeat_does_not_hide_that_the_first_may_have_worked(
    far: Database, proxy: CommitProxy
) -> None:
    def work(connection: Connection) -> None:
        count = connection.execute(text("SELECT COUNT(*) FROM movements")).scalar()
        if count:
            raise BadInput("done before")
        store.add_movement(connection, "once", "issue", "test", START)

    proxy.fail_next_commit(Fault.ANSWER_LOST)
    with pytest.raises(CommitUnknown):
        far.run(work, keyed=True)
    assert movements(far) == ["once"]


def test_a_key_refused_to_the_repeat_leaves_the_outcome_unknown(
    far: Database, proxy: CommitProxy
) -> None:
    proxy.fail_next_commit(Fault.ANSWER_LOST)
    with pytest.raises(CommitUnknown):
        far.run(lambda c: store.add_movement(c, "once", "issue", "test", START), keyed=True)
    assert movements(far) == ["once"]


def test_an_answer_to_commit_that_stays_away_is_waited_for_no_longer_than_the_deadline(
    far: Database, proxy: CommitProxy
) -> None:
    proxy.fail_next_commit(Fault.ANSWER_HELD)
    started = time.monotonic()
    with pytest.raises(CommitUnknown):
        far.run(once, deadline=Deadline(0.5), keyed=True)
    assert time.monotonic() - started < 1.6
    assert far.run(once, keyed=True) == "done"
    assert movements(far) == ["once"]


@pytest.mark.parametrize("number", [1213, 1205, 1020, 1047])
def test_a_commit_refused_for_now_is_repeated_as_a_whole(
    far: Database, proxy: CommitProxy, number: int
) -> None:
    attempts: list[int] = []

    def work(connection: Connection) -> None:
        attempts.append(1)
        store.add_movement(connection, f"try-{len(attempts)}", "issue", "test", START)

    proxy.fail_next_commit(Fault.REFUSED, number)
    far.run(work)
    # The first attempt's row must not come along with the second attempt's COMMIT.
    assert movements(far) == ["try-2"]


@pytest.mark.parametrize("number", [1180, 1290, 1021])
def test_another_error_at_commit_is_believed_neither_way(
    far: Database, proxy: CommitProxy, number: int
) -> None:
    proxy.fail_next_commit(Fault.REFUSED, number)
    with pytest.raises(CommitUnknown):
        far.run(lambda c: store.add_movement(c, "a", "issue", "test", START))
    far.run(lambda c: store.add_movement(c, "b", "issue", "test", START))
    assert movements(far) == ["b"]
    proxy.fail_next_commit(Fault.REFUSED, number)
    assert far.run(once, keyed=True) == "done"
    assert movements(far) == ["b", "once"]


def test_an_error_at_commit_leaves_no_transaction_open_on_sqlite(sqlite_url: str) -> None:
    database = Database(sqlite_url)

    def orphan(connection: Connection) -> None:
        connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        store.add_movement(connection, "a", "issue", "test", START)
        connection.exec_driver_sql(
            "INSERT INTO entries (movement_id, account_id, amount) VALUES (1, 99, 1)"
        )

    with pytest.raises(IntegrityError):
        database.run(orphan)
    database.run(lambda c: store.add_movement(c, "b", "issue", "test", START))
    assert movements(database) == ["b"]
    database.dispose()


def test_a_line_cut_before_commit_is_a_rollback_and_repeated(mariadb_url: str) -> None:
    database = Database(mariadb_url)
    attempts: list[int] = []

    def work(connection: Connection) -> None:
        attempts.append(1)
        store.add_movement(connection, f"try-{len(attempts)}", "issue", "test", START)
        if len(attempts) == 1:
            own = connection.execute(text("SELECT CONNECTION_ID()")).scalar_one()
            with database.engine.connect() as other:
                other.exec_driver_sql(f"KILL {own}")
        connection.execute(text("SELECT 1"))

    database.run(work)  # not keyed: nothing was in doubt
    assert movements(database) == ["try-2"]
    database.dispose()


def test_a_line_that_is_always_cut_ends_in_try_again(mariadb_url: str) -> None:
    database = Database(mariadb_url)

    def work(connection: Connection) -> None:
        own = connection.execute(text("SELECT CONNECTION_ID()")).scalar_one()
        with database.engine.connect() as other:
            other.exec_driver_sql(f"KILL {own}")
        connection.execute(text("SELECT 1"))

    with pytest.raises(TryAgain):
        database.run(work, deadline=Deadline(0.6))
    assert movements(database) == []
    database.dispose()
