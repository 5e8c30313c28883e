"""Accounts are active, frozen or closed, hold no more than the column, and refuse the rest."""

from decimal import Decimal

import pytest
from sqlalchemy import Connection, update

from gateway.database.engine import Database
from gateway.database.types import MONEY_MAX
from gateway.errors import TryAgain
from gateway.ledger import store, wallets
from gateway.ledger.books import Books, Leg
from gateway.ledger.guards import store as guards
from gateway.ledger.store import ACTIVE, CLOSED, FROZEN, HOUSE, Account, accounts
from tests.support.clock import START
from tests.support.money_rows import NAIRA, balance, breaches, funded

ONE = Decimal("1.00")


def put(database: Database, account: Account, **values: object) -> None:
    """Change the account's row past the rules."""
    database.run(
        lambda c: c.execute(update(accounts).where(accounts.c.id == account.id).values(values))
    )


def give_back(database: Database, account: Account) -> None:
    """Let a naira come back to the account, as an expiry does."""
    books = Books()

    def work(connection: Connection) -> None:
        house = books.system(connection, HOUSE, NAIRA, START)
        legs = (Leg(house, -ONE), Leg(account, ONE))
        books.post(connection, "back", "expire", "test", legs, START, returning=True)

    database.run(work)


@pytest.mark.parametrize("status", [FROZEN, CLOSED])
def test_a_stopped_account_is_neither_debited_nor_credited(database: Database, status: str) -> None:
    wallet = funded(database)
    put(database, wallet, status=status)
    assert not database.run(lambda c: guards.debit(c, wallet.id, ONE))
    assert not database.run(lambda c: guards.credit(c, wallet.id, ONE))
    assert not wallets.is_open(database.run(lambda c: store.by_id(c, wallet.id)))
    assert balance(database, wallet) == Decimal("100.00")


def test_money_that_comes_back_reaches_a_frozen_account(database: Database) -> None:
    wallet = funded(database)
    put(database, wallet, status=FROZEN)
    give_back(database, wallet)
    assert balance(database, wallet) == Decimal("101.00")
    assert breaches(database) == []


def test_money_does_not_come_back_to_a_closed_account(database: Database) -> None:
    wallet = funded(database)
    put(database, wallet, status=CLOSED)
    with pytest.raises(TryAgain):
        give_back(database, wallet)
    assert balance(database, wallet) == Decimal("100.00")
    assert breaches(database) == []


def test_a_wallet_is_frozen_and_unfrozen_once(database: Database) -> None:
    wallet = funded(database)
    assert wallets.is_open(wallet)
    assert database.run(lambda c: wallets.freeze(c, wallet))
    assert not database.run(lambda c: wallets.freeze(c, wallet))
    assert database.run(lambda c: store.by_id(c, wallet.id)).status == FROZEN
    assert database.run(lambda c: wallets.unfreeze(c, wallet))
    assert not database.run(lambda c: wallets.unfreeze(c, wallet))
    assert database.run(lambda c: store.by_id(c, wallet.id)).status == ACTIVE


def test_a_closed_wallet_is_not_unfrozen(database: Database) -> None:
    wallet = funded(database)
    put(database, wallet, status=CLOSED)
    assert not database.run(lambda c: wallets.unfreeze(c, wallet))
    assert not database.run(lambda c: wallets.freeze(c, wallet))


def test_a_credit_up_to_the_ceiling_is_taken_and_a_cent_more_refused(database: Database) -> None:
    wallet = funded(database, amount="0.00")
    put(database, wallet, balance=MONEY_MAX - ONE)
    assert not database.run(lambda c: guards.credit(c, wallet.id, Decimal("1.01")))
    assert balance(database, wallet) == MONEY_MAX - ONE
    assert database.run(lambda c: guards.credit(c, wallet.id, ONE))
    assert not database.run(lambda c: guards.credit(c, wallet.id, Decimal("0.01")))
    assert balance(database, wallet) == MONEY_MAX


def test_money_that_comes_back_stops_at_the_ceiling_too(database: Database) -> None:
    wallet = funded(database, amount="0.00")
    put(database, wallet, balance=MONEY_MAX)
    with pytest.raises(TryAgain):
        give_back(database, wallet)
    assert balance(database, wallet) == MONEY_MAX


def test_wallets_are_kept_apart_by_phone_and_currency(database: Database) -> None:
    def work(connection: Connection) -> set[int]:
        return {
            wallets.ensure(connection, phone, currency, START).id
            for phone in ("+2348030000001", "+2348030000002")
            for currency in ("NGN", "GHS")
        }

    assert len(database.run(work)) == 4
    assert database.run(work) == database.run(work)


def test_a_wallet_is_found_only_after_its_first_use(database: Database) -> None:
    assert database.run(lambda c: wallets.find(c, "+2348030000001", NAIRA)) is None
    made = database.run(lambda c: wallets.ensure(c, "+2348030000001", NAIRA, START))
    assert (made.balance, made.held, made.status) == (Decimal("0.00"), Decimal("0.00"), ACTIVE)
    assert made.guarded
    assert database.run(lambda c: wallets.find(c, "+2348030000001", NAIRA)) == made


def test_a_statement_shows_the_latest_entries_newest_first(database: Database) -> None:
    wallet = funded(database)
    give_back(database, wallet)
    lines = database.run(lambda c: wallets.statement(c, wallet, 5))
    assert [(line.kind, line.amount) for line in lines] == [
        ("expire", ONE),
        ("issue", Decimal("100.00")),
    ]
    assert lines[0].at == START
    assert len(database.run(lambda c: wallets.statement(c, wallet, 1))) == 1
    assert database.run(lambda c: wallets.statement(c, None, 5)) == ()
