"""SQL of the reports; each streams its rows, so that a year of entries needs no year of memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, Select, func, literal, select

from gateway.database.types import Money
from gateway.ledger.store import accounts, entries, movements

ROWS_AT_ONCE = 1_000
_SUM = func.sum(entries.c.amount, type_=Money)
_IS_ZERO = literal(Decimal("0.00"), Money) == _SUM


@dataclass(frozen=True, slots=True)
class Balance:
    """What an account's entries came to."""

    kind: str
    owner: str
    currency: str
    amount: Decimal


@dataclass(frozen=True, slots=True)
class JournalLine:
    """One entry with the movement it belongs to."""

    movement: int
    at: datetime
    kind: str
    subject: str
    operation_key: str
    account: str
    owner: str
    currency: str
    amount: Decimal


def balances(connection: Connection, before: datetime) -> Iterator[Balance]:
    """Every account's balance out of the movements before an instant, but those at zero."""
    query = (
        select(accounts.c.kind, accounts.c.owner, accounts.c.currency, _SUM)
        .select_from(entries)
        .join(movements, movements.c.id == entries.c.movement_id)
        .join(accounts, accounts.c.id == entries.c.account_id)
        .where(movements.c.at < before)
        .group_by(accounts.c.kind, accounts.c.owner, accounts.c.currency)
        .having(~_IS_ZERO)
        .order_by(accounts.c.kind, accounts.c.owner, accounts.c.currency)
    )
    return (Balance(*row) for row in _streamed(connection, query))


def totals(connection: Connection, before: datetime) -> list[Balance]:
    """The balances of each kind of account, all owners together."""
    query = (
        select(accounts.c.kind, accounts.c.currency, _SUM)
        .select_from(entries)
        .join(movements, movements.c.id == entries.c.movement_id)
        .join(accounts, accounts.c.id == entries.c.account_id)
        .where(movements.c.at < before)
        .group_by(accounts.c.kind, accounts.c.currency)
        .order_by(accounts.c.kind, accounts.c.currency)
    )
    return [
        Balance(kind, "", currency, amount) for kind, currency, amount in connection.execute(query)
    ]


def journal(connection: Connection, since: datetime, before: datetime) -> Iterator[JournalLine]:
    """Every entry of the movements between two instants, in the order they were booked."""
    query = (
        select(
            movements.c.id,
            movements.c.at,
            movements.c.kind,
            movements.c.subject,
            movements.c.operation_key,
            accounts.c.kind,
            accounts.c.owner,
            accounts.c.currency,
            entries.c.amount,
        )
        .select_from(entries)
        .join(movements, movements.c.id == entries.c.movement_id)
        .join(accounts, accounts.c.id == entries.c.account_id)
        .where(movements.c.at >= since, movements.c.at < before)
        .order_by(entries.c.id)
    )
    return (JournalLine(*row) for row in _streamed(connection, query))


def _streamed(connection: Connection, query: Select[Any]) -> Iterator[Any]:
    found = connection.execution_options(stream_results=True, yield_per=ROWS_AT_ONCE)
    return iter(found.execute(query))
