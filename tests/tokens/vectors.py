"""Golden vectors of the encoding, and the independent derivation they are checked with."""

import hashlib
import hmac
from typing import NamedTuple

GENERATE_KEY, GENERATE_KID = bytes(range(32)), "k1"
LOOKUP_KEY, LOOKUP_KID = bytes(range(32, 64)), "p1"


class Vector(NamedTuple):
    """One derivation under the golden generation key."""

    digits: int
    issue_ref: str
    txn_id: str
    counter: int
    token: str


VECTORS = (
    Vector(18, "INV-1", "23", 0, "490750293453273258"),
    Vector(18, "INV-12", "3", 0, "725434015170912691"),
    Vector(11, "INV-1", "23", 0, "08703809007"),
    Vector(11, "INV-1", "23", 1, "76324520949"),
    Vector(11, "INV", "60", 0, "00137033965"),
    Vector(11, "INV", "3334", 0, "72827678565"),
    Vector(11, "INV", "131891", 0, "72827678565"),
    Vector(11, "INV", "131891", 1, "20406709384"),
)
LOOKUP_OF_THE_FIRST = "925485ffb72fd558d91e35364be9cf70179b7f27a5692ca5dc01613675e4acab"
# The same 11 digits come of both; see the vectors.
CLASHING_REF, CLASHING_TXN_IDS = "INV", ("3334", "131891")
CLASHING_TOKEN, AFTER_THE_CLASH = "72827678565", "20406709384"


def derived(key: bytes, kid: str, digits: int, issue_ref: str, txn_id: str, counter: int) -> str:
    """The token as the encoding's description says it, with nothing of the product's code."""
    message = b""
    for field in ("ptg/token/v1", kid, str(digits), issue_ref, txn_id, str(counter)):
        octets = field.encode("utf-8")
        message += bytes([0, 0, len(octets) // 256, len(octets) % 256]) + octets
    number = int(hmac.new(key, message, hashlib.sha256).hexdigest(), 16)
    body = str(number % 10 ** (digits - 1)).rjust(digits - 1, "0")
    return body + luhn_digit(body)


def luhn_digit(body: str) -> str:
    """The digit that makes `body` pass Luhn, found by doubling from the right by hand."""
    total = 0
    for place, character in enumerate(reversed(body)):
        digit = ord(character) - ord("0")
        if place % 2 == 0:
            digit = digit * 2 - 9 if digit > 4 else digit * 2
        total += digit
    return str((10 - total % 10) % 10)


def luhn_valid(length: int, number: int) -> str:
    """The token of `length` digits whose body is `number`: valid to type, most likely unknown."""
    body = str(number).rjust(length - 1, "0")
    return body + luhn_digit(body)
