"""What a cashier is told besides what the token itself gives reason for."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from gateway.outlets.payments.store import Payment
from gateway.tokens.code import Wrong
from gateway.tokens.tills.pay import Answer


class Stop(StrEnum):
    """Why the counter pays nothing, or not this payment."""

    PAUSED = "paused"  # operators have paused redeeming
    SHIFT_CLOSED = "shift_closed"  # or counted
    FLOAT_LIMIT = "float_limit"  # the shift would pay out more than it may
    TOO_OLD = "too_old"  # to be looked up again


@dataclass(frozen=True, slots=True)
class Shown:
    """What a look-up found: with PAYABLE the payment waits to be confirmed.

    With REDEEMED, a payment that is `paid` or `voided` is this shift's own of that token: it was
    paid then, and is not to be paid again.
    """

    answer: Answer | Stop
    payment: Payment | None = None  # of every token that there is
    wrong: Wrong | None = None  # with MISTYPED
    until: datetime | None = None  # with LIMITED
    asks_phone: bool = False  # with UNAVAILABLE: a bound token is found by its recipient's number
