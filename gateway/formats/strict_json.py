"""JSON as a money provider's bytes are read: numbers stay text, doubtful documents are refused."""

import json
from decimal import Decimal
from typing import Any, NoReturn

from gateway.errors import BadInput
from gateway.formats import money

NUMBER_CHARACTERS_MAX = 40


class InvalidJson(BadInput, ValueError):
    """These bytes are no JSON object that can be relied upon; the message never repeats them."""


class Number(str):
    """A JSON number exactly as it was written: never a float, and never taken for a text."""

    __slots__ = ()


def document(raw: bytes) -> dict[str, Any]:
    """The object in `raw`; a name that stands twice, NaN, deep nesting and any non-object refuse.

    >>> document(b'{"amount": 1.00, "to": "1"}')
    {'amount': '1.00', 'to': '1'}
    >>> document(b'{"amount": "1", "amount": "999"}')
    Traceback (most recent call last):
    gateway.formats.strict_json.InvalidJson: a name stands twice
    >>> document(b'[]')
    Traceback (most recent call last):
    gateway.formats.strict_json.InvalidJson: not a JSON object
    """
    try:
        found = _DECODER.decode(raw.decode())
    except InvalidJson:
        raise
    except (ValueError, RecursionError):
        raise InvalidJson("not JSON") from None
    if not isinstance(found, dict):
        raise InvalidJson("not a JSON object")
    return found


def amount(value: object) -> Decimal:
    """A provider's amount, from its raw text: `1`, `1.0`, `"1.00"`; above zero, two places.

    Places beyond the second may only be zeros. Raises `InvalidJson` for everything else.

    >>> amount(Number("1500.00")), amount("15000"), amount(Number("1.000"))
    (Decimal('1500.00'), Decimal('15000.00'), Decimal('1.00'))
    >>> amount("1,030.00")
    Traceback (most recent call last):
    gateway.formats.strict_json.InvalidJson: no amount of money
    """
    if not isinstance(value, str):
        raise InvalidJson("no amount of money")
    whole, point, places = value.partition(".")
    if point and places:
        value = f"{whole}.{places[:2]}{places[2:].strip('0')}"
    try:
        return money.parse(value)
    except money.InvalidAmount:
        raise InvalidJson("no amount of money") from None


def text(found: dict[str, Any], name: str, most: int = 128) -> str:
    """A member as text, "" when it is absent or null; a number counts as its digits.

    Raises `InvalidJson` for anything else, and for what is longer than `most` characters.

    >>> text({"id": Number("254700000001")}, "id"), text({"id": None}, "id")
    ('254700000001', '')
    >>> text({"id": True}, "id")
    Traceback (most recent call last):
    gateway.formats.strict_json.InvalidJson: id is no text
    """
    value = found.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidJson(f"{name} is no text")
    if len(value) > most or not value.isprintable():
        raise InvalidJson(f"{name} is too long or cannot be printed")
    return str(value)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidJson("a name stands twice")
    return found


def _number(written: str) -> Number:
    if len(written) > NUMBER_CHARACTERS_MAX:
        raise InvalidJson("a number is too long")
    return Number(written)


def _refuse_constant(_: str) -> NoReturn:
    raise InvalidJson("not a number")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_int=_number,
    parse_float=_number,
    parse_constant=_refuse_constant,
)
