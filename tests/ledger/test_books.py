"""Movements are balanced, stay in one currency, happen once, and leave the accounts consistent."""

from decimal import Decimal

import pytest
from sqlalchemy import Connection, event
from sqlalchemy.exc import StatementError

from gateway.database.engine import Database
from gateway.errors import BadInput, DuplicateKey, GatewayError, TryAgain
from gateway.ledger import store, wallets
from gateway.ledger.books import Books, Leg, Unbalanced
from gateway.ledger.store import HOUSE, OUTSTANDING, Account
from tests.support.clock import START
from tests.support.money_rows import NAIRA, balance, breaches, funded, movements
from tests.support.races import race


def house(connection: Connection, currency: str = NAIRA) -> Account:
    """The house's account, looked up afresh."""
    return Books().system(connection, HOUSE, currency, START)


def pay(database: Database, key: str, legs: tuple[tuple[Account, str], ...]) -> int:
    """Book one movement."""
    parts = [Leg(account, Decimal(amount)) for account, amount in legs]
    return database.run(lambda c: Books().post(c, key, "issue", "test", parts, START))


def entries(database: Database) -> list[tuple[int, int]]:
    """(account, raw amount) of every entry."""
    query = "SELECT account_id, amount FROM entries ORDER BY id"
    return [(row[0], row[1]) for row in database.run(lambda c: c.exec_driver_sql(query).all())]


def test_a_balanced_movement_moves_the_balance_and_writes_both_sides(database: Database) -> None:
    wallet = funded(database, amount="100.00")
    other = database.run(house)
    pay(database, "k1", ((wallet, "-40.00"), (other, "40.00")))
    assert balance(database, wallet) == Decimal("60.00")
    assert len(entries(database)) == 4
    assert breaches(database) == []


@pytest.mark.parametrize("amounts", [("-40.00", "39.99"), ("-40.00", "-40.00"), ("0.01", "0.00")])
def test_an_unbalanced_movement_is_refused(database: Database, amounts: tuple[str, str]) -> None:
    wallet = funded(database)
    other = database.run(house)
    before = entries(database)
    with pytest.raises(Unbalanced):
        pay(database, "k1", ((wallet, amounts[0]), (other, amounts[1])))
    assert entries(database) == before
    assert balance(database, wallet) == Decimal("100.00")


def test_a_movement_without_entries_is_refused(database: Database) -> None:
    with pytest.raises(Unbalanced):
        pay(database, "k1", ())
    assert movements(database) == []


def test_a_movement_across_currencies_is_refused(database: Database) -> None:
    wallet = funded(database)
    cedi = database.run(lambda c: house(c, "GHS"))
    with pytest.raises(Unbalanced, match="one currency"):
        pay(database, "k1", ((wallet, "-40.00"), (cedi, "40.00")))
    assert balance(database, wallet) == Decimal("100.00")
    assert breaches(database) == []


@pytest.mark.parametrize("amount", ["0.001", "NaN", "Infinity"])
def test_an_amount_that_is_no_money_moves_nothing(database: Database, amount: str) -> None:
    wallet = funded(database)
    other = database.run(house)
    with pytest.raises((StatementError, GatewayError, ArithmeticError)):
        pay(database, "k1", ((wallet, f"-{amount}"), (other, amount)))
    assert movements(database) == ["fund:+2348030000001"]
    assert balance(database, wallet) == Decimal("100.00")


def test_an_operation_key_is_refused_the_second_time(database: Database) -> None:
    wallet = funded(database)
    other = database.run(house)
    pay(database, "k1", ((wallet, "-40.00"), (other, "40.00")))
    with pytest.raises(DuplicateKey) as refusal:
        pay(database, "k1", ((wallet, "-40.00"), (other, "40.00")))
    assert "operation_key" in refusal.value.index
    assert balance(database, wallet) == Decimal("60.00")
    assert breaches(database) == []


def test_eight_racers_with_one_operation_key_have_one_effect(database: Database) -> None:
    wallet = funded(database)
    other = database.run(house)
    done = race(8, lambda _: pay(database, "k1", ((wallet, "-10.00"), (other, "10.00"))))
    assert sorted(type(answer).__name__ for answer in done) == ["DuplicateKey"] * 7 + ["int"]
    assert balance(database, wallet) == Decimal("90.00")
    assert breaches(database) == []


def test_a_debit_that_the_guard_refuses_undoes_the_whole_movement(database: Database) -> None:
    rich = funded(database, "+2348030000001", "100.00")
    poor = funded(database, "+2348030000002", "5.00")
    other = database.run(house)
    with pytest.raises(TryAgain):
        pay(database, "k1", ((rich, "-10.00"), (poor, "-10.00"), (other, "20.00")))
    assert balance(database, rich) == Decimal("100.00")
    assert balance(database, poor) == Decimal("5.00")
    assert "k1" not in movements(database)
    assert breaches(database) == []


def test_sixteen_racers_make_a_system_account_once(database: Database) -> None:
    found = race(16, lambda _: database.run(house).id)
    assert found == [found[0]] * 16
    assert isinstance(found[0], int)
    query = "SELECT COUNT(*) FROM accounts WHERE kind = 'house'"
    assert database.run(lambda c: c.exec_driver_sql(query).scalar()) == 1


def test_sixteen_racers_make_a_wallet_once(database: Database) -> None:
    def ensure(_: int) -> int:
        return database.run(lambda c: wallets.ensure(c, "+2348030000001", NAIRA, START)).id

    found = race(16, ensure)
    assert found == [found[0]] * 16
    assert isinstance(found[0], int)


def test_an_account_of_a_transaction_that_was_rolled_back_is_not_remembered(
    database: Database,
) -> None:
    books = Books()

    def rolled_back(connection: Connection) -> None:
        first = books.system(connection, OUTSTANDING, NAIRA, START)
        assert books.system(connection, OUTSTANDING, NAIRA, START).id == first.id
        raise BadInput("no")

    with pytest.raises(BadInput):
        database.run(rolled_back)
    wallet = funded(database)  # whose id may be the one that was given back
    found = database.run(lambda c: books.system(c, OUTSTANDING, NAIRA, START))
    assert found.id != wallet.id
    assert database.run(lambda c: store.by_id(c, found.id)).kind == OUTSTANDING
    pay(database, "k1", ((wallet, "-40.00"), (found, "40.00")))
    assert breaches(database) == []


def test_a_committed_system_account_is_remembered(database: Database) -> None:
    books = Books()
    made = database.run(lambda c: books.system(c, HOUSE, NAIRA, START))
    for _ in range(2):
        assert database.run(lambda c: books.system(c, HOUSE, NAIRA, START)).id == made.id
    executed: list[str] = []
    event.listen(database.engine, "before_cursor_execute", lambda *given: executed.append(given[2]))
    database.run(lambda c: books.system(c, HOUSE, NAIRA, START))
    assert executed == []
