"""What a PIN is: four to six digits that nobody guesses at the first try. Pure."""

from enum import StrEnum

DIGITS_MIN, DIGITS_MAX = 4, 6
_FULL_WIDTH = {0xFF10 + digit: str(digit) for digit in range(10)}
_UP = "01234567890123456789"  # also over the end of the keypad: 8901


class Unfit(StrEnum):
    """Why digits cannot be chosen as a PIN."""

    FORM = "form"
    GUESSABLE = "guessable"
    OWN_NUMBER = "own_number"


def folded(entry: str) -> str:
    """The entry as it counts: full-width digits folded, spaces and a closing # dropped.

    >>> folded(" 4711# "), folded("４７１１")
    ('4711', '4711')
    """
    return "".join(entry.translate(_FULL_WIDTH).split()).rstrip("#")


def is_pin(entry: str) -> bool:
    """Whether a folded entry can be a PIN at all: what cannot is no try.

    >>> is_pin("4711"), is_pin("471100")
    (True, True)
    >>> is_pin("471"), is_pin("4711000"), is_pin("47a1"), is_pin("٤٧١١")
    (False, False, False, False)
    """
    return DIGITS_MIN <= len(entry) <= DIGITS_MAX and entry.isascii() and entry.isdigit()


def unfit(entry: str, msisdn: str) -> Unfit | None:
    """Why the owner of `msisdn` may not choose this folded entry; None when they may.

    >>> unfit("4711", "+2348030000001"), unfit("47", "+2348030000001")
    (None, <Unfit.FORM: 'form'>)
    >>> [unfit(pin, "+2348030000001").value for pin in ("7777", "3456", "6543", "0001", "890123")]
    ['guessable', 'guessable', 'guessable', 'own_number', 'guessable']
    """
    if not is_pin(entry):
        return Unfit.FORM
    if len(set(entry)) == 1 or entry in _UP or entry in _UP[::-1]:
        return Unfit.GUESSABLE
    return Unfit.OWN_NUMBER if msisdn.endswith(entry) else None
