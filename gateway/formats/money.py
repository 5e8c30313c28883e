"""Money as text and as exact numbers of two places; binary fractions are refused everywhere."""

import re
from decimal import Decimal
from typing import Final

from gateway.errors import BadInput

PLACES: Final = Decimal("0.01")
TEST_CURRENCY: Final = "XTS"  # ISO 4217 keeps it for testing: no wallet, till or menu takes it
_ABOVE_EVERY_COLUMN: Final = Decimal(10**16)  # DECIMAL(18,2) has 16 digits before the point
_AMOUNT: Final = re.compile(r"[0-9]{1,15}(\.[0-9]{1,2})?", re.ASCII)

_KEPT: Final = re.compile(r"([A-Z]{3} )?([0-9]{1,16}\.[0-9]{2})", re.ASCII)


class InvalidAmount(BadInput, ValueError):
    """This is no amount of money; the message never repeats it."""


def parse(text: str) -> Decimal:
    """The amount that a person or a partner wrote: `[0-9]{1,15}(\\.[0-9]{1,2})?`, above zero.

    The rule is spelled out because Decimal() alone takes `1e3`, `1_000`, `NaN`, `-0` and other
    scripts' digits. Raises InvalidAmount, and TypeError for anything but text.

    >>> parse("500"), parse("0.5"), parse("999999999999999.99")
    (Decimal('500.00'), Decimal('0.50'), Decimal('999999999999999.99'))
    >>> parse("0.00")
    Traceback (most recent call last):
    gateway.formats.money.InvalidAmount: an amount must be above zero
    >>> parse("1,000.00")
    Traceback (most recent call last):
    gateway.formats.money.InvalidAmount: an amount reads like 500 or 500.00
    >>> parse(500.0)
    Traceback (most recent call last):
    TypeError: an amount is read from text, not from float
    """
    if not isinstance(text, str):
        raise TypeError(f"an amount is read from text, not from {type(text).__name__}")
    if not _AMOUNT.fullmatch(text):
        raise InvalidAmount("an amount reads like 500 or 500.00")
    amount = Decimal(text).quantize(PLACES)
    if not amount:
        raise InvalidAmount("an amount must be above zero")
    return amount


def exact(amount: Decimal) -> Decimal:
    """The same amount written with two places; zero and negative amounts are allowed.

    Raises InvalidAmount for what two places or a DECIMAL(18,2) column cannot hold, and TypeError
    for anything but Decimal.

    >>> exact(Decimal("-7.5")), exact(Decimal("1E+3")), exact(Decimal("-0"))
    (Decimal('-7.50'), Decimal('1000.00'), Decimal('0.00'))
    >>> exact(Decimal("0.001"))
    Traceback (most recent call last):
    gateway.formats.money.InvalidAmount: more than two places
    >>> exact(Decimal("NaN"))
    Traceback (most recent call last):
    gateway.formats.money.InvalidAmount: not a finite number
    >>> exact(0.1)
    Traceback (most recent call last):
    TypeError: money is Decimal, not float
    """
    if not isinstance(amount, Decimal):
        raise TypeError(f"money is Decimal, not {type(amount).__name__}")
    exponent = amount.as_tuple().exponent
    if not isinstance(exponent, int):  # NaN and the infinities say which in a letter
        raise InvalidAmount("not a finite number")
    if exponent < -2:
        raise InvalidAmount("more than two places")
    if not -_ABOVE_EVERY_COLUMN < amount < _ABOVE_EVERY_COLUMN:
        raise InvalidAmount("more than 16 digits before the point")
    return amount.quantize(PLACES) if amount else Decimal("0.00")  # no minus zero


def plain(amount: Decimal) -> str:
    """The amount as our JSON and files write it; errors as in exact().

    >>> plain(Decimal("500")), plain(Decimal("-0.5"))
    ('500.00', '-0.50')
    >>> plain(Decimal("Infinity"))
    Traceback (most recent call last):
    gateway.formats.money.InvalidAmount: not a finite number
    """
    return str(exact(amount))


def display(amount: Decimal, currency: str) -> str:
    """The amount as people read it, its currency's ISO 4217 code first, thousands not grouped.

    >>> display(Decimal("1500"), "NGN")
    'NGN 1500.00'
    >>> display(Decimal("1.005"), "NGN")
    Traceback (most recent call last):
    gateway.formats.money.InvalidAmount: more than two places
    """
    return f"{currency} {exact(amount)}"


def grouped(amount: Decimal) -> str:
    """The amount as pages write it, its thousands apart; what is typed or sent never has commas.

    >>> grouped(Decimal("1250000")), grouped(Decimal("-1000.5")), grouped(Decimal("999.99"))
    ('1,250,000.00', '-1,000.50', '999.99')
    >>> grouped(Decimal("0.001"))
    Traceback (most recent call last):
    gateway.formats.money.InvalidAmount: more than two places
    """
    return f"{exact(amount):,}"


def regrouped(text: str) -> str:
    """An amount that was kept as text, as pages write it; any other text stays as it is.

    >>> regrouped("1250000.00"), regrouped("NGN 1250000.00"), regrouped("FT 1250000")
    ('1,250,000.00', 'NGN 1,250,000.00', 'FT 1250000')
    """
    found = _KEPT.fullmatch(text)
    return f"{found[1] or ''}{grouped(Decimal(found[2]))}" if found else text
