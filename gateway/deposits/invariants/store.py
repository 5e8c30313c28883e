"""The queries behind the invariants of deposits: each finds the rows that break one."""

from decimal import Decimal

from sqlalchemy import and_, func, literal, or_, select

from gateway.database.types import Money
from gateway.deposits.credit import BOOKED
from gateway.deposits.states import OPEN, State
from gateway.deposits.store import deposits
from gateway.deposits.undo import RELEASED
from gateway.ledger.store import SETTLEMENT, SUSPENSE, accounts, entries, movements

_ZERO = literal(Decimal("0.00"), Money)
_IS_OPEN = deposits.c.state.in_([state.value for state in OPEN])
_BOOKINGS = (
    select(
        movements.c.subject,
        func.count().label("times"),
        func.sum(entries.c.amount, type_=Money).label("settled"),
    )
    .join(entries, entries.c.movement_id == movements.c.id)
    .join(accounts, accounts.c.id == entries.c.account_id)
    .where(movements.c.kind == BOOKED, accounts.c.kind == SETTLEMENT)
    .group_by(movements.c.subject)
    .subquery()
)
_RIGHT = or_(
    and_(_IS_OPEN, _BOOKINGS.c.times.is_(None)),
    and_(~_IS_OPEN, _BOOKINGS.c.times == 1, _BOOKINGS.c.settled + deposits.c.amount == _ZERO),
)
NOT_BOOKED_ONCE = (
    select(deposits.c.reference, deposits.c.state, deposits.c.amount, _BOOKINGS.c.settled)
    .outerjoin(_BOOKINGS, _BOOKINGS.c.subject == deposits.c.reference)
    .where(~func.coalesce(_RIGHT, literal(0)))
)
MOVEMENTS_WITHOUT_DEPOSIT = (
    select(movements.c.id, movements.c.subject)
    .outerjoin(deposits, and_(deposits.c.reference == movements.c.subject, ~_IS_OPEN))
    .where(movements.c.kind == BOOKED, deposits.c.id.is_(None))
)
# What was released from suspense since stands in a movement of its own.
_CREDITS = (
    select(
        movements.c.subject,
        entries.c.account_id,
        func.sum(entries.c.amount, type_=Money).label("credited"),
    )
    .join(entries, entries.c.movement_id == movements.c.id)
    .where(movements.c.kind.in_((BOOKED, RELEASED)))
    .group_by(movements.c.subject, entries.c.account_id)
    .subquery()
)
CREDITED_ELSEWHERE = (
    select(deposits.c.reference, deposits.c.account_id, _CREDITS.c.credited)
    .join(accounts, accounts.c.id == deposits.c.account_id)
    .outerjoin(
        _CREDITS,
        and_(
            _CREDITS.c.subject == deposits.c.reference,
            _CREDITS.c.account_id == deposits.c.account_id,
        ),
    )
    .where(
        ~_IS_OPEN,
        or_(
            _CREDITS.c.credited.is_(None),
            and_(
                accounts.c.kind != SUSPENSE,
                _CREDITS.c.credited != deposits.c.amount - deposits.c.fee,
            ),
            and_(accounts.c.kind == SUSPENSE, _CREDITS.c.credited != deposits.c.amount),
        ),
    )
)
_WAITING = (
    select(deposits.c.account_id, func.sum(deposits.c.amount, type_=Money).label("waiting"))
    .where(deposits.c.state == State.COMPLETED.value)
    .group_by(deposits.c.account_id)
    .subquery()
)
_HELD = func.coalesce(func.sum(entries.c.amount, type_=Money), _ZERO, type_=Money)
_WAITS = func.coalesce(func.max(_WAITING.c.waiting, type_=Money), _ZERO, type_=Money)
SUSPENSE_OFF = (
    select(accounts.c.owner, accounts.c.currency, _HELD.label("held"), _WAITS.label("waiting"))
    .outerjoin(entries, entries.c.account_id == accounts.c.id)
    .outerjoin(_WAITING, _WAITING.c.account_id == accounts.c.id)
    .where(accounts.c.kind == SUSPENSE)
    .group_by(accounts.c.owner, accounts.c.currency, accounts.c.id)
    .having(_HELD != _WAITS)
)
