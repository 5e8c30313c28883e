"""Wallets: one a (phone, currency), made on first use."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection

from gateway.ledger import store
from gateway.ledger.store import ACTIVE, CLOSED, FROZEN, WALLET, Account, StatementLine


def find(connection: Connection, msisdn: str, currency: str) -> Account | None:
    """The wallet of a phone, None before its first use."""
    return store.find(connection, WALLET, msisdn, currency)


def ensure(connection: Connection, msisdn: str, currency: str, now: datetime) -> Account:
    """The wallet of a phone, made if need be."""
    return find(connection, msisdn, currency) or store.create(
        connection, WALLET, msisdn, currency, now, guarded=True, active_on=now.date()
    )


def statement(
    connection: Connection, msisdn: str, currency: str, lines_max: int
) -> Sequence[StatementLine]:
    """The wallet's latest entries, newest first; empty before its first use."""
    wallet = find(connection, msisdn, currency)
    return store.statement(connection, wallet.id, lines_max) if wallet else ()


def freeze(connection: Connection, wallet: Account) -> bool:
    """Stop a wallet; False when it was not active."""
    return store.set_status(connection, wallet.id, ACTIVE, FROZEN)


def unfreeze(connection: Connection, wallet: Account) -> bool:
    """Let a frozen wallet work again; False when it was not frozen."""
    return store.set_status(connection, wallet.id, FROZEN, ACTIVE)


def is_open(wallet: Account) -> bool:
    """Whether the wallet may be credited and debited now."""
    return wallet.status not in (FROZEN, CLOSED)
