"""Reading a callback's JSON: whatever cannot be relied upon is malformed, never another error."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from gateway.formats import digits, strict_json
from gateway.providers.base.messages import ID_CHARACTERS_MAX, REASON_CHARACTERS_MAX, Malformed


@contextmanager
def malformed() -> Iterator[None]:
    """Turn what strict_json refuses into `Malformed`, which a dialect's parse may raise."""
    try:
        yield
    except strict_json.InvalidJson as error:
        raise Malformed(str(error)) from None


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
