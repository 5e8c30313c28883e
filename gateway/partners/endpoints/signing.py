"""Signing webhooks as Standard Webhooks has it: HMAC-SHA256 over id, time and body."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime

PREFIX = "whsec_"
SECRET_BYTES = 32


def new_secret() -> bytes:
    """A fresh secret."""
    return secrets.token_bytes(SECRET_BYTES)


def shown(secret: bytes) -> str:
    """A secret as its partner is given it.

    >>> shown(b"0123456789abcdef")
    'whsec_MDEyMzQ1Njc4OWFiY2RlZg=='
    """
    return PREFIX + base64.b64encode(secret).decode()


def headers(name: str, at: datetime, body: bytes, keys: Sequence[bytes]) -> Mapping[str, str]:
    """The three headers; one signature for each secret that is good, the newest first.

    >>> from datetime import UTC
    >>> at = datetime(2021, 1, 1, tzinfo=UTC)
    >>> headers("evt_1", at, b"{}", [b"a", b"b"])["webhook-signature"].count("v1,")
    2
    """
    stamp = str(int(at.timestamp()))
    signed = b".".join((name.encode(), stamp.encode(), body))
    signatures = [base64.b64encode(hmac.digest(key, signed, hashlib.sha256)) for key in keys]
    return {
        "webhook-id": name,
        "webhook-timestamp": stamp,
        "webhook-signature": " ".join(f"v1,{signature.decode()}" for signature in signatures),
    }
