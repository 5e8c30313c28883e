"""The float that a partner's tokens are paid from, and how a test key's is filled."""

import secrets
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection

from gateway.formats import money
from gateway.ledger import floats
from gateway.ledger.books import ZERO, Books, Leg
from gateway.ledger.limits import InsufficientFunds
from gateway.ledger.store import SETTLEMENT, Account
from gateway.partners import testing
from gateway.partners.access.keys import Access

TEST_FUNDS = Decimal("1000000.00")  # a playground's float is filled up to this
PLAYGROUND = "playground"  # whose settlement account stands for money that is none


def payer(
    connection: Connection,
    books: Books,
    owner: str,
    amount: Decimal,
    currency: str,
    now: datetime,
) -> Account:
    """The float that an owner issues from. Raises `InsufficientFunds` before its first funding."""
    if testing.code_of(owner)[1]:
        return _filled(connection, books, owner, amount, now)
    account = floats.find(connection, owner, currency)
    if account is None:
        raise InsufficientFunds(f"the float of {owner} was never funded in {currency}")
    return account


def show(connection: Connection, access: Access, currency: str) -> Mapping[str, Any]:
    """What the float holds; a playground's that was never used is full."""
    account = floats.find(connection, access.owner, currency)
    unused = TEST_FUNDS if access.is_test else ZERO
    balance = unused if account is None or account.balance is None else account.balance
    return {
        "owner": access.owner,
        "balance": money.plain(balance),
        "currency": currency,
        "status": "active" if account is None else account.status,
    }


def _filled(
    connection: Connection, books: Books, owner: str, amount: Decimal, now: datetime
) -> Account:
    """A playground's float, filled up when it has less than is wanted and could hold that."""
    account = floats.ensure(connection, owner, money.TEST_CURRENCY, now)
    balance = account.balance or ZERO
    if balance >= amount or amount > TEST_FUNDS:
        return account
    bank = books.system(connection, SETTLEMENT, money.TEST_CURRENCY, now, PLAYGROUND)
    missing = TEST_FUNDS - balance
    legs = [Leg(bank, -missing), Leg(account, missing)]
    books.post(connection, f"playground:{secrets.token_hex(12)}", "fund", owner, legs, now)
    return account
