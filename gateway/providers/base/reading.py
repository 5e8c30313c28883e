"""Reading a provider's JSON: what cannot be relied upon is one known error, never another."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, tzinfo
from typing import Any

from gateway.errors import OutcomeUnknown
from gateway.formats import digits, strict_json
from gateway.providers.base.messages import ID_CHARACTERS_MAX, REASON_CHARACTERS_MAX, Malformed


@contextmanager
def malformed() -> Iterator[None]:
    """Turn what strict_json refuses into `Malformed`, which a dialect's parse may raise."""
    try:
        yield
    except strict_json.InvalidJson as error:
        raise Malformed(str(error)) from None


@contextmanager
def answered() -> Iterator[None]:
    """Turn what strict_json refuses in an answer into `OutcomeUnknown`: the request was read."""
    try:
        yield
    except strict_json.InvalidJson as error:
        raise OutcomeUnknown(f"unreadable answer: {error}") from None


def within(found: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The object under these names, {} where one of them is absent or null.

    Raises `InvalidJson` when something else stands there.

    >>> within({"data": {"amount": {"value": "1"}}}, "data", "amount"), within({}, "data")
    ({'value': '1'}, {})
    >>> within({"data": []}, "data")
    Traceback (most recent call last):
    gateway.formats.strict_json.InvalidJson: data is no object
    """
    inner = dict(found)
    for name in names:
        inner = inner.get(name, {}) if inner.get(name) is not None else {}
        if not isinstance(inner, dict):
            raise strict_json.InvalidJson(f"{name} is no object")
    return inner


def identifier(found: Mapping[str, Any], name: str) -> str:
    """An id exactly as it came, "" when it is absent; `InvalidJson` for one that is too long.

    >>> identifier({"id": "Qk7 "}, "id")
    'Qk7 '
    >>> identifier({"id": "7" * 65}, "id")
    Traceback (most recent call last):
    gateway.formats.strict_json.InvalidJson: id is too long or cannot be printed
    """
    return strict_json.text(dict(found), name, ID_CHARACTERS_MAX)


def typed(found: Mapping[str, Any], name: str) -> str:
    """What a person typed, or a payer's number: trimmed and cut, "" for what is no text.

    Junk in it must not hold up a payment that has come.

    >>> typed({"ref": " ord-1001\\n\\0"}, "ref"), typed({"ref": ["x"]}, "ref")
    ('ord-1001', '')
    >>> len(typed({"ref": "A" * 200}, "ref"))
    64
    """
    value = found.get(name)
    shown = "".join(c for c in value if c.isprintable()) if isinstance(value, str) else ""
    return shown.strip()[:ID_CHARACTERS_MAX].strip()


def word(found: Mapping[str, Any], name: str, most: int = ID_CHARACTERS_MAX) -> str:
    """A member of a provider's answer as text, "" for whatever is none, too long or unprintable.

    >>> from gateway.formats.strict_json import Number
    >>> word({"code": Number("0")}, "code"), word({"code": True}, "code"), word({}, "code")
    ('0', '', '')
    """
    value = found.get(name)
    fits = isinstance(value, str) and len(value) <= most and value.isprintable()
    return str(value) if fits else ""


def reason(word: object) -> str:
    """A provider's free text, fit to be stored: one line, cut, runs of digits masked.

    >>> reason("wrong PIN 4907\\nfor 0700000001"), reason(None)
    ('wrong PIN #### for ####', '')
    """
    if not isinstance(word, str):
        return ""
    line = "".join(c for c in " ".join(word.split()) if c.isprintable())
    return digits.hidden(line)[:REASON_CHARACTERS_MAX]


def instant(written: object) -> datetime | None:
    """An ISO 8601 instant with its zone, in UTC; None for anything else.

    >>> instant("2026-01-01T03:00:00+03:00"), instant("2026-01-01T00:00:00"), instant(None)
    (datetime.datetime(2026, 1, 1, 0, 0, tzinfo=datetime.timezone.utc), None, None)
    """
    try:
        read = datetime.fromisoformat(written) if isinstance(written, str) else None
        return read.astimezone(UTC) if read is not None and read.tzinfo else None
    except (ValueError, OverflowError):
        return None


def local_instant(written: object, shape: str, zone: tzinfo) -> datetime | None:
    """The UTC instant of a provider's local time, which names no zone; None for anything else.

    >>> from datetime import timedelta, timezone
    >>> east_africa = timezone(timedelta(hours=3))
    >>> local_instant(strict_json.Number("20251231235930"), "%Y%m%d%H%M%S", east_africa)
    datetime.datetime(2025, 12, 31, 20, 59, 30, tzinfo=datetime.timezone.utc)
    >>> local_instant("20251331235930", "%Y%m%d%H%M%S", east_africa)
    """
    try:
        if isinstance(written, str):
            return datetime.strptime(written, shape).replace(tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    return None


def by_name(items: object, name: str, value: str) -> dict[str, Any]:
    """A list of named members, or a single one, as an object; order and blanks in names are lost.

    A member without a value stands for None. Raises `InvalidJson` for a name that stands twice.

    >>> by_name([{"Key": "Receipt No", "Value": "A1"}, {"Key": "Balance"}], "Key", "Value")
    {'ReceiptNo': 'A1', 'Balance': None}
    >>> by_name([{"Key": "A", "Value": "1"}, {"Key": "A", "Value": "999"}], "Key", "Value")
    Traceback (most recent call last):
    gateway.formats.strict_json.InvalidJson: a name stands twice
    """
    listed: list[Any] = items if isinstance(items, list) else [] if items is None else [items]
    found: dict[str, Any] = {}
    for item in listed:
        key = item.get(name) if isinstance(item, dict) else None
        if not isinstance(key, str):
            raise strict_json.InvalidJson("a member without a name")
        key = key.replace(" ", "")
        if key in found:
            raise strict_json.InvalidJson("a name stands twice")
        found[key] = item.get(value)
    return found
