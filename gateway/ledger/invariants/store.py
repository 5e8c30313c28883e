"""The queries behind the ledger's invariants: each finds the rows that break one."""

from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, Select, and_, func, literal, or_, select

from gateway.database.types import Money
from gateway.ledger.books import GUARDED
from gateway.ledger.store import accounts, entries, movements

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
_OWED = func.coalesce(_SUM, ZERO, type_=Money)
BALANCES_OFF = (
    select(
        accounts.c.id,
        accounts.c.kind,
        accounts.c.owner,
        accounts.c.balance,
        accounts.c.held,
        _OWED.label("ledger"),
    )
    .outerjoin(entries, entries.c.account_id == accounts.c.id)
    .where(accounts.c.balance.is_not(None))
    .group_by(
        accounts.c.id,
        accounts.c.kind,
        accounts.c.owner,
        accounts.c.balance,
        accounts.c.held,
    )
    .having(accounts.c.balance + accounts.c.held != _OWED)
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
