"""What would be needed for a payment that was refused: asked as it is now, for its page."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection

from gateway.ledger.books import ZERO
from gateway.outlets.payments.answers import Stop
from gateway.outlets.payments.store import Payment
from gateway.outlets.shifts.store import Shift
from gateway.tokens.store import TO_COUNTER, Token
from gateway.tokens.tills.pay import Answer
from gateway.tokens.tills.room import Room


@dataclass(frozen=True, slots=True)
class Left:
    """Until when nothing more is looked up or confirmed, and how much can be paid now."""

    until: datetime | None = None  # with LIMITED; None: now
    most: Decimal | None = None  # with what was too much; None: no cap stands against it


def left(
    connection: Connection, room: Room, payment: Payment, shift: Shift, token: Token, now: datetime
) -> Left:
    """As it is now; nothing where the token itself was refused."""
    till = shift.account_id
    if payment.answer == Answer.LIMITED:
        return Left(until=room.reopens(connection, f"staff:{payment.cashier_id}", now))
    if payment.answer == Answer.TILL_FULL:
        return Left(most=room.of_till(connection, till, payment.amount, now))
    if payment.answer == Answer.CUSTOMER_FULL:
        named = token.recipient if token.binding == TO_COUNTER else None
        whose = named or payment.customer
        return Left(most=room.of_customer(connection, till, whose, now))
    if payment.answer == Stop.FLOAT_LIMIT:
        return Left(most=max(shift.float_limit - shift.total, ZERO))
    return Left()
