"""Tokens that people type where a payment's reference belongs: masked before anything is kept."""

import re
from collections.abc import Iterator

from gateway.tokens import code

# A digit as text, in full width, and as JSON and XML may write it; and what may stand between two.
_DIGITS = {
    str(n): rf"(?:{n}|\uff1{n}|\\u(?:[fF][fF]1|003){n}|&\#0{{0,4}}{48 + n};|&\#x0{{0,4}}3{n};)"
    for n in range(10)
}
_ANY_DIGIT = r"(?:[0-9\uff10-\uff19]|\\u(?:[fF][fF]1|003)[0-9])"
_BETWEEN = r"(?:\\u(?!(?:[fF][fF]1|003)[0-9])[0-9a-fA-F]{4}|[^\w<>\"]|_){0,4}?"
# Lengths alone tell: whatever is typed there with as many digits is hidden.
_TYPED = re.compile(
    "|".join(
        rf"(?<![0-9\uff10-\uff19]){_BETWEEN.join([_ANY_DIGIT] * length)}(?![0-9\uff10-\uff19])"
        for length in code.LENGTHS
    )
)
_ESCAPED = re.compile(r"\\u(?:[fF][fF]1|003)([0-9])")
_UNSEEN = re.compile(r"\\u[0-9a-fA-F]{4}")
_FULL_WIDTH = {0xFF10 + digit: str(digit) for digit in range(10)}


def typed(reference: str) -> str:
    """What a payer typed, without a token that stands in it.

    >>> typed("902100000000000014 "), typed("token 9021-0000 0000.000014"), typed("\uff10" * 11)
    ('################## ', 'token #####################', '###########')
    >>> typed("9021 0000"), typed("D2345BCDF"), typed("255700000001")
    ('9021 0000', 'D2345BCDF', '255700000001')
    """
    return _TYPED.sub(_covered, reference)


def without(body: bytes, reference: str) -> bytes:
    """A body without the tokens that its reference holds, however they are written there.

    >>> without(b'{"a":"9021 0000 0000 000014","b":"902100000000000015"}', "902100000000000014#")
    b'{"a":"#####################","b":"902100000000000015"}'
    >>> without(b"<R>&#57;021 0000 0000 000014</R>", "9021 0000 0000 000014")
    b'<R>#########################</R>'
    """
    for token in tokens(reference):
        body = _replaced(body, re.compile(_BETWEEN.join(_DIGITS[digit] for digit in token)))
    return body


def tokens(reference: str) -> Iterator[str]:
    """The digits of what looks like a token in a reference."""
    for found in _TYPED.finditer(reference):
        text = _UNSEEN.sub("", _ESCAPED.sub(r"\1", found[0])).translate(_FULL_WIDTH)
        yield "".join(c for c in text if c.isascii() and c.isdigit())


def without_any(body: bytes) -> bytes:
    """An unreadable body without anything that could be a token, check digit included.

    >>> without_any(b'{"x":"902100000000000014","phone":"255700000001","id":"90210000000"}')
    b'{"x":"##################","phone":"255700000001","id":"90210000000"}'
    """
    return _replaced(body, _TYPED, only_valid=True)


def _replaced(body: bytes, pattern: re.Pattern[str], *, only_valid: bool = False) -> bytes:
    text = body.decode("utf-8", "surrogateescape")

    def covered(found: re.Match[str]) -> str:
        is_one = not only_valid or any(_is_valid(token) for token in tokens(found[0]))
        return _covered(found) if is_one else found[0]

    return pattern.sub(covered, text).encode("utf-8", "surrogateescape")


def _is_valid(token: str) -> bool:
    try:
        return bool(code.validate(token))
    except code.InvalidCode:
        return False


def _covered(found: re.Match[str]) -> str:
    return "#" * len(found[0])
