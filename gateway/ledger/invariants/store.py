"""The queries behind the ledger's invariants: each finds the rows that break one."""

from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, Select, and_, func, literal, or_, select

from gateway.database.types import Money
from gateway.ledger.store import GUARDED, HELD, accounts, entries, movements

Query = Select[Any]
_SUM = func.sum(entries.c.amount, type_=Money)
ZERO = literal(Decimal("0.00"), Money)
UNBALANCED_MOVEMENTS = (
    select(entries.c.movement_id, _SUM.label("sum"))
    .group_by(entries.c.movement_id)
    .having(_SUM != ZERO)
)
MOVEMENTS_WITHOUT_ENTRIES = (
    select(movements.c.id, movements.c.kind, func.count(entries.c.id).label("entries"))
    .outerjoin(entries, entries.c.movement_id == movements.c.id)
    .group_by(movements.c.id, movements.c.kind)
    .having(func.count(entries.c.id) < 2)
)
_LEDGER = func.coalesce(_SUM, ZERO, type_=Money)
BALANCES_OFF = (
    select(
        accounts.c.id,
        accounts.c.kind,
        accounts.c.owner,
        accounts.c.balance,
        _LEDGER.label("ledger"),
    )
    .outerjoin(entries, entries.c.account_id == accounts.c.id)
    .where(accounts.c.balance.is_not(None))
    .group_by(
        accounts.c.id,
        accounts.c.kind,
        accounts.c.owner,
        accounts.c.balance,
    )
    .having(accounts.c.balance != _LEDGER)
)
_HOLDS = (
    select(accounts.c.currency, func.sum(accounts.c.held, type_=Money).label("held"))
    .group_by(accounts.c.currency)
    .subquery()
)
_HELD_LEDGER = (
    select(accounts.c.currency, _SUM.label("held"))
    .join(entries, entries.c.account_id == accounts.c.id)
    .where(accounts.c.kind == HELD)
    .group_by(accounts.c.currency)
    .subquery()
)
# What the accounts say they hold against what the books say is held, in each currency.
HELD_OFF = (
    select(
        _HOLDS.c.currency,
        _HOLDS.c.held,
        func.coalesce(_HELD_LEDGER.c.held, ZERO, type_=Money).label("ledger"),
    )
    .outerjoin(_HELD_LEDGER, _HELD_LEDGER.c.currency == _HOLDS.c.currency)
    .where(_HOLDS.c.held != func.coalesce(_HELD_LEDGER.c.held, ZERO, type_=Money))
)
# Without a balance a debit would not be guarded; a balance on a system account would go stale.
UNGUARDED = select(
    accounts.c.id, accounts.c.kind, accounts.c.owner, accounts.c.balance, accounts.c.held
).where(
    or_(
        and_(accounts.c.kind.in_(GUARDED), accounts.c.balance.is_(None)),
        and_(
            accounts.c.kind.not_in(GUARDED),
            or_(accounts.c.balance.is_not(None), accounts.c.held != ZERO),
        ),
    )
)
MIXED_MOVEMENTS = (
    select(entries.c.movement_id)
    .join(accounts, accounts.c.id == entries.c.account_id)
    .group_by(entries.c.movement_id)
    .having(func.count(accounts.c.currency.distinct()) > 1)
)


def rows(connection: Connection, query: Query) -> list[dict[str, Any]]:
    """What a query of an invariant finds."""
    return [dict(row) for row in connection.execute(query).mappings()]
