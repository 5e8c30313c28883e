"""Phones as the operators of one country write them."""

import re

from gateway.errors import Refused

SUBSCRIBER = re.compile(r"[1-9][0-9]{8}", re.ASCII)


def subscriber(msisdn: str, country_code: str) -> str:
    """The nine digits behind the country's code; `Refused` for another country's phone.

    >>> subscriber("+255700000001", "+255")
    '700000001'
    >>> subscriber("+254700000001", "+255")
    Traceback (most recent call last):
    gateway.errors.Refused: not a phone of +255
    """
    digits = msisdn.removeprefix(country_code)
    if digits == msisdn or not SUBSCRIBER.fullmatch(digits):
        raise Refused(f"not a phone of {country_code}")
    return digits
