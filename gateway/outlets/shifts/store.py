"""Table and SQL of shifts: every change names the state it starts from."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    String,
    bindparam,
    func,
    insert,
    select,
    update,
)

from gateway.database.types import Instant, Money, RowId, money_bounds, new_id, row_id, table
from gateway.ledger.store import ACTIVE, accounts
from gateway.outlets.store import Till, outlets, till_name, tills
from gateway.people.staff.store import staff

REASON_MAX = 200
ACTOR_MAX = 64


class State(StrEnum):
    """How far a shift has come."""

    OPEN = "open"  # payments are made
    COUNTED = "counted"  # the cash was not as expected: it waits for a manager
    CLOSED = "closed"


shifts = table(
    "shifts",
    row_id(),
    Column("till_id", ForeignKey("tills.id"), nullable=False),
    Column("cashier_id", ForeignKey("staff.id"), nullable=False),
    Column("state", String(8), nullable=False),
    Column("opening_cash", Money, nullable=False),
    Column("opened_at", Instant, nullable=False),
    Column("paid", Money, nullable=False),  # of all payments, the voided ones too
    Column("voided", Money, nullable=False),
    Column("counted_cash", Money, nullable=True),
    Column("counted_at", Instant, nullable=True),
    Column("variance", Money, nullable=True),  # counted less expected
    Column("accepted_by", String(64), nullable=True),
    Column("accepted_reason", String(REASON_MAX), nullable=True),
    Column("closed_at", Instant, nullable=True),
    # A decision names the count it is about: there may be another one by the time it arrives.
    Column("counts", Integer, nullable=False, server_default="0"),
    Column("counted_by", String(ACTOR_MAX), nullable=True),
    Column("left_cash", Money, nullable=True),  # what the shift before counted at this till
    # Until it is closed: one shift at a till, one till for a cashier.
    Column("open_till", RowId, nullable=True, unique=True),
    Column("open_cashier", RowId, nullable=True, unique=True),
    CheckConstraint("state IN ('open', 'counted', 'closed')", name="state_known"),
    CheckConstraint("opening_cash >= 0", name="opening_cash_not_negative"),
    CheckConstraint("voided >= 0 AND paid >= voided", name="voided_was_paid"),
    CheckConstraint("counted_cash >= 0", name="counted_cash_not_negative"),
    CheckConstraint(
        "(state = 'open') = (counted_at IS NULL) AND (state = 'open') = (counted_cash IS NULL)"
        " AND (state = 'open') = (variance IS NULL)",
        name="counted_says_what",
    ),
    CheckConstraint(
        "(state = 'closed') = (closed_at IS NOT NULL)"
        " AND (state = 'closed') = (open_till IS NULL)"
        " AND (state = 'closed') = (open_cashier IS NULL)",
        name="closed_is_free",
    ),
    money_bounds("opening_cash"),
    money_bounds("paid"),
    money_bounds("voided"),
    money_bounds("counted_cash"),
    money_bounds("variance"),
    Index("ix_shifts_till_id_id", "till_id", "id"),
    Index("ix_shifts_state_id", "state", "id"),
    Index("ix_shifts_opened_at", "opened_at"),
)


@dataclass(frozen=True, slots=True)
class Shift:
    """A cashier at a till, from the opening of its drawer to its count."""

    id: int
    till_id: int
    cashier_id: int
    state: str
    opening_cash: Decimal
    opened_at: datetime
    paid: Decimal
    voided: Decimal
    counted_cash: Decimal | None
    counted_at: datetime | None
    variance: Decimal | None
    accepted_by: str | None
    accepted_reason: str | None
    closed_at: datetime | None
    counts: int  # how often its drawer was counted
    counted_by: str | None  # an actor, of the last count
    left_cash: Decimal | None  # None at a till's first shift
    cashier: str  # the name
    outlet_id: int
    outlet: str  # the code
    outlet_name: str
    till_number: int
    account_id: int  # of the till
    float_limit: Decimal
    till_status: str  # of its account
    outlet_status: str  # of its settlement account

    @property
    def is_stopped(self) -> bool:
        """Whether its till or its outlet was frozen: nothing is paid until that ends."""
        return (self.till_status, self.outlet_status) != (ACTIVE, ACTIVE)

    @property
    def till(self) -> str:
        """The till's name."""
        return till_name(self.outlet, self.till_number)

    @property
    def begun_off(self) -> Decimal:
        """How much more lay in the drawer at the start than was left there; less is below zero."""
        return Decimal("0.00") if self.left_cash is None else self.opening_cash - self.left_cash

    @property
    def total(self) -> Decimal:
        """What was paid out and not taken back."""
        return self.paid - self.voided

    @property
    def expected(self) -> Decimal:
        """The cash that should be in the drawer; the cashier is not told before the count."""
        return self.opening_cash - self.total


