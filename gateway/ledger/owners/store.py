"""SQL of a wallet's owner; each change names in its WHERE what must still be true."""

from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, Date, bindparam, update

from gateway.database import prepared
from gateway.ledger.store import ACTIVE, CLOSED, USED_ON, WALLET, accounts

_C = accounts.c
_ZERO = Decimal("0.00")
_TOUCH = (
    update(accounts)
    .where(
        _C.kind == WALLET,
        _C.owner == bindparam("msisdn"),
        # Not `<=`: the first use of a day is the only one that needs a write.
        bindparam("today", type_=Date) > USED_ON,
        bindparam("idle_before", type_=Date) <= USED_ON,
    )
    .values(active_on=bindparam("today", type_=Date))
)


def touch(connection: Connection, msisdn: str, today: date, idle_before: date) -> None:
    """A sign of life from the owner; a wallet that is idle already stays so."""
    values = {"msisdn": msisdn, "today": today, "idle_before": idle_before}
    prepared.change(connection, _TOUCH, values)


def set_tier(connection: Connection, wallet: int, tier: str) -> bool:
    """Give the wallet a tier; False when it has it."""
    return _changed(connection, wallet, _C.tier.is_distinct_from(tier), tier=tier)


def require_verification(connection: Connection, wallet: int) -> bool:
    """The owner is doubtful from now on; False when they were."""
    return _changed(connection, wallet, ~_C.unverified, unverified=True)


def verify(connection: Connection, wallet: int, today: date) -> bool:
    """The owner is known, and used the wallet today; False for one that is closed."""
    return _changed(connection, wallet, _C.status != CLOSED, unverified=False, active_on=today)


def give_up(connection: Connection, wallet: int, name: str) -> bool:
    """Close an empty wallet and free its number; False when it holds money."""
    empty = (_C.balance == _ZERO) & (_C.held == _ZERO) & (_C.status == ACTIVE)
    return _changed(connection, wallet, empty, owner=name, status=CLOSED)


def give_to(connection: Connection, wallet: int, before: str, after: str) -> bool:
    """The wallet is another number's from now on; False when it was not `before`'s.

    Nor while it holds money, which is on its way to the number it has.
    """
    mine = (_C.owner == before) & (_C.status != CLOSED) & (_C.held == _ZERO)
    return _changed(connection, wallet, mine, owner=after, unverified=True)


def _changed(connection: Connection, wallet: int, where: Any, **values: object) -> bool:
    statement = update(accounts).where(_C.id == wallet, where).values(values)
    return connection.execute(statement).rowcount == 1
