"""MariaDB's newer default, innodb_snapshot_isolation, changes nothing for us (case A3)."""

import threading
from collections.abc import Iterator
from decimal import Decimal

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import OperationalError

from gateway.database.engine import Database
from gateway.ledger.guards import store as guards
from gateway.ledger.store import Account
from tests.support.databases import migrate
from tests.support.mariadb import PrivateMariaDB
from tests.support.money_rows import balance, funded
from tests.support.races import race

ALL = Decimal("100.00")
RACERS = 16  # as many as the pool has connections
MEET_SECONDS_MAX = 10.0


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A database on a server that refuses to write over what changed since the first read."""
    with PrivateMariaDB(("--innodb-snapshot-isolation=ON",)) as server:
        server.create_database("strict")
        migrate(server.url("strict"))
        yield server.url("strict")


def read_then_debit(connection: Connection, wallet: Account, meet: threading.Barrier) -> bool:
    """An ordinary read first, as a request handler does, then the guarded UPDATE."""
    connection.execute(text("SELECT COUNT(*) FROM accounts")).scalar()
    meet.wait(MEET_SECONDS_MAX)
    return guards.debit(connection, wallet.id, ALL)


def test_repeatable_read_answers_losers_with_an_error(url: str) -> None:
    database = Database(url)
    wallet = funded(database, "+2348030000001")

    meet = threading.Barrier(RACERS)

    def careless(_: int) -> bool:
        with database.engine.connect() as connection:
            connection.execution_options(isolation_level="REPEATABLE READ")
            done = read_then_debit(connection, wallet, meet)
            connection.commit()
            return done

    done = race(RACERS, careless)
    refused = [error for error in done if isinstance(error, OperationalError)]
    assert done.count(True) == 1
    assert len([error for error in refused if "1020" in str(error)]) == RACERS - 1
    database.dispose()


def test_of_sixteen_racers_one_wins_and_none_sees_an_error(url: str) -> None:
    database = Database(url)
    wallet = funded(database, "+2348030000002")
    meet = threading.Barrier(RACERS)
    done = race(RACERS, lambda _: database.run(lambda c: read_then_debit(c, wallet, meet)))
    assert (done.count(True), done.count(False)) == (1, RACERS - 1)
    assert balance(database, wallet) == Decimal("0.00")
    database.dispose()
