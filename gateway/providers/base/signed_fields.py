"""A signature over named fields, as Selcom's gateway and its webhooks write it in headers."""

import base64
import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from typing import Any

from gateway.providers.base.messages import Callback, Unauthorized

FIELDS_MAX = 40
_NAMES = re.compile(r"[A-Za-z0-9_]+(,[A-Za-z0-9_]+)*\Z", re.ASCII)


def text_to_sign(timestamp: str, values: Mapping[str, str | int]) -> bytes:
    """The timestamp and the fields in their order, nothing encoded.

    >>> text_to_sign("2026-01-01T12:00:00+03:00", {"transid": "T1001", "amount": 5000})
    b'timestamp=2026-01-01T12:00:00+03:00&transid=T1001&amount=5000'
    """
    pairs = {"timestamp": timestamp, **values}
    return "&".join(f"{name}={value}" for name, value in pairs.items()).encode()


def headers(
    key: str, secret: str, timestamp: str, values: Mapping[str, str | int]
) -> dict[str, str]:
    """What a request with these fields carries; the key travels readable, the secret does not."""
    text = text_to_sign(timestamp, values)
    digest = hmac.digest(secret.encode(), text, hashlib.sha256)
    return {
        "Authorization": f"SELCOM {base64.b64encode(key.encode()).decode()}",
        "Timestamp": timestamp,
        "Digest-Method": "HS256",
        "Signed-Fields": ",".join(values),
        "Digest": base64.b64encode(digest).decode(),
    }


def names(callback: Callback, at_least: Sequence[str]) -> list[str]:
    """The fields a callback says are signed; the header itself is not, so it is held to a shape.

    Raises `Unauthorized` when one of `at_least` is missing: a sender could else sign nothing of
    use. A name that stands twice is refused, and so is the timestamp, which is always signed.
    """
    written = callback.header("Signed-Fields")
    found = written.split(",")
    if not _NAMES.match(written) or not len(set(found)) == len(found) <= FIELDS_MAX:
        raise Unauthorized("Signed-Fields cannot be read")
    if "timestamp" in found or not set(at_least) <= set(found):
        raise Unauthorized("Signed-Fields leaves out what matters")
    return found


def signed(
    document: Mapping[str, Any], fields: Sequence[str], aliases: Mapping[str, str]
) -> dict[str, str]:
    """The signed values as they came, a field under its alias where it has one.

    Raises `Unauthorized` for one that is no text or number, and for an `&`: with it, one signed
    text could be read as two different sets of fields.

    >>> signed({"resulcode": "000"}, ["resultcode"], {"resultcode": "resulcode"})
    {'resultcode': '000'}
    >>> signed({"order_id": "A&payment_status=COMPLETED"}, ["order_id"], {})
    Traceback (most recent call last):
    gateway.providers.base.messages.Unauthorized: a signed field cannot be read
    """
    values = {name: document.get(aliases.get(name, name)) for name in fields}
    if not all(isinstance(value, str) and "&" not in value for value in values.values()):
        raise Unauthorized("a signed field cannot be read")
    return {name: str(value) for name, value in values.items()}
