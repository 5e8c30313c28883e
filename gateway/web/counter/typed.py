"""What people type into the counter's forms: phone numbers, and rows that pages name."""

import re

from gateway.errors import BadInput
from gateway.formats import msisdn

_NUMBER = re.compile("[0-9]{1,18}", re.ASCII)  # within a BIGINT


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
