"""SQL of the lists of withdrawals, page by page."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, Connection, and_, func, select

from gateway.withdrawals.operate import PAYOUT
from gateway.withdrawals.store import SETTLEMENT, Payout, State, Withdrawal, withdrawals
from gateway.withdrawals.stuck.store import is_unattended

COUNTED_MAX = 1_000  # more than this reads as "many" to anybody
_W = withdrawals.c


class Shown(StrEnum):
    """Which withdrawals a list shows."""

    MANUAL = "manual"  # an operator has to act, whatever the state
    UNKNOWN = "unknown"
    STUCK = "stuck"
    HELD = "held"
    PAID = "paid"
    REJECTED = "rejected"


_WHERE: Mapping[Shown, Callable[[], ColumnElement[bool]]] = {
    Shown.MANUAL: lambda: _W.payout == Payout.MANUAL.value,
    Shown.UNKNOWN: lambda: and_(_W.state == State.HELD.value, _W.payout == Payout.UNKNOWN.value),
    Shown.STUCK: lambda: is_unattended(PAYOUT),
    Shown.HELD: lambda: _W.state == State.HELD.value,
    Shown.PAID: lambda: _W.state == State.PAID.value,
    Shown.REJECTED: lambda: _W.state == State.REJECTED.value,
}
# Those of which it matters how many there are: they are few, and wait for somebody.
COUNTED = (Shown.MANUAL, Shown.UNKNOWN, Shown.STUCK, Shown.HELD)


def page(
    connection: Connection, shown: Shown, before: int | None, rows_max: int
) -> list[Withdrawal]:
    """The withdrawals of a list, the newest first; those with ids below one."""
    query = select(*_W).where(_WHERE[shown]())
    if before is not None:
        query = query.where(_W.id < before)
    rows = connection.execute(query.order_by(_W.id.desc()).limit(rows_max))
    return [Withdrawal(*row) for row in rows]


def counts(connection: Connection) -> Mapping[Shown, int]:
    """How many are in each list that is `COUNTED`; none above `COUNTED_MAX`."""
    return {shown: _count(connection, shown) for shown in COUNTED}


def settlements(connection: Connection) -> Sequence[datetime]:
    """When each settlement that is by hand and still held was asked for; at most `COUNTED_MAX`."""
    query = select(_W.requested_at).where(
        _WHERE[Shown.MANUAL](), _W.state == State.HELD.value, _W.method == SETTLEMENT
    )
    return connection.execute(query.order_by(_W.id).limit(COUNTED_MAX)).scalars().all()


def _count(connection: Connection, shown: Shown) -> int:
    some = select(_W.id).where(_WHERE[shown]()).limit(COUNTED_MAX).subquery()
    return int(connection.execute(select(func.count()).select_from(some)).scalar_one())
