"""The queries behind the outlets' invariants: each finds the rows that break one."""

from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, String, and_, cast, exists, func, literal, or_, select

from gateway.database.types import Money
from gateway.ledger.store import CLOSED, accounts, entries, movements
from gateway.outlets.payments.store import DONE, payments
from gateway.outlets.payments.store import State as PaymentState
from gateway.outlets.shifts.store import State, shifts
from gateway.outlets.store import Status as Stand
from gateway.outlets.store import outlets, tills
from gateway.tokens.store import Status, tokens

_ZERO = literal(Decimal("0.00"), Money)
_s, _p = shifts.c, payments.c
_IS_DONE = _p.state.in_([state.value for state in DONE])


def _total(column: Any, *which: ColumnElement[bool]) -> Any:
    found = func.coalesce(func.sum(column, type_=Money), _ZERO, type_=Money)
    return select(found).where(*which)


_PAID = _total(_p.amount, _p.shift_id == _s.id, _IS_DONE).correlate(shifts).scalar_subquery()
_VOIDED = (
    _total(_p.amount, _p.shift_id == _s.id, _p.state == PaymentState.VOIDED.value)
    .correlate(shifts)
    .scalar_subquery()
)
TOTALS_OFF = select(
    _s.id, _s.paid, _PAID.label("payments"), _s.voided, _VOIDED.label("voids")
).where(or_(_s.paid != _PAID, _s.voided != _VOIDED))


def _entered(kind: str) -> Any:
    """What the movements of a kind came to on a till's account."""
    joined = entries.join(movements, movements.c.id == entries.c.movement_id)
    found = func.coalesce(func.sum(entries.c.amount, type_=Money), _ZERO, type_=Money)
    return (
        select(found)
        .select_from(joined)
        .where(entries.c.account_id == tills.c.account_id, movements.c.kind == kind)
        .correlate(tills)
        .scalar_subquery()
    )


def _of_shifts(column: Any) -> Any:
    return _total(column, _s.till_id == tills.c.id).correlate(tills).scalar_subquery()


_REDEEMED, _RENEWED = _entered("redeem"), _entered("issue")
_SHIFTS_PAID, _SHIFTS_VOIDED = _of_shifts(_s.paid), _of_shifts(_s.voided)
TILLS_OFF = select(
    tills.c.id,
    _REDEEMED.label("redeemed"),
    _SHIFTS_PAID.label("paid"),
    _RENEWED.label("renewed"),
    _SHIFTS_VOIDED.label("voided"),
).where(or_(_REDEEMED != _SHIFTS_PAID, _RENEWED + _SHIFTS_VOIDED != _ZERO))
LEFT_IN_TILLS = (
    select(tills.c.id, accounts.c.owner, accounts.c.balance, accounts.c.held)
    .join(accounts, accounts.c.id == tills.c.account_id)
    .where(
        or_(accounts.c.balance != _ZERO, accounts.c.held != _ZERO),
        ~exists().where(_s.open_till == tills.c.id),
    )
)
_IS_EMPTY = and_(accounts.c.status == CLOSED, accounts.c.balance == _ZERO, accounts.c.held == _ZERO)
CLOSED_TILLS_IN_USE = (
    select(tills.c.id, accounts.c.owner, accounts.c.status, accounts.c.balance, accounts.c.held)
    .join(accounts, accounts.c.id == tills.c.account_id)
    .where(
        or_(tills.c.status == Stand.CLOSED.value, accounts.c.status == CLOSED),
        or_(
            ~and_(tills.c.status == Stand.CLOSED.value, _IS_EMPTY),
            exists().where(_s.open_till == tills.c.id),
        ),
    )
)
CLOSED_OUTLETS_IN_USE = (
    select(outlets.c.code, accounts.c.status, accounts.c.balance, accounts.c.held)
    .join(accounts, accounts.c.id == outlets.c.account_id)
    .where(
        or_(outlets.c.status == Stand.CLOSED.value, accounts.c.status == CLOSED),
        or_(
            ~and_(outlets.c.status == Stand.CLOSED.value, _IS_EMPTY),
            exists().where(tills.c.outlet_id == outlets.c.id, tills.c.status != Stand.CLOSED.value),
        ),
    )
)
_TILL = outlets.c.code.concat("/").concat(cast(tills.c.number, String(12)))
_other = payments.alias("other")
_PAID_TWICE = exists().where(
    _other.c.token_id == _p.token_id,
    _other.c.id != _p.id,
    _other.c.state.in_([state.value for state in DONE]),
)
PAID_OTHERWISE = (
    select(_p.reference, _p.serial, _p.amount, tokens.c.status, tokens.c.redeemed_by)
    .join(tokens, tokens.c.id == _p.token_id)
    .join(shifts, _s.id == _p.shift_id)
    .join(tills, tills.c.id == _s.till_id)
    .join(outlets, outlets.c.id == tills.c.outlet_id)
    .where(
        _IS_DONE,
        or_(
            tokens.c.status != Status.REDEEMED.value,
            tokens.c.redeemed_by != _TILL,
            tokens.c.amount != _p.amount,
            _PAID_TWICE,
        ),
    )
)
_fresh = tokens.alias("fresh")
RENEWED_OTHERWISE = (
    select(_p.reference, _p.serial, _p.fresh_serial, _p.amount, _fresh.c.amount.label("renewed"))
    .join(tokens, tokens.c.id == _p.token_id)
    .outerjoin(_fresh, _fresh.c.serial == _p.fresh_serial)
    .where(
        _p.state == PaymentState.VOIDED.value,
        or_(
            _fresh.c.id.is_(None),
            _fresh.c.amount != _p.amount,
            _fresh.c.funder_id != tokens.c.funder_id,
            _fresh.c.id == tokens.c.id,
        ),
    )
)
_EXPECTED = _s.opening_cash - _s.paid + _s.voided
VARIANCES_OFF = select(_s.id, _s.state, _s.variance, _s.counted_cash, _s.accepted_by).where(
    or_(
        _s.variance != _s.counted_cash - _EXPECTED,
        and_(
            _s.state == State.CLOSED.value,
            or_(_s.variance != _ZERO, _s.counts > 1),
            _s.accepted_by.is_(None),
        ),
    )
)