_c = shifts.c
_OWN = tuple(column for column in _c if column.name not in ("open_till", "open_cashier"))
_till_account, _outlet_account = accounts.alias("till_account"), accounts.alias("outlet_account")
_ALL = (
    select(
        *(*_OWN, staff.c.name, tills.c.outlet_id, outlets.c.code, outlets.c.name),
        *(tills.c.number, tills.c.account_id, tills.c.float_limit),
        *(_till_account.c.status, _outlet_account.c.status),
    )
    .select_from(shifts)
    .join(staff, staff.c.id == _c.cashier_id)
    .join(tills, tills.c.id == _c.till_id)
    .join(outlets, outlets.c.id == tills.c.outlet_id)
    .join(_till_account, _till_account.c.id == tills.c.account_id)
    .join(_outlet_account, _outlet_account.c.id == outlets.c.account_id)
)
_LOCK = select(_c.id).where(_c.id == bindparam("id")).with_for_update()
# What was paid grows only while the shift is open, and only within what it may pay out in all.
PAY = (
    update(shifts)
    .where(
        _c.id == bindparam("shift"),
        _c.state == State.OPEN.value,
        _c.paid - _c.voided <= bindparam("room", type_=Money),
    )
    .values(paid=_c.paid + bindparam("amount", type_=Money))
)
VOID = (
    update(shifts)
    .where(_c.id == bindparam("shift"), _c.state == State.OPEN.value)
    .values(voided=_c.voided + bindparam("amount", type_=Money))
)


def by_id(connection: Connection, shift_id: int) -> Shift | None:
    """The shift with this id."""
    return _one(connection, _c.id == shift_id)


def of_cashier(connection: Connection, cashier_id: int) -> Shift | None:
    """The shift of a cashier that is not closed."""
    return _one(connection, _c.open_cashier == cashier_id)


def at_till(connection: Connection, till_id: int) -> Shift | None:
    """The shift at a till that is not closed."""
    return _one(connection, _c.open_till == till_id)


def lock(connection: Connection, shift_id: int) -> None:
    """Keep a shift as it is until this transaction ends."""
    connection.execute(_LOCK, {"id": shift_id})


def listed(
    connection: Connection,
    rows_max: int,
    states: Sequence[State] = tuple(State),
    outlet_id: int | None = None,
    before: int | None = None,
) -> list[Shift]:
    """The latest shifts in these states, newest first; of one outlet if asked.

    `before` is the last one of the page before this.
    """
    query = _ALL.where(_c.state.in_([state.value for state in states]))
    if outlet_id is not None:
        query = query.where(tills.c.outlet_id == outlet_id)
    if before is not None:
        query = query.where(_c.id < before)
    rows = connection.execute(query.order_by(_c.id.desc()).limit(rows_max))
    return [_shift(row) for row in rows]


def begun_otherwise(connection: Connection, since: datetime, rows_max: int) -> list[Shift]:
    """Shifts opened since then with other cash than was left at their till, newest first."""
    query = _ALL.where(_c.opened_at >= since, _c.opening_cash != _c.left_cash)
    return [_shift(row) for row in connection.execute(query.order_by(_c.id.desc()).limit(rows_max))]


def last_counted(connection: Connection, till_id: int) -> Decimal | None:
    """The cash that the last shift at a till has counted; None before the first one."""
    query = select(_c.counted_cash).where(_c.till_id == till_id, _c.state == State.CLOSED.value)
    found: Decimal | None = connection.scalar(query.order_by(_c.id.desc()).limit(1))
    return found


def last_at(connection: Connection, till_ids: Sequence[int]) -> dict[int, int]:
    """The number of the last shift at each of these tills that had one."""
    query = select(_c.till_id, func.max(_c.id)).where(_c.till_id.in_(till_ids))
    return {int(row[0]): int(row[1]) for row in connection.execute(query.group_by(_c.till_id))}


def busy_tills(connection: Connection, outlet_id: int) -> set[int]:
    """The tills of an outlet whose shift is not closed."""
    query = select(_c.open_till).join(tills, tills.c.id == _c.open_till)
    return set(connection.execute(query.where(tills.c.outlet_id == outlet_id)).scalars())


def add(
    connection: Connection,
    till: Till,
    cashier_id: int,
    opening_cash: Decimal,
    left_cash: Decimal | None,
    now: datetime,
) -> int:
    """A new shift; `DuplicateKey` when the till or the cashier has one that is not closed."""
    zero = Decimal("0.00")
    done = connection.execute(
        insert(shifts).values(
            till_id=till.id,
            cashier_id=cashier_id,
            state=State.OPEN.value,
            opening_cash=opening_cash,
            left_cash=left_cash,
            opened_at=now,
            paid=zero,
            voided=zero,
            open_till=till.id,
            open_cashier=cashier_id,
        )
    )
    return new_id(done)


def pay(connection: Connection, shift_id: int, amount: Decimal, float_limit: Decimal) -> bool:
    """Count a payment; False when the shift is not open, or would pay out too much."""
    values = {"shift": shift_id, "amount": amount, "room": float_limit - amount}
    return connection.execute(PAY, values).rowcount == 1


def void(connection: Connection, shift_id: int, amount: Decimal) -> bool:
    """Count what was taken back; False when the shift is not open."""
    return connection.execute(VOID, {"shift": shift_id, "amount": amount}).rowcount == 1


def _one(connection: Connection, which: Any) -> Shift | None:
    row = connection.execute(_ALL.where(which)).one_or_none()
    return None if row is None else _shift(row)


def _shift(row: Any) -> Shift:
    return Shift(*row)
