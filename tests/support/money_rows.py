"""Accounts with money on them, in healthy books, for tests below the tokens."""

from collections.abc import Sequence
from decimal import Decimal

from sqlalchemy import Connection

from gateway.database.engine import Database
from gateway.ledger import store, wallets
from gateway.ledger.books import Books, Leg
from gateway.ledger.invariants.check import INVARIANTS, Breach, check
from gateway.ledger.store import HOUSE, Account
from tests.support.clock import START

NAIRA = "NGN"


def funded(database: Database, owner: str = "+2348030000001", amount: str = "100.00") -> Account:
    """A wallet with this balance, paid for by the house."""
    books = Books()

    def work(connection: Connection) -> Account:
        wallet = wallets.ensure(connection, owner, NAIRA, START)
        house = books.system(connection, HOUSE, NAIRA, START)
        if Decimal(amount):
            legs = (Leg(house, -Decimal(amount)), Leg(wallet, Decimal(amount)))
            books.post(connection, f"fund:{owner}", "issue", "test", legs, START)
        return store.by_id(connection, wallet.id)

    return database.run(work)


def balance(database: Database, account: Account) -> Decimal | None:
    """What an account holds now."""
    return database.run(lambda connection: store.by_id(connection, account.id)).balance


def movements(database: Database) -> Sequence[str]:
    """The operation key of every movement, in order."""
    query = "SELECT operation_key FROM movements ORDER BY id"
    return database.run(lambda connection: connection.exec_driver_sql(query).scalars().all())


def breaches(database: Database) -> list[Breach]:
    """What the ledger's own invariants find."""
    with database.snapshot() as connection:
        return check(connection, INVARIANTS)
