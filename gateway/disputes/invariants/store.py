"""The queries behind the disputes' invariants: each finds the rows that break one."""

from decimal import Decimal

from sqlalchemy import String, and_, case, cast, func, literal, or_, select

from gateway.database.types import Money
from gateway.disputes.states import REFUND, RULES, Kind, State
from gateway.disputes.store import disputes
from gateway.ledger.store import accounts, entries, movements
from gateway.outlets.payments.owed import COUNTERS
from gateway.outlets.payments.store import DONE, payments
from gateway.outlets.shifts.closing import CLOSE
from gateway.outlets.shifts.store import shifts
from gateway.outlets.store import outlets, tills
from gateway.tokens.store import tokens
from gateway.withdrawals.store import withdrawals

_C = disputes.c
_ZERO = literal(Decimal("0.00"), Money)
_IS_REFUNDED = _C.state == State.REFUNDED.value
# What a refund is booked under, found by the one index that movements have of their names.
_NAMES = {
    Kind.LIVE: cast(tokens.c.id, String(20)),
    Kind.REDEMPTION: _C.reference,
    Kind.HELD: _C.subject,
    Kind.PAID: _C.reference,
}
_KEY = case(
    *(
        (_C.kind == kind.value, literal(f"{RULES[kind].movement}:").concat(name))
        for kind, name in _NAMES.items()
    )
)
_TIMES = func.count(movements.c.id.distinct())
_AMOUNT = func.coalesce(func.sum(entries.c.amount, type_=Money), _ZERO, type_=Money)
REFUNDS_OFF = (
    select(_C.reference, _C.refunded, _TIMES.label("movements"), _AMOUNT.label("moved"))
    .select_from(disputes)
    .outerjoin(tokens, (_C.kind == Kind.LIVE.value) & (tokens.c.serial == _C.subject))
    .outerjoin(movements, movements.c.operation_key == _KEY)
    .outerjoin(entries, (entries.c.movement_id == movements.c.id) & (entries.c.amount > _ZERO))
    .where(_IS_REFUNDED)
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
    .having(_TOTAL < _REFUNDED)
)
# One movement for each: a second one of a dispute would be booked under another key.
_ITS_OWN = literal(f"{REFUND}:").concat(_C.reference) == movements.c.operation_key
REFUNDS_OF_NONE = (
    select(movements.c.id, movements.c.subject)
    .outerjoin(disputes, (_C.reference == movements.c.subject) & _ITS_OWN & _IS_REFUNDED)
    .where(movements.c.kind == REFUND, _C.id.is_(None))
)
# A till's money goes on to its outlet with one movement; what was refunded before that one was the
# till's, what is refunded after it is the outlet's. Both hold the shift: their numbers tell.
_closing = movements.alias("closing")
_HANDED_ON = literal(f"{CLOSE}:").concat(cast(shifts.c.id, String(20)))
_FROM_TILL = and_(
    entries.c.account_id == tills.c.account_id,
    or_(_closing.c.id.is_(None), movements.c.id < _closing.c.id),
)
_FROM_OUTLET = and_(
    entries.c.account_id == outlets.c.account_id, movements.c.id > func.coalesce(_closing.c.id, 0)
)
_IS_PAYMENT = payments.c.state.in_([state.value for state in DONE])
REFUNDED_BY_OTHERS = (
    select(_C.reference, _C.subject, accounts.c.owner, entries.c.amount)
    .join(movements, _ITS_OWN)
    .join(entries, (entries.c.movement_id == movements.c.id) & (entries.c.amount < _ZERO))
    .join(accounts, accounts.c.id == entries.c.account_id)
    .join(tokens, tokens.c.serial == _C.subject)
    .join(payments, (payments.c.token_id == tokens.c.id) & _IS_PAYMENT)
    .join(shifts, shifts.c.id == payments.c.shift_id)
    .join(tills, tills.c.id == shifts.c.till_id)
    .join(outlets, outlets.c.id == tills.c.outlet_id)
    .outerjoin(_closing, _closing.c.operation_key == _HANDED_ON)
    .where(
        _C.kind == Kind.REDEMPTION.value,
        accounts.c.kind.in_(COUNTERS),
        ~or_(_FROM_TILL, _FROM_OUTLET),
    )
)
