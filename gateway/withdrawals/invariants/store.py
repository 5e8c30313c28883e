"""The queries behind the withdrawals' invariants: each finds the rows that break one."""

from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, and_, func, literal, or_, select

from gateway.database.types import Money
from gateway.ledger.store import FEES, HELD, SETTLEMENT, accounts, entries, movements
from gateway.withdrawals.store import State, withdrawals

_ZERO = literal(Decimal("0.00"), Money)
_TOTAL = withdrawals.c.amount + withdrawals.c.fee
KINDS = ("hold", "payout", "release")

_HELD_BY = (
    select(withdrawals.c.account_id, func.sum(_TOTAL, type_=Money).label("total"))
    .where(withdrawals.c.state == State.HELD.value)
    .group_by(withdrawals.c.account_id)
    .subquery()
)
_SAID = func.coalesce(_HELD_BY.c.total, _ZERO, type_=Money)
# What an account holds against its withdrawals that are held.
HOLDS_OFF = (
    select(accounts.c.id, accounts.c.kind, accounts.c.owner, accounts.c.held, _SAID.label("asked"))
    .outerjoin(_HELD_BY, _HELD_BY.c.account_id == accounts.c.id)
    .where(accounts.c.held != _SAID)
)


def _count(kind: str) -> ColumnElement[Any]:
    return (
        select(func.count())
        .where(movements.c.subject == withdrawals.c.reference, movements.c.kind == kind)
        .correlate(withdrawals)
        .scalar_subquery()
    )


def _booked_as(state: State, **times: int) -> ColumnElement[bool]:
    counted = [_count(kind) == times.get(kind, 0) for kind in KINDS]
    return and_(withdrawals.c.state == state.value, *counted)


_RIGHT = or_(
    _booked_as(State.HELD, hold=1),
    _booked_as(State.PAID, hold=1, payout=1),
    _booked_as(State.REJECTED, hold=1, release=1),
)
# Each was held once; a paid or rejected one ended once, as its state says.
STATE_WITHOUT_MOVEMENT = select(withdrawals.c.reference, withdrawals.c.state).where(~_RIGHT)
_BOOKED = (
    select(
        withdrawals.c.reference,
        movements.c.kind,
        accounts.c.kind.label("account"),
        accounts.c.owner,
        entries.c.amount,
    )
    .select_from(withdrawals)
    .join(movements, movements.c.subject == withdrawals.c.reference)
    .join(entries, entries.c.movement_id == movements.c.id)
    .join(accounts, accounts.c.id == entries.c.account_id)
    .where(movements.c.kind.in_(KINDS))
)
# Every entry of a withdrawal's movements is one of these, to the cent and on the right account.
_FITS = or_(
    and_(
        movements.c.kind == "hold",
        or_(
            and_(accounts.c.kind == HELD, entries.c.amount == _TOTAL),
            and_(accounts.c.id == withdrawals.c.account_id, entries.c.amount == -_TOTAL),
        ),
    ),
    and_(
        movements.c.kind == "payout",
        or_(
            and_(accounts.c.kind == HELD, entries.c.amount == -_TOTAL),
            and_(
                accounts.c.kind == SETTLEMENT,
                accounts.c.owner == withdrawals.c.paid_through,
                entries.c.amount == withdrawals.c.amount,
            ),
            and_(accounts.c.kind == FEES, entries.c.amount == withdrawals.c.fee),
        ),
    ),
    and_(
        movements.c.kind == "release",
        or_(
            and_(accounts.c.kind == HELD, entries.c.amount == -_TOTAL),
            and_(accounts.c.id == withdrawals.c.account_id, entries.c.amount == _TOTAL),
        ),
    ),
)
BOOKED_OTHERWISE = _BOOKED.where(~func.coalesce(_FITS, literal(0)))
# A movement of a withdrawal's kind that is about none.
MOVEMENTS_OF_NONE = (
    select(movements.c.id, movements.c.kind, movements.c.subject)
    .outerjoin(withdrawals, withdrawals.c.reference == movements.c.subject)
    .where(movements.c.kind.in_(KINDS), withdrawals.c.id.is_(None))
)
