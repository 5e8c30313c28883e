"""What people type into the counter's forms: cash and phone numbers."""

import re
from decimal import Decimal

from gateway.errors import BadInput
from gateway.formats import money, msisdn

_NUMBER = re.compile("[0-9]{1,18}", re.ASCII)  # within a BIGINT
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


def number(text: str) -> int | None:
    """What a form or an address names a row by; None for what is no number of a row.

    >>> number("17"), number("١"), number("-1"), number("9" * 20)
    (17, None, None, None)
    """
    return int(text) if _NUMBER.fullmatch(text) else None


def phone(text: str, country: str) -> str:
    """A phone number (E.164), empty when none was typed. Raises `BadInput`.

    >>> phone(" ", "NG"), phone("0803 000 0001", "NG")
    ('', '+2348030000001')
    >>> phone("0803", "NG")
    Traceback (most recent call last):
    gateway.errors.BadInput: this is no phone number: write it as it is dialled
    """
    if not text.strip():
        return ""
    try:
        return msisdn.parse(text, country)
    except msisdn.InvalidMsisdn:
        raise BadInput("this is no phone number: write it as it is dialled") from None
