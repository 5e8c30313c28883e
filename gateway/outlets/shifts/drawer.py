"""The cash in a drawer, as people type it."""

from decimal import Decimal

from gateway.formats import money

_NOTHING = frozenset({"0", "0.0", "0.00"})  # an empty drawer, which is no amount to pay


def cash(text: str) -> Decimal:
    """The cash in a drawer; there may be none. Raises `BadInput`.

    >>> cash(" 500 "), cash("0")
    (Decimal('500.00'), Decimal('0.00'))
    >>> cash("1,000")
    Traceback (most recent call last):
    gateway.formats.money.InvalidAmount: an amount reads like 500 or 500.00
    """
    plain = text.strip()
    return Decimal("0.00") if plain in _NOTHING else money.parse(plain)
