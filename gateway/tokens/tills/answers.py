"""What is said at a counter of a token that was entered there."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from gateway.tokens.code import Wrong


class Answer(StrEnum):
    """What a cashier is told (T9): they are known by name, so they get the reason."""

    PAYABLE = "payable"  # looked up, not paid yet
    PAID = "paid"
    UNKNOWN = "unknown"
    MISTYPED = "mistyped"
    LIMITED = "limited"
    UNAVAILABLE = "unavailable"
    SUSPENDED = "suspended"
    REDEEMED = "redeemed"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    OTHER_CURRENCY = "other_currency"
    OF_A_PARTNER = "of_a_partner"  # bound to whoever issued it
    ANOTHER_PHONE = "another_phone"  # bound to a phone that is not the customer's
    TILL_STOPPED = "till_stopped"
    TILL_FULL = "till_full"  # the agent's cap of the day
    CUSTOMER_FULL = "customer_full"  # the agent's cap of this customer's day


@dataclass(frozen=True, slots=True)
class Paid:
    """The answer and what belongs to it."""

    answer: Answer
    serial: str = ""
    amount: Decimal = Decimal("0.00")
    currency: str = ""
    token_id: int | None = None  # of the token it is about
    asks_phone: bool = False  # with PAYABLE: the customer's number must be entered
    wrong: Wrong | None = None  # with MISTYPED
    until: datetime | None = None  # with LIMITED
    most: Decimal | None = None  # with TILL_FULL and CUSTOMER_FULL: what could be paid now
