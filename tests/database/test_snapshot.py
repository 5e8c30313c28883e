"""A snapshot sees one instant, changes nothing, and gives its connection back as it was."""

import contextlib
import threading
from decimal import Decimal

import pytest
from sqlalchemy import Connection, func, select, text
from sqlalchemy.exc import DBAPIError

from gateway.database import server
from gateway.database.engine import Database
from gateway.errors import BadInput
from gateway.ledger import store
from gateway.ledger.books import Books, Leg
from gateway.ledger.guards import store as guards
from gateway.ledger.store import HOUSE, Account, accounts, entries
from tests.support.clock import START
from tests.support.money_rows import NAIRA, balance, funded

ROUNDS = 60


class Traffic:
    """Credits a wallet by one naira again and again, until it is stopped."""

    def __init__(self, database: Database, wallet: Account) -> None:
        self._database, self._wallet = database, wallet
        self._books = Books()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        number = 0
        while not self._stop.is_set():
            number += 1
            self._database.run(lambda c, n=number: self._credit(c, n))  # type: ignore[misc]

    def _credit(self, connection: Connection, number: int) -> None:
        house = self._books.system(connection, HOUSE, NAIRA, START)
        legs = (Leg(house, Decimal("-1.00")), Leg(self._wallet, Decimal("1.00")))
        self._books.post(connection, f"traffic:{number}", "issue", "test", legs, START)


def differs(first: Connection, second: Connection, wallet: Account, pause: threading.Event) -> bool:
    """Whether balance and sum of entries, read one after the other, disagree."""
    stored = first.execute(
        select(accounts.c.balance).where(accounts.c.id == wallet.id)
    ).scalar_one()
    pause.wait(0.01)
    summed = second.execute(
        select(func.sum(entries.c.amount)).where(entries.c.account_id == wallet.id)
    ).scalar_one()
    return bool(stored != summed)


def test_balance_and_sum_never_disagree_under_traffic(database: Database) -> None:
    wallet, pause = funded(database), threading.Event()
    found = []
    with Traffic(database, wallet):
        for _ in range(ROUNDS):
            with database.snapshot() as connection:
                found.append(differs(connection, connection, wallet, pause))
    assert not any(found)
    assert (balance(database, wallet) or 0) > Decimal("100.00")  # there was traffic


def test_without_a_snapshot_they_do_disagree(database: Database) -> None:
    wallet, pause = funded(database), threading.Event()
    found = []
    with Traffic(database, wallet):
        for _ in range(ROUNDS):
            with database.snapshot() as first, database.snapshot() as second:
                second.rollback()  # it begins anew with its first statement
                found.append(differs(first, second, wallet, pause))
    assert any(found)


def test_a_snapshot_changes_nothing(database: Database) -> None:
    wallet = funded(database)
    with contextlib.suppress(DBAPIError), database.snapshot() as connection:
        guards.debit(connection, wallet.id, Decimal("1.00"))
    assert balance(database, wallet) == Decimal("100.00")


@pytest.mark.parametrize("fails", [False, True])
def test_the_connection_comes_back_as_it_was(database_url: str, fails: bool) -> None:
    database = Database(database_url, pool_size=1)
    wallet = funded(database)
    try:
        with database.snapshot() as connection:
            connection.execute(text("SELECT 1"))
            if fails:
                raise BadInput("no")
    except BadInput:
        assert fails
    assert database.run(server.isolation)
    assert database.run(lambda c: guards.debit(c, wallet.id, Decimal("1.00")))
    assert balance(database, wallet) == Decimal("99.00")
    database.dispose()


def test_a_unit_of_work_after_a_snapshot_reads_what_others_commit(mariadb_url: str) -> None:
    database, other = Database(mariadb_url, pool_size=1), Database(mariadb_url)
    wallet = funded(database)
    with database.snapshot() as connection:
        connection.execute(text("SELECT 1"))

    def work(connection: Connection) -> tuple[Decimal | None, Decimal | None]:
        before = store.by_id(connection, wallet.id).balance
        other.run(lambda c: guards.debit(c, wallet.id, Decimal("1.00")))
        return before, store.by_id(connection, wallet.id).balance

    assert database.run(work) == (Decimal("100.00"), Decimal("99.00"))
    database.dispose()
    other.dispose()
