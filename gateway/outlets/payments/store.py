"""Table and SQL of payments: what a cashier was shown, and the intent that a claim is made of."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Connection,
    ForeignKey,
    Index,
    String,
    bindparam,
    insert,
    select,
    update,
)

from gateway.database.types import Instant, Money, money_bounds, row_id, table
from gateway.outlets.shifts.store import shifts
from gateway.outlets.store import outlets, till_name, tills
from gateway.people.staff.store import staff


class State(StrEnum):
    """What became of a token that was shown."""

    SHOWN = "shown"  # waits for the cashier
    PAID = "paid"
    REFUSED = "refused"  # by us: `answer` says why
    DECLINED = "declined"  # by the cashier
    VOIDED = "voided"  # was paid, and taken back by a manager


DONE = (State.PAID, State.VOIDED)

payments = table(
    "payments",
    row_id(),
    Column("reference", String(16), nullable=False, unique=True),
    Column("shift_id", ForeignKey("shifts.id"), nullable=False),
    Column("token_id", ForeignKey("tokens.id"), nullable=False),
    Column("serial", String(12), nullable=False),
    Column("amount", Money, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("asks_phone", Boolean, nullable=False),  # the recipient's number must be entered
    Column("customer", String(16), nullable=False),  # the number that was entered; "": none
    Column("state", String(8), nullable=False),
    Column("answer", String(20), nullable=False),  # what was said last
    Column("channel", String(8), nullable=False),  # counter or ussd
    Column("created_at", Instant, nullable=False),
    Column("decided_at", Instant, nullable=True),
    Column("voided_at", Instant, nullable=True),
    Column("voided_by", String(64), nullable=True),
    Column("fresh_serial", String(12), nullable=True),  # of the token that replaced it
    CheckConstraint(
        "state IN ('shown', 'paid', 'refused', 'declined', 'voided')", name="state_known"
    ),
    CheckConstraint("amount > 0", name="amount_positive"),
    CheckConstraint("(state = 'shown') = (decided_at IS NULL)", name="decided_says_when"),
    CheckConstraint(
        "(state = 'voided') = (voided_at IS NOT NULL)"
        " AND (state = 'voided') = (voided_by IS NOT NULL)"
        " AND (state = 'voided') = (fresh_serial IS NOT NULL)",
        name="voided_says_how",
    ),
    money_bounds("amount"),
    Index("ix_payments_shift_id_id", "shift_id", "id"),
    Index("ix_payments_token_id", "token_id"),
    Index("ix_payments_created_at", "created_at"),
)


@dataclass(frozen=True, slots=True)
class Payment:
    """One look-up of a token at a till, and what became of it; never its digits."""

    id: int
    reference: str
    shift_id: int
    token_id: int
    serial: str
    amount: Decimal
    currency: str
    asks_phone: bool
    customer: str
    state: str
    answer: str
    channel: str
    created_at: datetime
    decided_at: datetime | None
    voided_at: datetime | None
    voided_by: str | None
    fresh_serial: str | None
    cashier_id: int
    cashier: str  # the name
    outlet_id: int
    outlet: str  # the code
    outlet_name: str
    till_number: int

    @property
    def till(self) -> str:
        """The till's name."""
        return till_name(self.outlet, self.till_number)


_c = payments.c
_IS_DONE = _c.state.in_([state.value for state in DONE])
_ALL = (
    select(
        *_c,
        shifts.c.cashier_id,
        staff.c.name,
        tills.c.outlet_id,
        outlets.c.code,
        outlets.c.name,
        tills.c.number,
    )
    .select_from(payments)
    .join(shifts, shifts.c.id == _c.shift_id)
    .join(staff, staff.c.id == shifts.c.cashier_id)
    .join(tills, tills.c.id == shifts.c.till_id)
    .join(outlets, outlets.c.id == tills.c.outlet_id)
)
_LOCK = select(_c.id).where(_c.reference == bindparam("name")).with_for_update()
# Each change names the state it starts from: of two that race, one finds it.
DECIDE = (
    update(payments)
    .where(_c.id == bindparam("payment"), _c.state == State.SHOWN.value)
    .values(
        state=bindparam("after"),
        answer=bindparam("said"),
        customer=bindparam("whose"),
        decided_at=bindparam("now", type_=Instant),
    )
)
VOID = (
    update(payments)
    .where(_c.id == bindparam("payment"), _c.state == State.PAID.value)
    .values(
        state=State.VOIDED.value,
        voided_at=bindparam("now", type_=Instant),
        voided_by=bindparam("by"),
        fresh_serial=bindparam("fresh"),
    )
)


