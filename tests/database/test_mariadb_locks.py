"""Deadlocks, lock time-outs and stale connections of MariaDB, forced one by one."""

import threading
import time
from collections.abc import Iterator
from decimal import Decimal

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import OperationalError

from gateway.database.engine import Database, Deadline
from gateway.errors import DeadlineExceeded, TryAgain
from gateway.ledger import store
from gateway.ledger.guards import store as guards
from gateway.ledger.store import Account
from tests.support.clock import SteppedClock
from tests.support.mariadb import PrivateMariaDB
from tests.support.money_rows import balance, breaches, funded
from tests.support.races import race

STEP_SECONDS_MAX = 5.0


@pytest.fixture
def mariadb(mariadb_url: str) -> Iterator[Database]:
    """The database, opened."""
    database = Database(mariadb_url)
    yield database
    database.dispose()


def move_a_naira(
    connection: Connection,
    first: Account,
    second: Account,
    meet: threading.Barrier,
    turns: list[int],
) -> None:
    """Move a naira from one account to the other, debiting before the other side is locked."""
    turns.append(1)
    assert guards.debit(connection, first.id, Decimal("1.00"))
    if len(turns) <= 2:
        meet.wait(STEP_SECONDS_MAX)
    assert guards.credit(connection, second.id, Decimal("1.00"))


def test_a_deadlock_is_repeated_as_a_whole(mariadb: Database) -> None:
    one, two = funded(mariadb, "+2348030000001"), funded(mariadb, "+2348030000002")
    meet, turns = threading.Barrier(2), list[int]()

    def transfer(number: int) -> None:
        pair = (one, two) if number else (two, one)
        mariadb.run(lambda c: move_a_naira(c, *pair, meet, turns))

    assert race(2, transfer) == [None, None]
    assert len(turns) == 3  # one of the two was the deadlock's victim
    assert balance(mariadb, one) == balance(mariadb, two) == Decimal("100.00")


def test_a_deadlock_without_the_unit_of_work_breaks_one_of_the_two(mariadb: Database) -> None:
    one, two = funded(mariadb, "+2348030000001"), funded(mariadb, "+2348030000002")
    meet, turns = threading.Barrier(2), list[int]()

    def transfer(number: int) -> None:
        pair = (one, two) if number else (two, one)
        with mariadb.engine.connect() as connection:
            move_a_naira(connection, *pair, meet, turns)
            connection.commit()

    broken = [error for error in race(2, transfer) if error is not None]
    assert len(broken) == 1
    assert isinstance(broken[0], OperationalError)
    assert "1213" in str(broken[0])


def test_a_lock_time_out_leaves_no_half_of_a_transfer(mariadb: Database) -> None:
    one, two = funded(mariadb, "+2348030000001"), funded(mariadb, "+2348030000002")
    attempts: list[int] = []

    def transfer(connection: Connection) -> None:
        attempts.append(1)
        connection.execute(text("SET SESSION innodb_lock_wait_timeout = 1"))
        assert guards.debit(connection, one.id, Decimal("10.00"))
        guards.credit(connection, two.id, Decimal("10.00"))

    with mariadb.engine.connect() as holder:
        assert guards.debit(holder, two.id, Decimal("5.00"))
        with pytest.raises(TryAgain):
            mariadb.run(transfer, deadline=Deadline(1.8))
        holder.rollback()
    assert len(attempts) == 2
    assert balance(mariadb, one) == balance(mariadb, two) == Decimal("100.00")
    mariadb.run(transfer)
    assert balance(mariadb, one) == Decimal("90.00")
    assert balance(mariadb, two) == Decimal("110.00")


def test_code_that_goes_on_after_a_lock_time_out_books_half_a_transfer(mariadb: Database) -> None:
    """The reason for the rule: 1205 takes back the statement, not the transaction."""
    one, two = funded(mariadb, "+2348030000001"), funded(mariadb, "+2348030000002")
    with mariadb.engine.connect() as holder, mariadb.engine.connect() as careless:
        assert guards.debit(holder, two.id, Decimal("5.00"))
        careless.execute(text("SET SESSION innodb_lock_wait_timeout = 1"))
        assert guards.debit(careless, one.id, Decimal("10.00"))
        with pytest.raises(OperationalError, match="1205"):
            guards.credit(careless, two.id, Decimal("10.00"))
        careless.commit()
    assert balance(mariadb, one) == Decimal("90.00")
    assert balance(mariadb, two) == Decimal("100.00")
    assert len(breaches(mariadb)) == 1


