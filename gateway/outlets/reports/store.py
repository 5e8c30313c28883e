"""SQL of the reports about payments."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, exists, func, literal, select, text

from gateway.outlets.payments.store import DONE, State, payments
from gateway.outlets.shifts.store import shifts
from gateway.outlets.store import outlets, till_name, tills
from gateway.people.staff.store import staff
from gateway.tokens.store import tokens

PATIENCE: Final = timedelta(minutes=20)  # how long a customer waits for a second try
SECONDS_A_DAY: Final = 86_400


@dataclass(frozen=True, slots=True)
class RedeemedLater:
    """A token that a cashier looked up and did not pay, and where it was redeemed afterwards."""

    id: int  # of the payment that was not made
    reference: str
    serial: str
    amount: Decimal
    currency: str
    state: str
    answer: str
    looked_up_at: datetime
    cashier_id: int
    cashier: str  # the name
    cashier_phone: str
    outlet: str
    till_number: int
    redeemed_at: datetime
    redeemed_by: str  # a phone, or a till
    redeemed_channel: str

    @property
    def till(self) -> str:
        """The till where it was looked up."""
        return till_name(self.outlet, self.till_number)

    @property
    def by_cashier(self) -> bool:
        """Whether the cashier's own phone has redeemed it."""
        return self.redeemed_by == self.cashier_phone

    @property
    def at_same_till(self) -> bool:
        """Whether it was paid where it was looked up before, and who was given the cash?"""
        return self.redeemed_by == self.till


_c = payments.c
_paid = payments.alias("paid")
_PAID_THERE = exists().where(
    # Whoever has sent the customer away explains it, however soon they pay.
    _c.state != State.DECLINED.value,
    _paid.c.token_id == _c.token_id,
    _paid.c.shift_id == _c.shift_id,
    _paid.c.state.in_([state.value for state in DONE]),
)
_REDEEMED_LATER = (
    select(
        *(_c.id, _c.reference, _c.serial, _c.amount, _c.currency),
        *(_c.state, _c.answer, _c.created_at),
        *(staff.c.id, staff.c.name, staff.c.msisdn, outlets.c.code, tills.c.number),
        *(tokens.c.redeemed_at, tokens.c.redeemed_by, tokens.c.redeemed_channel),
    )
    .select_from(payments)
    .join(tokens, tokens.c.id == _c.token_id)
    .join(shifts, shifts.c.id == _c.shift_id)
    .join(staff, staff.c.id == shifts.c.cashier_id)
    .join(tills, tills.c.id == shifts.c.till_id)
    .join(outlets, outlets.c.id == tills.c.outlet_id)
    .where(
        _c.state.in_([State.SHOWN.value, State.REFUSED.value, State.DECLINED.value]),
        tokens.c.redeemed_at >= _c.created_at,
    )
)


def redeemed_later(
    connection: Connection,
    since: datetime,
    rows_max: int,
    outlet_id: int | None = None,
    before: int | None = None,
) -> list[RedeemedLater]:
    """Tokens looked up since then, not paid, and redeemed afterwards; the latest first.

    Also those that the same till has paid after all, when it had declined them or its customer was
    long gone: whoever looks one up twice in a row and pays it has nothing to explain.
    """
    soon = _PAID_THERE.where(_seconds(connection) <= PATIENCE.total_seconds())
    query = _REDEEMED_LATER.where(_c.created_at >= since, ~soon)
    if outlet_id is not None:
        query = query.where(tills.c.outlet_id == outlet_id)
    if before is not None:
        query = query.where(_c.id < before)
    rows = connection.execute(query.order_by(_c.id.desc()).limit(rows_max))
    return [_later(row) for row in rows]


def _seconds(connection: Connection) -> ColumnElement[Any]:
    """From a look-up to the payment of its token."""
    since, until = _c.created_at, _paid.c.decided_at
    if connection.dialect.name == "sqlite":
        return (func.julianday(until) - func.julianday(since)) * literal(SECONDS_A_DAY)
    return func.timestampdiff(text("SECOND"), since, until)


def _later(row: Any) -> RedeemedLater:
    return RedeemedLater(*row)
