"""SQL of the usual callback: its order, the wallet and what else has its id, in one locked read."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import BindParameter, Connection, Select, String, and_, bindparam, select

from gateway.database import prepared
from gateway.deposits.states import OPEN, State
from gateway.deposits.store import ORDER, Deposit, Keys, deposits
from gateway.ledger.store import WALLET, Account, accounts


@dataclass(frozen=True, slots=True)
class Ordered:
    """An order under its lock, and its wallet under its own."""

    order: Deposit
    wallet: Account | None  # None before its first use
    rival: int | None  # what is booked under the carrier's id


def _text(name: str) -> BindParameter[str]:
    return bindparam(name, type_=String())


_WALLET = (
    accounts.c.id,
    accounts.c.balance,
    accounts.c.held,
    accounts.c.status,
    accounts.c.tier,
    accounts.c.day,
    accounts.c.day_credits,
)
# Each column of an answer costs about as much as its value. No decision about an order reads these.
_NOT_READ = ("account_id", "joined_to", "reason", "completed_at", "occurred_at")
_UNREAD: dict[str, Any] = dict.fromkeys(_NOT_READ)
_ORDER = tuple(column for column in deposits.c if column.name not in _NOT_READ)
_NAMES = tuple(column.name for column in _ORDER)
_OTHER = deposits.alias("other")
# No row of a subquery is locked, and none needs to be: the unique index is its guard.
_RIVAL = (
    select(_OTHER.c.id)
    .where(_OTHER.c.provider == _text("provider"), _OTHER.c.txn_id == _text("txn_id"))
    .scalar_subquery()
)


def unlocked(*where: Any) -> Select[Any]:
    """The read as it must not be sent: racers would all find the order open."""
    wallet = and_(
        accounts.c.kind == WALLET,
        accounts.c.owner == deposits.c.msisdn,
        accounts.c.currency == deposits.c.currency,
    )
    return (
        select(*_ORDER, *_WALLET, _RIVAL)
        .select_from(deposits)
        .outerjoin(accounts, wallet)
        .where(deposits.c.origin == ORDER, *where)
    )


OF_OURS = deposits.c.reference == _text("ours")
BY_OURS = unlocked(OF_OURS).with_for_update()
_BY_PROVIDER_REF = unlocked(
    deposits.c.provider == _text("provider"), deposits.c.provider_ref == _text("provider_ref")
).with_for_update()
_LOCKED_WALLET = (
    select(*_WALLET)
    .where(
        accounts.c.kind == WALLET,
        accounts.c.owner == _text("owner"),
        accounts.c.currency == _text("currency"),
    )
    .with_for_update()
)


def read(connection: Connection, keys: Keys) -> Ordered | None:
    """The order that has our reference, or else the provider's; None when there is none.

    Locked in the order of all movements: the order's row, then the account's.
    """
    values = {"provider": keys.provider, "txn_id": keys.txn_id}
    row = None
    if keys.ours:
        row = prepared.row(connection, BY_OURS, values | {"ours": keys.ours})
    elif keys.provider_ref:
        own = {"provider_ref": keys.provider_ref}
        row = prepared.row(connection, _BY_PROVIDER_REF, values | own)
    if row is None:
        return None
    split = len(_NAMES)
    read: dict[str, Any] = {**_UNREAD, **dict(zip(_NAMES, row[:split], strict=True))}
    order = Deposit(**read)
    return Ordered(order, _account(row[split:-1], order.msisdn, order.currency), row[-1])


def wallet(connection: Connection, owner: str, currency: str) -> Account | None:
    """A wallet under its lock, so that a deposit's row may refer to it before it is credited."""
    row = prepared.row(connection, _LOCKED_WALLET, {"owner": owner, "currency": currency})
    return None if row is None else _account(row, owner, currency)


def unpaid_like(
    connection: Connection, provider: str, msisdn: str, amount: Decimal, since: datetime
) -> str | None:
    """The reference of a phone's order over an amount whose carrier's id is not known yet."""
    reference: str | None = connection.execute(
        select(deposits.c.reference)
        .where(
            deposits.c.msisdn == msisdn,
            deposits.c.provider == provider,
            deposits.c.origin == ORDER,
            deposits.c.amount == amount,
            deposits.c.txn_id.is_(None),
            deposits.c.state.in_([state.value for state in (*OPEN, State.COMPLETED)]),
            deposits.c.created_at >= since,
        )
        .limit(1)
    ).scalar()
    return reference


def hinted(connection: Connection, provider: str, txn_id: str, amount: Decimal) -> str | None:
    """The reference of an order over an amount that a hint calls by a carrier's id: for people."""
    reference: str | None = connection.execute(
        select(deposits.c.reference)
        .where(
            deposits.c.provider == provider,
            deposits.c.hinted_txn_id == txn_id,
            deposits.c.amount == amount,
        )
        .limit(1)
    ).scalar()
    return reference


def _account(row: tuple[Any, ...], owner: str, currency: str) -> Account | None:
    number, balance, held, status, tier, day, day_credits = row
    if number is None:
        return None
    return Account(
        number,
        WALLET,
        owner,
        currency,
        balance,
        held,
        status,
        tier,
        day,
        day_credits=day_credits,
    )
