"""JSON objects that aggregators send and get: read like a form, written in one line of ASCII."""

import json
from collections.abc import Mapping

from gateway.formats import strict_json
from gateway.formats.strict_json import InvalidJson


def fields(raw: bytes) -> dict[str, str]:
    """The members as text: numbers as they were written, `true` and `false` as these words.

    Names are in lower case, since one aggregator writes them in several; null, lists and objects
    are left out. Raises `InvalidJson` for anything but an object, or a name that stands twice.

    >>> fields(b'{"Mobile": 233246912184, "newSession": true, "Extra": {}, "UserData": null}')
    {'mobile': '233246912184', 'newsession': 'true'}
    >>> fields(b'{"Mobile": "1", "mobile": "2"}')
    Traceback (most recent call last):
    gateway.formats.strict_json.InvalidJson: a name stands twice
    """
    found = strict_json.document(raw)
    if len({name.lower() for name in found}) != len(found):
        raise InvalidJson("a name stands twice")
    words = {name.lower(): _word(value) for name, value in found.items()}
    return {name: word for name, word in words.items() if word is not None}


def written(members: Mapping[str, object]) -> bytes:
    """An object with these members in this order; letters outside ASCII are escaped.

    >>> written({"MSG": "1 Redeem \xe0", "MSGTYPE": True})
    b'{"MSG":"1 Redeem \\\\u00e0","MSGTYPE":true}'
    """
    return json.dumps(members, separators=(",", ":")).encode()


def _word(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return None
    # What is half a character in JSON would be refused by every database.
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
