"""The digits of a token: how they are derived, checked, typed and shown; pure functions."""

import hashlib
import hmac
import re
import unicodedata
from enum import StrEnum
from functools import lru_cache

from stdnum import luhn

from gateway.errors import BadInput

LENGTHS = (18, 11)
LONG, SHORT = LENGTHS
_TOKEN_LABEL = "ptg/token/v1"  # noqa: S105 (a label in the MAC's input, not a secret)
_LOOKUP_LABEL = "ptg/lookup/v1"
_FULL_WIDTH = {0xFF10 + digit: str(digit) for digit in range(10)}
# What copied text carries unseen: joiners, marks of direction, soft hyphens, byte order marks.
_ZERO_WIDTH = (
    "\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\ufeff"
)
_HYPHENS = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d"
_DROPPED = dict.fromkeys(map(ord, f"{_ZERO_WIDTH}{_HYPHENS}.*"))
# What `compact` drops, as the inside of a regular expression's class; a test holds them together.
DROPPED_CLASS = rf"\s{_ZERO_WIDTH}{_HYPHENS[1:]}.*#\-"
_DIGITS = re.compile(r"[0-9]+", re.ASCII)
FIELD_BYTES_MAX = 255  # of an issue reference or transaction id
_SIZE = tuple(n.to_bytes(4, "big") for n in range(FIELD_BYTES_MAX + 1))
# How many bodies there are of each length, and how a body and its check digit are written.
_BODIES = {LONG: (10**17, "%017d%d"), SHORT: (10**10, "%010d%d")}


class Wrong(StrEnum):
    """Why an entry cannot be a token."""

    EMPTY = "empty"
    CHARACTERS = "characters"
    LENGTH = "length"
    CHECK_DIGIT = "check_digit"


class InvalidCode(BadInput):
    """An entry that cannot be a token; it carries the reason, never the entry."""

    def __init__(self, wrong: Wrong) -> None:
        super().__init__(wrong.value)
        self.wrong = wrong


def compact(entry: str) -> str:
    """The entry without what people put between digits; not yet checked.

    >>> compact("1234 5678-9012*345671#")
    '123456789012345671'
    >>> compact("\uff11\u200b2")
    '12'
    """
    # No NFKC: it would turn a superscript three, which nobody can have been given, into "3".
    text = entry.translate(_FULL_WIDTH).translate(_DROPPED)
    text = "".join(c for c in text if not c.isspace() and unicodedata.category(c) != "Zs")
    return text.rstrip("#")


def validate(entry: str) -> str:
    """The 18 or 11 digits of an entry; raises `InvalidCode` for what cannot be a token.

    Luhn is a typing aid: what passes may still be unknown.

    >>> validate("490750 293453 273258")
    '490750293453273258'
    >>> validate("490750293453273259")
    Traceback (most recent call last):
    gateway.tokens.code.InvalidCode: check_digit
    >>> validate("\u0664\u0669")
    Traceback (most recent call last):
    gateway.tokens.code.InvalidCode: characters
    """
    digits = compact(entry)
    if not digits:
        raise InvalidCode(Wrong.EMPTY)
    if not _DIGITS.fullmatch(digits):
        raise InvalidCode(Wrong.CHARACTERS)
    if len(digits) not in LENGTHS:
        raise InvalidCode(Wrong.LENGTH)
    if not luhn.is_valid(digits):
        raise InvalidCode(Wrong.CHECK_DIGIT)
    return digits


def grouped(token: str) -> str:
    """The digits in groups for the eye: six by six, or 4-4-3.

    >>> grouped("490750293453273258")
    '490750 293453 273258'
    >>> grouped("08703809007")
    '0870 3809 007'
    """
    size = 6 if len(token) == LONG else 4
    return " ".join(token[i : i + size] for i in range(0, len(token), size))


def derive(key: bytes, kid: str, digits: int, issue_ref: str, txn_id: str, counter: int) -> str:
    """The token of an issue under a generation key (T1).

    Raises `ValueError` for a length that no token has.

    >>> derive(bytes(range(32)), "k1", 18, "INV-1", "23", 0)
    '490750293453273258'
    >>> derive(bytes(range(32)), "k1", 11, "INV", "60", 0)
    '00137033965'
    """
    if digits not in LENGTHS:
        raise ValueError("a token has 18 or 11 digits")
    if not issue_ref.isascii():
        issue_ref = unicodedata.normalize("NFC", issue_ref)
    ref, txn, count = issue_ref.encode(), txn_id.encode(), b"%d" % counter
    mac = _started_mac(key, kid, digits).copy()
    # Spelled out as in _prefixed, whose loop takes a quarter of the whole derivation.
    mac.update(_SIZE[len(ref)] + ref + _SIZE[len(txn)] + txn + _SIZE[len(count)] + count)
    space, body = _BODIES[digits]
    number = int.from_bytes(mac.digest(), "big") % space
    return body % (number, _luhn_digit(number))


def lookup(key: bytes, kid: str, token: str) -> bytes:
    """The keyed digest under which a token is stored and found (T2), 32 bytes.

    >>> lookup(bytes(range(32, 64)), "p1", "490750293453273258").hex()[:16]
    '925485ffb72fd558'
    """
    # Not hmac.digest(): that lets go of the interpreter's lock, and this thread would wait.
    return hmac.new(key, _prefixed(_LOOKUP_LABEL, kid, token), hashlib.sha256).digest()


@lru_cache(maxsize=64)
def _started_mac(key: bytes, kid: str, digits: int) -> hmac.HMAC:
    # The number of digits is in the MAC: an 11-digit token must not be the tail of an 18-digit one.
    return hmac.new(key, _prefixed(_TOKEN_LABEL, kid, str(digits)), hashlib.sha256)


def _prefixed(*fields: str) -> bytes:
    # Lengths in front, because joining alone makes ("INV-1", "23") and ("INV-12", "3") one.
    encoded = [field.encode() for field in fields]
    return b"".join([_SIZE[len(field)] + field for field in encoded])


def _luhn_digit(body: int) -> int:
    # stdnum's takes longer than the MAC itself; a test holds the two equal.
    total = 0
    while body:
        body, four = divmod(body, 10_000)
        total += _LUHN_OF_FOUR[four]
    return -total % 10


def _luhn_of_four(four: int) -> int:
    """The Luhn sum of four digits, the last and the second of which are doubled."""
    return sum(
        (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)[digit] if place % 2 == 0 else digit
        for place, digit in enumerate(four // 10**n % 10 for n in range(4))
    )


_LUHN_OF_FOUR = tuple(map(_luhn_of_four, range(10_000)))