def by_reference(connection: Connection, reference: str) -> Payment | None:
    """The payment with this reference."""
    return _one(connection, _ALL.where(_c.reference == reference))


def lock(connection: Connection, reference: str) -> None:
    """Keep a payment as it is until this transaction ends."""
    connection.execute(_LOCK, {"name": reference})


def waiting(
    connection: Connection, shift_id: int, token_id: int, since: datetime
) -> Payment | None:
    """The payment of a token that a shift was shown lately and has not decided."""
    return _newest(connection, shift_id, token_id, _c.state == State.SHOWN.value, since)


def paid(connection: Connection, shift_id: int, token_id: int) -> Payment | None:
    """The payment with which a shift has paid a token, also if it was voided since."""
    return _newest(connection, shift_id, token_id, _IS_DONE)


def of_token(connection: Connection, token_id: int) -> Payment | None:
    """The payment that has redeemed a token, also if it was voided since."""
    query = _ALL.where(_c.token_id == token_id, _IS_DONE)
    return _one(connection, query.order_by(_c.id.desc()).limit(1))


def is_voided(connection: Connection, token_id: int) -> bool:
    """Whether the payment of a token was taken back: its value lives on in another one."""
    query = select(_c.id).where(_c.token_id == token_id, _c.state == State.VOIDED.value)
    return connection.execute(query).first() is not None


def of_shift(connection: Connection, shift_id: int, rows_max: int) -> list[Payment]:
    """A shift's latest payments, the voided ones too, newest first."""
    return _listed(connection, rows_max, _c.shift_id == shift_id)


def of_outlet(
    connection: Connection, outlet_id: int, since: datetime, rows_max: int
) -> list[Payment]:
    """An outlet's payments since then, the voided ones too, newest first."""
    return _listed(connection, rows_max, tills.c.outlet_id == outlet_id, _c.decided_at >= since)


def add(connection: Connection, values: dict[str, Any]) -> None:
    """A new payment."""
    connection.execute(insert(payments).values(**values))


def decide(
    connection: Connection,
    payment: Payment,
    state: State,
    answer: str,
    customer: str,
    now: datetime,
) -> bool:
    """Shown to decided; False when it was decided already."""
    values = {"payment": payment.id, "after": state.value, "said": answer, "whose": customer}
    return connection.execute(DECIDE, values | {"now": now}).rowcount == 1


def remark(connection: Connection, payment: Payment, answer: str) -> None:
    """Keep what was answered to a payment that can still be confirmed."""
    connection.execute(
        update(payments)
        .where(_c.id == payment.id, _c.state == State.SHOWN.value)
        .values(answer=answer)
    )


def void(connection: Connection, payment: Payment, by: str, fresh: str, now: datetime) -> bool:
    """Paid to voided; False when it is not paid."""
    values = {"payment": payment.id, "by": by, "fresh": fresh, "now": now}
    return connection.execute(VOID, values).rowcount == 1


def _newest(
    connection: Connection, shift_id: int, token_id: int, which: Any, since: datetime | None = None
) -> Payment | None:
    query = _ALL.where(_c.shift_id == shift_id, _c.token_id == token_id, which)
    if since is not None:
        query = query.where(_c.created_at > since)
    return _one(connection, query.order_by(_c.id.desc()).limit(1))


def _listed(connection: Connection, rows_max: int, *which: Any) -> list[Payment]:
    query = (
        _ALL.where(_IS_DONE, *which).order_by(_c.decided_at.desc(), _c.id.desc()).limit(rows_max)
    )
    return [_payment(row) for row in connection.execute(query)]


def _one(connection: Connection, query: Any) -> Payment | None:
    row = connection.execute(query).one_or_none()
    return None if row is None else _payment(row)


def _payment(row: Any) -> Payment:
    return Payment(*row)
