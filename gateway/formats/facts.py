"""What we say ourselves of what was done: typed values in words of ours, which stay readable."""

import re
from dataclasses import dataclass
from decimal import Decimal

from gateway.formats import money, msisdn
from gateway.formats.digits import hidden

NUMBER_BELOW = 10**10  # of fewer digits than any token has
_CURRENCY = re.compile(r"[A-Z]{3}", re.ASCII)
# A serial or a reference that we made: it has fewer digits than any token, and some letter.
_MADE = re.compile(r"(?=[0-9]*[A-Z])[0-9A-Z]{1,10}|(?=([0-9]*[A-Z]){2})[0-9A-Z]{11,12}", re.ASCII)


class Fact(str):
    """Made by `fact` alone; whatever else is done to it makes plain text of it, which is masked."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Sum:
    """An amount that was booked."""

    amount: Decimal
    currency: str


@dataclass(frozen=True, slots=True)
class Phone:
    """A number (E.164), of which a few digits are shown."""

    msisdn: str


@dataclass(frozen=True, slots=True)
class Made:
    """A serial or a reference that we made up."""

    name: str


Value = Decimal | int | Sum | Phone | Made | str


def fact(words: str, /, **values: Value) -> Fact:
    r"""`words` with the values in their places.

    A value that is text may be somebody's: its runs of digits are masked, as are the words' own.

    >>> fact("{who} funded with {sum}", who="acme", sum=Sum(Decimal("10000"), "NGN"))
    'acme funded with NGN 10000.00'
    >>> fact("{old} to {phone}", old=Made("K7M29234"), phone=Phone("+2348030000001"))
    'K7M29234 to +23480*****01'
    >>> fact("approval {n}: {said}", n=12345, said=fact("paid {sum}", sum=Decimal("5000")))
    'approval 12345: paid 5000.00'
    >>> fact("{who}, {serial}, {n}", who="PIN 4907", serial=Made("76543210983"), n=76543210983)
    'PIN ####, ####, ####'
    >>> fact("4907"), fact("{phone}", phone=Phone("902100000000000014"))
    ('####', '*****')
    """
    return Fact(hidden(words).format(**{name: _shown(value) for name, value in values.items()}))


def _shown(value: Value) -> str:
    match value:
        case Fact():
            return str(value)
        case Sum(amount, currency) if _CURRENCY.fullmatch(currency):
            return money.display(amount, currency)
        case Decimal():
            return money.plain(value)
        case Phone(number):
            return msisdn.masked(number)
        case Made(name) if _MADE.fullmatch(name):
            return name
        case int() if 0 <= value < NUMBER_BELOW:
            return str(value)
        case Made(name):
            return hidden(name)
        case _:
            return hidden(str(value))
