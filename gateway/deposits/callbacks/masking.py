"""Masking tokens that were typed in the wrong place, wherever they stand in what is stored (T3)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from stdnum import luhn

from gateway.tokens import code

HIDDEN = "#"
GAP_MAX = 4  # characters between two groups of digits
_FULL_WIDTH = {0xFF10 + digit: str(digit) for digit in range(10)}
_DIGIT = "[0-9\uff10-\uff19]"
_GROUP = re.compile(f"{_DIGIT}+")
# As many digits as the shortest token has, in groups that stand close to each other.
_STRETCH = re.compile(
    f"{_DIGIT}(?:[{code.DROPPED_CLASS}]{{0,{GAP_MAX}}}{_DIGIT}){{{min(code.LENGTHS) - 1},}}"
)
# A character as JSON or XML may write it; a body is searched as its reader would see it.
_ESCAPED = re.compile(
    r"\\u([0-9A-Fa-f]{4})|&#x([0-9A-Fa-f]{1,6});|&#([0-9]{1,7});|\\([nrt])", re.ASCII
)


@dataclass(frozen=True, slots=True)
class _Seen:
    """A text as it reads, and where each of its characters is written."""

    text: str
    places: Sequence[int] | None  # None: each at its own place; else one more than characters

    def written(self, start: int, end: int) -> tuple[int, int]:
        """Where the characters from `start` to `end` are written."""
        return (start, end) if self.places is None else (self.places[start], self.places[end])


def masked(text: str, spared: Sequence[str] = ()) -> str:
    """A text fit to be stored: what could be a token is hidden, alone or in groups.

    Only what passes a token's check digit is one, and never within a `spared` word: carriers' ids
    and phone numbers may have as many digits.

    >>> masked("PAY 9021-0000 0000 000014#"), masked("token:\uff19021 00000000000014")
    ('PAY ####-#### #### #######', 'token:#### ##############')
    >>> masked("MSISDN 254700000001, id 12345678901 of 902100000000000015")
    'MSISDN 254700000001, id 12345678901 of 902100000000000015'
    >>> masked(r'{"ref":"\\uff19021\\u00a000000000000014"}')
    '{"ref":"####\\\\u00a0##############"}'
    >>> masked("id 902100000000000014", spared=["902100000000000014"])
    'id 902100000000000014'
    """
    seen = _seen(text)
    hidden: set[tuple[int, int]] = set()
    for stretch in _STRETCH.finditer(seen.text):
        groups = [found.span() for found in _GROUP.finditer(seen.text, *stretch.span())]
        for first, last in _tokens(seen.text, groups):
            entry = seen.text[groups[first][0] : groups[last][1]]
            if not any(entry in word for word in spared):
                hidden.update(groups[first : last + 1])
    return _blotted(text, seen, sorted(hidden)) if hidden else text


def masked_bytes(body: bytes, spared: Sequence[str] = ()) -> bytes:
    """The same of bytes, whether they are text or not.

    >>> masked_bytes(b'{"ref":"902100000000000014"}'), masked_bytes(b"\\xff 90210000000")
    (b'{"ref":"##################"}', b'\\xff 90210000000')
    """
    return masked(body.decode(errors="surrogateescape"), spared).encode(errors="surrogateescape")


def _tokens(text: str, groups: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """What passes as a token among groups that stand close: the first and the last of each."""
    sizes = [end - start for start, end in groups]
    ends = list(accumulate(sizes))
    digits = "".join(text[start:end] for start, end in groups).translate(_FULL_WIDTH)
    last_of = {end: number for number, end in enumerate(ends)}
    for first, size in enumerate(sizes):
        start = ends[first] - size
        for length in code.LENGTHS:
            last = last_of.get(start + length)
            if last is not None and luhn.is_valid(digits[start : start + length]):
                yield first, last


def _seen(text: str) -> _Seen:
    if "\\" not in text and "&#" not in text:
        return _Seen(text, None)
    parts: list[str] = []
    places: list[int] = []
    at = 0
    for found in _ESCAPED.finditer(text):
        parts.append(text[at : found.start()])
        places += range(at, found.start())
        parts.append(_character(found))
        places.append(found.start())
        at = found.end()
    parts.append(text[at:])
    places += range(at, len(text) + 1)
    return _Seen("".join(parts), places)


def _character(found: re.Match[str]) -> str:
    four, hexadecimal, decimal, short = found.groups()
    if short:
        return " "
    number = int(decimal) if decimal else int(four or hexadecimal, 16)
    return chr(number) if number <= 0x10FFFF else "?"


def _blotted(text: str, seen: _Seen, hidden: Sequence[tuple[int, int]]) -> str:
    pieces, at = [], 0
    for group in hidden:
        start, end = seen.written(*group)
        pieces += [text[at:start], HIDDEN * (group[1] - group[0])]
        at = end
    return "".join([*pieces, text[at:]])