def test_a_lock_that_is_never_given_costs_no_more_than_the_deadline(mariadb: Database) -> None:
    wallet = funded(mariadb)
    with mariadb.engine.connect() as holder:
        assert guards.debit(holder, wallet.id, Decimal("5.00"))
        started = time.monotonic()
        with pytest.raises(DeadlineExceeded):
            mariadb.run(
                lambda c: guards.debit(c, wallet.id, Decimal("10.00")), deadline=Deadline(0.5)
            )
        assert time.monotonic() - started < 1.6
        holder.commit()
    time.sleep(0.3)  # the server itself had gone on waiting for the lock
    assert balance(mariadb, wallet) == Decimal("95.00")


def test_a_wait_cut_by_the_deadline_leaves_the_other_connections_be(mariadb: Database) -> None:
    wallet, meet = funded(mariadb), threading.Barrier(3)

    def line(_: int) -> int:
        def work(connection: Connection) -> int:
            meet.wait(STEP_SECONDS_MAX)  # so that each has a connection of its own
            return int(connection.execute(text("SELECT CONNECTION_ID()")).scalar_one())

        return mariadb.run(work)

    before = {str(number) for number in race(3, line)}
    with mariadb.engine.connect() as holder:
        assert guards.debit(holder, wallet.id, Decimal("5.00"))
        with pytest.raises(DeadlineExceeded):
            mariadb.run(
                lambda c: guards.debit(c, wallet.id, Decimal("10.00")), deadline=Deadline(0.3)
            )
        holder.rollback()
    after = {str(number) for number in race(3, line)}
    assert len(before & after) == 2  # all but the one that was cut


def test_a_table_locked_by_a_migration_costs_no_more_than_the_deadline(mariadb: Database) -> None:
    wallet = funded(mariadb)
    with mariadb.engine.connect() as holder:
        holder.exec_driver_sql("LOCK TABLES accounts WRITE")
        started = time.monotonic()
        with pytest.raises(DeadlineExceeded):
            mariadb.run(lambda c: store.by_id(c, wallet.id), deadline=Deadline(0.5))
        assert time.monotonic() - started < 1.6
        holder.exec_driver_sql("UNLOCK TABLES")


def test_six_racers_for_one_new_row_all_find_it(mariadb: Database) -> None:
    def ensure(_: int) -> int:
        def work(connection: Connection) -> int:
            found = store.find(connection, "wallet", "+2348030000001", "NGN")
            if found is None:
                now = SteppedClock().now()
                found = store.create(
                    connection, "wallet", "+2348030000001", "NGN", now, guarded=True
                )
            return found.id

        return mariadb.run(work)

    found = race(6, ensure)
    assert found == [found[0]] * 6
    assert isinstance(found[0], int)


@pytest.mark.parametrize("stop", ["wait_timeout", "restart"])
def test_a_pool_of_dead_connections_is_noticed_and_replaced(
    private_mariadb: PrivateMariaDB, stop: str
) -> None:
    private_mariadb.create_database("stale")
    database = Database(private_mariadb.url("stale"))
    meet = threading.Barrier(3)

    def warm(_: int) -> None:
        def work(connection: Connection) -> None:
            connection.execute(text("SET SESSION wait_timeout = 1"))
            meet.wait(STEP_SECONDS_MAX)  # so that each has a connection of its own

        database.run(work)

    assert race(3, warm) == [None] * 3
    if stop == "restart":
        private_mariadb.kill()
        private_mariadb.start()
    else:
        time.sleep(2.2)
    for _ in range(3):
        answer = database.run(
            lambda c: c.execute(text("SELECT 1")).scalar(), deadline=Deadline(2.5)
        )
        assert answer == 1
    database.dispose()


def test_a_server_that_is_down_is_answered_with_try_again(private_mariadb: PrivateMariaDB) -> None:
    private_mariadb.create_database("down")
    database = Database(private_mariadb.url("down"))
    database.run(lambda c: c.execute(text("SELECT 1")).scalar())
    private_mariadb.kill()
    started = time.monotonic()
    with pytest.raises(TryAgain):
        database.run(lambda c: c.execute(text("SELECT 1")).scalar(), deadline=Deadline(1.0))
    with pytest.raises(TryAgain), database.snapshot() as connection:
        connection.execute(text("SELECT 1"))
    assert time.monotonic() - started < 3.0
    private_mariadb.start()
    assert database.run(lambda c: c.execute(text("SELECT 1")).scalar()) == 1
    database.dispose()
