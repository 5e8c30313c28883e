"""SQL of the reports about payments."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, exists, select

from gateway.outlets.payments.store import DONE, State, payments
from gateway.outlets.shifts.store import shifts
from gateway.outlets.store import outlets, till_name, tills
from gateway.people.staff.store import staff
from gateway.tokens.store import tokens


@dataclass(frozen=True, slots=True)
class RedeemedLater:
    """A token that a cashier looked up and did not pay, and where it was redeemed afterwards."""

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


_c = payments.c
_paid = payments.alias("paid")
# Whoever looks a token up twice and pays it then has nothing to explain.
_PAID_THERE = exists().where(
    _paid.c.token_id == _c.token_id,
    _paid.c.shift_id == _c.shift_id,
    _paid.c.state.in_([state.value for state in DONE]),
)
_REDEEMED_LATER = (
    select(
        *(_c.reference, _c.serial, _c.amount, _c.currency, _c.state, _c.answer, _c.created_at),
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
        ~_PAID_THERE,
    )
)


def redeemed_later(
    connection: Connection, since: datetime, rows_max: int, outlet_id: int | None = None
) -> list[RedeemedLater]:
    """Tokens looked up since then, not paid there, and redeemed afterwards; the latest first."""
    query = _REDEEMED_LATER.where(_c.created_at >= since)
    if outlet_id is not None:
        query = query.where(tills.c.outlet_id == outlet_id)
    rows = connection.execute(query.order_by(_c.id.desc()).limit(rows_max))
    return [_later(row) for row in rows]


def _later(row: Any) -> RedeemedLater:
    return RedeemedLater(*row)
