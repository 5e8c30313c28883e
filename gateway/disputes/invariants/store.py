"""The queries behind the disputes' invariants: each finds the rows that break one."""

from decimal import Decimal

from sqlalchemy import case, func, literal, or_, select

from gateway.database.types import Money
from gateway.disputes.states import REFUND, RULES, Kind, State
from gateway.disputes.store import disputes
from gateway.ledger.store import entries, movements
from gateway.tokens.store import tokens
from gateway.withdrawals.store import withdrawals

_C = disputes.c
_ZERO = literal(Decimal("0.00"), Money)
# What a refund is booked as, and under whose name: the subject's own, or the dispute's.
_BOOKED_AS = case(*((_C.kind == kind.value, rule.movement) for kind, rule in RULES.items()))
_NAMED = case((_BOOKED_AS == REFUND, _C.reference), else_=_C.subject)
_MOVED = (
    select(entries.c.movement_id, func.sum(entries.c.amount, type_=Money).label("amount"))
    .where(entries.c.amount > _ZERO)
    .group_by(entries.c.movement_id)
    .subquery()
)
_TIMES = func.count(movements.c.id)
_AMOUNT = func.coalesce(func.sum(_MOVED.c.amount, type_=Money), _ZERO, type_=Money)
REFUNDS_OFF = (
    select(_C.reference, _C.refunded, _TIMES.label("movements"), _AMOUNT.label("moved"))
    .select_from(disputes)
    .outerjoin(movements, (movements.c.kind == _BOOKED_AS) & (movements.c.subject == _NAMED))
    .outerjoin(_MOVED, _MOVED.c.movement_id == movements.c.id)
    .where(_C.state == State.REFUNDED.value)
    .group_by(_C.id, _C.reference, _C.refunded)
    .having(or_(_TIMES != 1, _C.refunded != _AMOUNT))
)
_REFUNDED = func.sum(_C.refunded, type_=Money)
REDEMPTIONS_OVER_REFUNDED = (
    select(tokens.c.serial, tokens.c.amount, _REFUNDED.label("refunded"))
    .join(disputes, _C.subject == tokens.c.serial)
    .where(_C.kind == Kind.REDEMPTION.value)
    .group_by(tokens.c.id, tokens.c.serial, tokens.c.amount)
    .having(tokens.c.amount < _REFUNDED)
)
_TOTAL = withdrawals.c.amount + withdrawals.c.fee
WITHDRAWALS_OVER_REFUNDED = (
    select(withdrawals.c.reference, _TOTAL.label("total"), _REFUNDED.label("refunded"))
    .join(disputes, _C.subject == withdrawals.c.reference)
    .where(_C.kind == Kind.PAID.value)
    .group_by(withdrawals.c.id, withdrawals.c.reference, withdrawals.c.amount, withdrawals.c.fee)
    .having(_REFUNDED > _TOTAL)
)
REFUNDS_OF_NONE = (
    select(movements.c.id, movements.c.subject)
    .outerjoin(disputes, (_C.reference == movements.c.subject) & (_C.state == State.REFUNDED.value))
    .where(movements.c.kind == REFUND, _C.id.is_(None))
)
