"""SQL of a shift's end: every change names the count that it is about."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, bindparam, null, update

from gateway.database.types import Instant, Money
from gateway.outlets.shifts.store import ACTOR_MAX, REASON_MAX, Shift, State, shifts

_c = shifts.c
COUNT = (
    update(shifts)
    .where(
        _c.id == bindparam("shift"),
        _c.state == State.OPEN.value,
        _c.counts == bindparam("counted_before"),
    )
    .values(
        state=State.COUNTED.value,
        counted_cash=bindparam("cash", type_=Money),
        counted_at=bindparam("now", type_=Instant),
        variance=bindparam("difference", type_=Money),
        counts=_c.counts + 1,
        counted_by=bindparam("actor"),
    )
)


def count(
    connection: Connection,
    shift: Shift,
    cash: Decimal,
    actor: str,
    now: datetime,
) -> bool:
    """Open to counted; False when it is not open, or was counted since it was read."""
    values = {"shift": shift.id, "counted_before": shift.counts, "cash": cash}
    values |= {"difference": cash - shift.expected, "actor": actor[:ACTOR_MAX], "now": now}
    return connection.execute(COUNT, values).rowcount == 1


def count_anew(connection: Connection, shift: Shift) -> bool:
    """Counted to open; False when it is not counted, or was counted since it was read."""
    return _move(
        connection,
        shift,
        state=State.OPEN.value,
        counted_cash=null(),
        counted_at=null(),
        counted_by=null(),
        variance=null(),
    )


def close(
    connection: Connection, shift: Shift, accepted_by: str | None, reason: str, now: datetime
) -> bool:
    """Counted to closed; False when it is not counted, or was counted since it was read."""
    return _move(
        connection,
        shift,
        state=State.CLOSED.value,
        accepted_by=accepted_by,
        accepted_reason=reason[:REASON_MAX] or None,
        closed_at=now,
        open_till=null(),
        open_cashier=null(),
    )


def _move(connection: Connection, shift: Shift, **values: Any) -> bool:
    waits = (_c.id == shift.id, _c.state == State.COUNTED.value, _c.counts == shift.counts)
    return connection.execute(update(shifts).where(*waits).values(**values)).rowcount == 1
