"""Tanzanian shillings as providers write them: whole, a fraction is refused and never rounded."""

from decimal import Decimal

from gateway.errors import Refused
from gateway.formats import strict_json

CURRENCY = "TZS"


def to_send(amount: Decimal, currency: str) -> int:
    """The amount in whole shillings; raises `Refused` before anything is sent.

    >>> to_send(Decimal("15000.00"), "TZS")
    15000
    >>> to_send(Decimal("15000.50"), "TZS")
    Traceback (most recent call last):
    gateway.errors.Refused: not an amount of whole shillings
    >>> to_send(Decimal("15000.00"), "KES")
    Traceback (most recent call last):
    gateway.errors.Refused: KES is not taken
    """
    if currency != CURRENCY:
        raise Refused(f"{currency} is not taken")
    if amount <= 0 or amount != amount.to_integral_value():
        raise Refused("not an amount of whole shillings")
    return int(amount)


def received(value: object) -> Decimal:
    """A provider's amount from its raw text; `InvalidJson` for none and for one with cents.

    >>> received("15000"), received(strict_json.Number("15000.00"))
    (Decimal('15000.00'), Decimal('15000.00'))
    >>> received("15000.50")
    Traceback (most recent call last):
    gateway.formats.strict_json.InvalidJson: not an amount of whole shillings
    """
    amount = strict_json.amount(value)
    if amount != amount.to_integral_value():
        raise strict_json.InvalidJson("not an amount of whole shillings")
    return amount
