"""SQL of looking through wallets, their entries page by page, and single movements."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection, and_, func, or_, select

from gateway.ledger.store import WALLET, Account, accounts, by_id, entries, movements

WALLETS_MAX = 20


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of an account; `amount` is above zero where its owner was given something."""

    id: int
    at: datetime
    kind: str
    subject: str
    amount: Decimal


@dataclass(frozen=True, slots=True)
class Booked:
    """One entry of a movement, with the account that it is on."""

    movement: int
    at: datetime
    kind: str
    account: str
    owner: str
    currency: str
    amount: Decimal


def wallets_of(connection: Connection, msisdn: str) -> list[Account]:
    """A phone's wallets, one for each currency, and behind them those that made room for others."""
    c = accounts.c
    # What made room is called `<phone>#<id>`; the next character behind `#` ends the search.
    gave_way = and_(c.owner > f"{msisdn}#", c.owner < f"{msisdn}$")
    found = connection.execute(
        select(c.id)
        .where(c.kind == WALLET, or_(c.owner == msisdn, gave_way))
        .order_by(c.owner, c.currency)
        .limit(WALLETS_MAX)
    )
    return [by_id(connection, number) for number in found.scalars().all()]


def of_kind(
    connection: Connection, kind: str, currency: str, rows_max: int
) -> dict[str, tuple[Decimal, Decimal]]:
    """What the guarded accounts of a kind hold, by their owners: the balance, and what is held."""
    c = accounts.c
    rows = connection.execute(
        select(c.owner, c.balance, c.held)
        .where(c.kind == kind, c.currency == currency, c.balance.is_not(None))
        .order_by(c.owner)
        .limit(rows_max)
    )
    return {row[0]: (row[1], row[2]) for row in rows}


def entries_of(
    connection: Connection,
    account_id: int,
    before: int | None,
    rows_max: int,
    since: datetime | None = None,
    until: datetime | None = None,
) -> list[Entry]:
    """The entries of an account, newest first; those with ids below one, if it is given.

    `since` and `until` bound when they were booked, the latter from outside.
    """
    query = (
        select(
            entries.c.id,
            movements.c.at,
            movements.c.kind,
            movements.c.subject,
            entries.c.amount,
        )
        .join(movements, movements.c.id == entries.c.movement_id)
        .where(entries.c.account_id == account_id)
    )
    if before is not None:
        query = query.where(entries.c.id < before)
    if since is not None:
        query = query.where(movements.c.at >= since)
    if until is not None:
        query = query.where(movements.c.at < until)
    rows = connection.execute(query.order_by(entries.c.id.desc()).limit(rows_max))
    return [Entry(*row) for row in rows]


def booked_after(connection: Connection, account_id: int, entry_id: int) -> Decimal:
    """The sum of an account's entries behind one."""
    found = connection.execute(
        select(func.sum(entries.c.amount)).where(
            entries.c.account_id == account_id, entries.c.id > entry_id
        )
    ).scalar_one()
    return Decimal("0.00") if found is None else Decimal(found)


def booked(connection: Connection, operation_keys: Sequence[str]) -> list[Booked]:
    """Every entry of the movements with these keys, as they were booked."""
    query = (
        select(
            movements.c.id,
            movements.c.at,
            movements.c.kind,
            accounts.c.kind,
            accounts.c.owner,
            accounts.c.currency,
            entries.c.amount,
        )
        .join(entries, entries.c.movement_id == movements.c.id)
        .join(accounts, accounts.c.id == entries.c.account_id)
        .where(movements.c.operation_key.in_(operation_keys))
        .order_by(movements.c.id, entries.c.id)
    )
    return [Booked(*row) for row in connection.execute(query)]
