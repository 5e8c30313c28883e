"""Phone numbers (MSISDN): any usual spelling in, E.164 with its plus out."""

import re
from functools import lru_cache
from typing import Final

import phonenumbers
from phonenumbers import (
    NumberParseException,
    PhoneNumber,
    PhoneNumberFormat,
    PhoneNumberType,
    ValidationResult,
)

from gateway.errors import BadInput

LENGTH_MAX: Final = 40  # characters of one spelling, separators included
CACHED_SPELLINGS: Final = 16_384  # about 5 MB when full

# What people and their address books put between the digits, and full-width digits.
_SEPARATORS: Final = " -.()/\u00a0\u2009\u202f\u2010\u2011\u2012\u2013"
_PLAIN: Final = str.maketrans("０１２３４５６７８９", "0123456789", _SEPARATORS)
_DIGITS: Final = re.compile(r"\+?[0-9]+", re.ASCII)
_E164: Final = re.compile(r"\+[1-9][0-9]{7,14}", re.ASCII)


class InvalidMsisdn(BadInput, ValueError):
    """This text is no phone number; the message never repeats it."""

    def __init__(self) -> None:
        super().__init__("not a phone number")


def parse(text: str, country: str) -> str:
    """E.164 of a number as people, partners and aggregators spell it.

    A number without a plus is read as one of `country` (ISO 3166, two letters) where it is valid
    there, else as an international one whose plus got lost (an undecoded `+` arrives as a space).
    A range that the numbering plan does not know yet passes if its length is a mobile number's:
    networks open ranges faster than the plan is released. Raises InvalidMsisdn.

    >>> parse("08030000001", "NG"), parse("2348030000001", "NG"), parse("+2348030000001", "NG")
    ('+2348030000001', '+2348030000001', '+2348030000001')
    >>> parse("00254700000001", "NG"), parse(" 254700000001", "NG"), parse("+254 700-000-001", "KE")
    ('+254700000001', '+254700000001', '+254700000001')
    >>> parse("0110000001", "KE"), parse("０７００ 000 001\\n", "KE")
    ('+254110000001', '+254700000001')

    Refused: too short, too long, another script's digits, letters.

    >>> parse("+1234", "NG")
    Traceback (most recent call last):
    gateway.formats.msisdn.InvalidMsisdn: not a phone number
    >>> parse("+23480300000011", "NG")
    Traceback (most recent call last):
    gateway.formats.msisdn.InvalidMsisdn: not a phone number
    >>> parse("٠٨٠٣٠٠٠٠٠٠١", "NG")
    Traceback (most recent call last):
    gateway.formats.msisdn.InvalidMsisdn: not a phone number
    >>> parse("0803000000A", "NG")
    Traceback (most recent call last):
    gateway.formats.msisdn.InvalidMsisdn: not a phone number
    """
    if len(text) > LENGTH_MAX:
        raise InvalidMsisdn
    return _parsed(text, country)


# Every request names a phone and most phones come again: a look-up instead of 20 µs of regexes.
@lru_cache(maxsize=CACHED_SPELLINGS)
def _parsed(text: str, country: str) -> str:
    digits = text.strip().translate(_PLAIN)
    if not _DIGITS.fullmatch(digits):
        raise InvalidMsisdn
    readings = [number for number in _readings(digits, country) if number is not None]
    for accepted in (phonenumbers.is_valid_number, _could_be_mobile):
        for number in readings:
            msisdn = phonenumbers.format_number(number, PhoneNumberFormat.E164)
            if accepted(number) and _E164.fullmatch(msisdn):  # some service numbers are shorter
                return msisdn
    raise InvalidMsisdn


def _readings(digits: str, country: str) -> list[PhoneNumber | None]:
    """The numbers that these digits may mean, the likeliest first."""
    if digits.startswith("+"):
        return [_read(digits, None)]
    # `00` is what people write everywhere; the plan lists only each country's own (009, 000).
    bare = digits.removeprefix("00")
    international = _read("+" + bare, None)
    local = _read(digits, country)
    return [international, local] if bare != digits else [local, international]


def _read(digits: str, country: str | None) -> PhoneNumber | None:
    try:
        return phonenumbers.parse(digits, country)
    except NumberParseException:
        return None


def _could_be_mobile(number: PhoneNumber) -> bool:
    """Of a mobile number's length, and not one that still has its trunk zero."""
    mobile = phonenumbers.is_possible_number_for_type_with_reason(number, PhoneNumberType.MOBILE)
    if mobile != ValidationResult.IS_POSSIBLE:
        return False
    region = phonenumbers.region_code_for_country_code(number.country_code or 0)
    trunk = phonenumbers.ndd_prefix_for_region(region, True)
    return not (number.italian_leading_zero and trunk == "0")


def display(msisdn: str) -> str:
    """An E.164 number grouped as people read it, with its country.

    >>> display("+2348030000001")
    '+234 803 000 0001'
    >>> display("0803")
    Traceback (most recent call last):
    gateway.formats.msisdn.InvalidMsisdn: not a phone number
    """
    return phonenumbers.format_number(_known(msisdn), PhoneNumberFormat.INTERNATIONAL)


def national(msisdn: str) -> str:
    """An E.164 number grouped as people of its own country write it.

    >>> national("+254700000001")
    '0700 000001'
    >>> national("254700000001")
    Traceback (most recent call last):
    gateway.formats.msisdn.InvalidMsisdn: not a phone number
    """
    return phonenumbers.format_number(_known(msisdn), PhoneNumberFormat.NATIONAL)


def masked(msisdn: str) -> str:
    """What a log may show of an E.164 number; it takes any text and never raises.

    >>> masked("+2348030000001")
    '+23480*****01'
    >>> masked("+29012345"), masked("not a number")
    ('+29*****', '*****')
    """
    if not _E164.fullmatch(msisdn):
        return "*****"
    if len(msisdn) < len("+") + 11:  # seven shown digits of a short number would name its owner
        return f"{msisdn[:3]}*****"
    return f"{msisdn[:6]}*****{msisdn[-2:]}"


def _known(msisdn: str) -> PhoneNumber:
    number = _read(msisdn, None) if _E164.fullmatch(msisdn) else None
    if number is None:
        raise InvalidMsisdn
    return number
