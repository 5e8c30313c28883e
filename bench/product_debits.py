"""The product's side of guarded debits: its books, as an issue takes money from who pays for it."""

import secrets
from collections.abc import Callable
from decimal import Decimal
from functools import partial

from sqlalchemy import Connection

from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.ledger import floats, store, wallets
from gateway.ledger.books import Books, Leg
from gateway.ledger.store import HOUSE, OUTSTANDING, WALLET, Account

CURRENCY = "NGN"
AMOUNT = Decimal("1.00")
FUNDS = Decimal("1000000.00")  # of each account: more than a bench can spend


def prepare(url: str, count: int) -> tuple[list[int], list[int]]:
    """Migrate; one funded float, and so many funded wallets: their ids."""
    database = Database(url, pool_size=1)
    database.upgrade()
    found = database.run(partial(_funded, count=count))
    database.dispose()
    return found


def mover(url: str, threads: int) -> Callable[[int], None]:
    """What debits an account once: read, tested, guarded and booked in one unit of work."""
    database, books, clock = Database(url, pool_size=threads), Books(), Clock()

    def move(account: int) -> None:
        key = secrets.token_hex(16)
        work = partial(_debited, books=books, clock=clock, number=account, key=key)
        database.run(work, keyed=True)

    return move


def _funded(connection: Connection, count: int) -> tuple[list[int], list[int]]:
    now, books = Clock().now(), Books()
    house = books.system(connection, HOUSE, CURRENCY, now)
    books.system(connection, OUTSTANDING, CURRENCY, now)

    def fund(account: Account) -> int:
        legs = (Leg(house, -FUNDS), Leg(account, FUNDS))
        books.post(connection, f"fund:{account.id}", "fund", "bench", legs, now)
        return account.id

    hot = floats.ensure(connection, "bench", CURRENCY, now)
    spread = [
        wallets.ensure(connection, f"+234805{number:07d}", CURRENCY, now) for number in range(count)
    ]
    return [fund(hot)], [fund(wallet) for wallet in spread]


def _debited(connection: Connection, books: Books, clock: Clock, number: int, key: str) -> None:
    now = clock.now()
    account = store.by_id(connection, number)
    books.limits.insist_debit(account, AMOUNT, now)
    outstanding = books.system(connection, OUTSTANDING, CURRENCY, now)
    legs = (Leg(account, -AMOUNT), Leg(outstanding, AMOUNT))
    by_owner = account.kind == WALLET
    books.post(connection, f"issue:{key}", "issue", key, legs, now, by_owner=by_owner)
