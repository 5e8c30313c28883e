"""A balance is never spent twice, whoever races for it."""

import threading
from decimal import Decimal
from functools import partial

from sqlalchemy import Connection, update

from gateway.database.engine import Database
from gateway.ledger import store
from gateway.ledger.books import Books, Leg
from gateway.ledger.guards import store as guards
from gateway.ledger.store import HOUSE, Account, accounts
from tests.support.clock import START
from tests.support.money_rows import NAIRA, balance, breaches, funded, movements
from tests.support.races import race

ROUNDS = 50
MEET_SECONDS_MAX = 10.0


def spend(connection: Connection, wallet: Account, amount: Decimal, key: str) -> bool:
    """A debit as every use case makes it: read, refuse what cannot be, then book."""
    books = Books()
    now = store.by_id(connection, wallet.id)
    if (now.balance or 0) < amount:
        return False
    legs = (Leg(wallet, -amount), Leg(books.system(connection, HOUSE, NAIRA, START), amount))
    books.post(connection, key, "issue", "test", legs, START)
    return True


def careless_race(database: Database, wallet: Account, amounts: list[str]) -> list[object]:
    """Race with the guard off: all read, then all write what they think is left."""
    meet = threading.Barrier(len(amounts))

    def one(n: int) -> bool:
        now = database.run(lambda c: store.by_id(c, wallet.id))
        left = (now.balance or Decimal(0)) - Decimal(amounts[n])
        meet.wait(MEET_SECONDS_MAX)
        if left < 0:
            return False
        written = update(accounts).where(accounts.c.id == wallet.id).values(balance=left)
        database.run(lambda c: c.execute(written))
        return True

    return list(race(len(amounts), one))


def spend_race(database: Database, wallet: Account, n: int, amount: str, mark: str) -> list[object]:
    """Race with the guard on."""

    def one(number: int) -> bool:
        return database.run(lambda c: spend(c, wallet, Decimal(amount), f"{mark}{number}"))

    return list(race(n, one))


def test_without_the_guard_twenty_debits_spend_more_than_there_is(database: Database) -> None:
    wallet = funded(database)
    assert careless_race(database, wallet, ["10.00"] * 20) == [True] * 20
    assert balance(database, wallet) == Decimal("90.00")


def test_of_twenty_racing_debits_ten_find_the_money(database: Database) -> None:
    wallet = funded(database)
    done = spend_race(database, wallet, 20, "10.00", "k")
    assert (done.count(True), done.count(False)) == (10, 10)
    assert balance(database, wallet) == Decimal("0.00")
    assert len(movements(database)) == 11
    assert breaches(database) == []


def test_two_racing_for_all_of_it_have_one_winner_in_every_round(database: Database) -> None:
    books = Books()
    wallet = funded(database)

    def refill(connection: Connection, key: str) -> None:
        house = books.system(connection, HOUSE, NAIRA, START)
        legs = (Leg(house, Decimal("-100.00")), Leg(wallet, Decimal("100.00")))
        books.post(connection, key, "issue", "test", legs, START)

    for number in range(ROUNDS):
        done = spend_race(database, wallet, 2, "100.00", f"r{number}-")
        assert sorted(map(str, done)) == ["False", "True"]
        assert balance(database, wallet) == Decimal("0.00")
        database.run(partial(refill, key=f"refill{number}"))
    assert breaches(database) == []


def test_without_the_guard_one_of_two_debits_is_lost(database: Database) -> None:
    wallet = funded(database)
    assert careless_race(database, wallet, ["60.00", "70.00"]) == [True, True]
    assert balance(database, wallet) in (Decimal("40.00"), Decimal("30.00"))


def test_of_sixty_and_seventy_out_of_a_hundred_one_is_paid(database: Database) -> None:
    amounts = (Decimal("60.00"), Decimal("70.00"))
    for number in range(10):
        wallet = funded(database, f"+23480300002{number:02}")
        pay = [
            partial(spend, wallet=wallet, amount=amount, key=f"pair{number}-{amount}")
            for amount in amounts
        ]
        done = race(2, lambda n, pay=pay: database.run(pay[n]))  # type: ignore[misc]
        assert sorted(map(str, done)) == ["False", "True"]
        assert balance(database, wallet) == Decimal("100.00") - amounts[done.index(True)]
    assert breaches(database) == []


def test_transfers_in_opposite_directions_all_succeed(database: Database) -> None:
    one, two = funded(database, "+2348030000001"), funded(database, "+2348030000002")
    books = Books()

    def move(connection: Connection, key: str, legs: tuple[Leg, ...]) -> int:
        return books.post(connection, key, "issue", "test", legs, START)

    def transfer(thread: int) -> int:
        source, target = (one, two) if thread % 2 else (two, one)
        for number in range(10):
            legs = (Leg(source, Decimal("-1.00")), Leg(target, Decimal("1.00")))
            database.run(partial(move, key=f"{thread}-{number}", legs=legs))
        return thread

    assert race(8, transfer) == list(range(8))
    assert balance(database, one) == balance(database, two) == Decimal("100.00")
    assert len(movements(database)) == 82
    assert breaches(database) == []


def test_a_debit_of_more_than_there_is_changes_nothing(database: Database) -> None:
    wallet = funded(database)
    assert not database.run(lambda c: guards.debit(c, wallet.id, Decimal("100.01")))
    assert database.run(lambda c: guards.debit(c, wallet.id, Decimal("100.00")))
    assert not database.run(lambda c: guards.debit(c, wallet.id, Decimal("0.01")))
    assert balance(database, wallet) == Decimal("0.00")


def test_a_debit_of_an_account_that_is_not_there_changes_nothing(database: Database) -> None:
    wallet = funded(database)
    assert not database.run(lambda c: guards.debit(c, wallet.id + 1000, Decimal("1.00")))
    assert balance(database, wallet) == Decimal("100.00")
