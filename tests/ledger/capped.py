"""Movements of a capped wallet, as every use case makes them: read, refuse, book."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from threading import Barrier
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from gateway.database.engine import Database
from gateway.errors import BadInput
from gateway.ledger import store
from gateway.ledger.books import Books, Leg
from gateway.ledger.limits import Limits, Tier
from gateway.ledger.store import HOUSE, Account
from tests.support.clock import START
from tests.support.money_rows import NAIRA
from tests.support.races import race

LAGOS = ZoneInfo("Africa/Lagos")
MEET_SECONDS_MAX = 30.0


def capped(**caps: str) -> Books:
    """Books under which the basic tier has these caps, in Lagos."""
    tier = replace(Tier(), **{name: Decimal(cap) for name, cap in caps.items()})
    return Books(Limits({"basic": tier}, zone=LAGOS))


def allow(
    connection: Connection, books: Books, account: Account, amount: Decimal, at: datetime
) -> None:
    """Raise what a use case would say of moving `amount` into (below zero: out of) the account."""
    fresh = store.by_id(connection, account.id)
    if amount < 0:
        books.limits.insist_debit(fresh, -amount, at)
    else:
        books.limits.insist_credit(fresh, amount, at)


def book(
    connection: Connection, books: Books, account: Account, amount: Decimal, key: str, at: datetime
) -> int:
    """Move `amount` between the house and the account, by the wallet's owner."""
    house = books.system(connection, HOUSE, NAIRA, at)
    legs = (Leg(house, -amount), Leg(account, amount))
    return books.post(connection, key, "issue", "test", legs, at, by_owner=True)


def move(
    database: Database, books: Books, account: Account, amount: str, key: str, at: datetime = START
) -> int:
    """Read, refuse what cannot be, and book, in one transaction."""

    def work(connection: Connection) -> int:
        allow(connection, books, account, Decimal(amount), at)
        return book(connection, books, account, Decimal(amount), key, at)

    return database.run(work)


def moved(results: list[int | Exception]) -> int:
    """How many movements were made; every other was refused in words."""
    refused = [one for one in results if isinstance(one, Exception)]
    assert all(isinstance(one, BadInput) for one in refused), refused
    return len(results) - len(refused)


def racing(n: int, act: Callable[[int], int]) -> int:
    """How many of `n` movements at once were made."""
    return moved(list(race(n, act)))


def careless(
    database: Database, books: Books, account: Account, amount: str, n: int
) -> list[int | Exception]:
    """What a movement must not be: all read what is allowed, then all book it."""
    meet = Barrier(n)

    def act(number: int) -> int:
        database.run(lambda c: allow(c, books, account, Decimal(amount), START))
        meet.wait(MEET_SECONDS_MAX)
        key = f"careless{number}"
        return database.run(lambda c: book(c, books, account, Decimal(amount), key, START))

    return list(race(n, act))
