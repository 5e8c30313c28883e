"""Tanzanian shillings: sent whole, received as they come, never rounded."""

from decimal import Decimal

from gateway.errors import Refused
from gateway.formats import strict_json
from gateway.providers.base.messages import WHOLE

CURRENCY = "TZS"
PAYS = WHOLE  # what is paid out where nothing else is known


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
    """A provider's amount from its raw text, cents too: it has come. `InvalidJson` for none.

    >>> received("15000"), received(strict_json.Number("15000.50"))
    (Decimal('15000.00'), Decimal('15000.50'))
    >>> received("1,500")
    Traceback (most recent call last):
    gateway.formats.strict_json.InvalidJson: no amount of money
    """
    return strict_json.amount(value)


def written(amount: Decimal) -> str:
    """An amount that was asked about, whole where it is.

    >>> written(Decimal("15000.00")), written(Decimal("15000.50"))
    ('15000', '15000.50')
    """
    return str(int(amount)) if amount == amount.to_integral_value() else str(amount)
