"""SQL of a cashier's day: what they have paid, at whatever till."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, Select, func, select

from gateway.database.types import Money
from gateway.outlets.payments.store import DONE, State, payments
from gateway.outlets.shifts.store import shifts
from gateway.outlets.store import outlets, till_name, tills


@dataclass(frozen=True, slots=True)
class Line:
    """One payment in a list."""

    id: int
    reference: str
    serial: str
    amount: Decimal
    currency: str
    state: str
    decided_at: datetime
    outlet: str
    till_number: int

    @property
    def till(self) -> str:
        """The till's name."""
        return till_name(self.outlet, self.till_number)


@dataclass(frozen=True, slots=True)
class Sum:
    """How many payments there are of one state, and what they come to."""

    number: int = 0
    amount: Decimal = Decimal("0.00")


_c = payments.c
_LINE = select(
    *(_c.id, _c.reference, _c.serial, _c.amount, _c.currency, _c.state, _c.decided_at),
    *(outlets.c.code, tills.c.number),
)


def of_cashier(
    connection: Connection, cashier_id: int, since: datetime, before: int | None, rows_max: int
) -> list[Line]:
    """A cashier's payments since then, the voided ones too, newest first.

    `before` is the last one of the page before this.
    """
    query = _of(_LINE, cashier_id, since)
    if before is not None:
        query = query.where(_c.id < before)
    rows = connection.execute(query.order_by(_c.id.desc()).limit(rows_max))
    return [Line(*row) for row in rows]


def of_shift(
    connection: Connection, shift_id: int, before: int | None, rows_max: int
) -> list[Line]:
    """A shift's payments, the voided ones too, newest first."""
    query = _joined(_LINE).where(_c.shift_id == shift_id)
    if before is not None:
        query = query.where(_c.id < before)
    rows = connection.execute(query.order_by(_c.id.desc()).limit(rows_max))
    return [Line(*row) for row in rows]


def totals(connection: Connection, cashier_id: int, since: datetime) -> dict[str, Sum]:
    """The same payments added up, by what became of them."""
    added = func.sum(_c.amount, type_=Money)
    query = _of(select(_c.state, func.count(), added), cashier_id, since)
    rows = connection.execute(query.group_by(_c.state))
    found = {str(state): Sum(int(number), amount) for state, number, amount in rows}
    return {state.value: found.get(state.value, Sum()) for state in (State.PAID, State.VOIDED)}


def _of(query: Select[Any], cashier_id: int, since: datetime) -> Select[Any]:
    return _joined(query).where(shifts.c.cashier_id == cashier_id, _c.decided_at >= since)


def _joined(query: Select[Any]) -> Select[Any]:
    joined = (
        query.select_from(payments)
        .join(shifts, shifts.c.id == _c.shift_id)
        .join(tills, tills.c.id == shifts.c.till_id)
        .join(outlets, outlets.c.id == tills.c.outlet_id)
    )
    return joined.where(_c.state.in_([state.value for state in DONE]))
