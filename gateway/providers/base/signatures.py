"""Proofs of a callback's sender, compared as bytes in constant time; a doubtful one is refused."""

import base64
import binascii
import hashlib
import hmac
import ipaddress
from collections.abc import Sequence

from gateway.providers.base.messages import Unauthorized


def is_hmac_hex(given: str, keys: Sequence[str], message: bytes) -> bool:
    """Whether `given` is the hex HMAC-SHA256 of `message` under one of `keys` (rotation).

    >>> import hashlib, hmac
    >>> good = hmac.new(b"k", b"m", hashlib.sha256).hexdigest()
    >>> is_hmac_hex(good.upper(), ["old", "k"], b"m"), is_hmac_hex("zz", ["k"], b"m")
    (True, False)
    """
    try:
        offered = bytes.fromhex(given) if given.isascii() and given.isalnum() else b""
    except ValueError:
        return False
    return _is_one_of(offered, keys, message)


def is_hmac_base64(given: str, keys: Sequence[str], message: bytes) -> bool:
    """Whether `given` is the base64 HMAC-SHA256 of `message` under one of `keys`.

    >>> is_hmac_base64("not base64", ["k"], b"m")
    False
    """
    try:
        offered = base64.b64decode(given.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error, ValueError):
        return False
    return _is_one_of(offered, keys, message)


def _is_one_of(offered: bytes, keys: Sequence[str], message: bytes) -> bool:
    matches = [
        hmac.compare_digest(offered, hmac.digest(key.encode(), message, hashlib.sha256))
        for key in keys
        if key
    ]
    return any(matches)


def is_secret(given: str, secrets: Sequence[str]) -> bool:
    """Whether `given` is one of the secrets, in constant time for each.

    >>> is_secret("a", ["b", "a"]), is_secret("", [""]), is_secret("\u00e9", ["a"])
    (True, False, False)
    """
    offered = given.encode("utf-8", "surrogatepass")
    matches = [hmac.compare_digest(offered, secret.encode()) for secret in secrets if secret]
    return any(matches)


def insist_on_address(address: str, allowed: Sequence[str]) -> None:
    """Raise `Unauthorized` unless `address` lies in one of `allowed`; an empty list allows any.

    >>> insist_on_address("196.201.214.200", ["196.201.214.0/24"])
    >>> insist_on_address("10.0.0.1", ["196.201.214.0/24"])
    Traceback (most recent call last):
    gateway.providers.base.messages.Unauthorized: the address is not on the list
    """
    if not allowed:
        return
    try:
        client = ipaddress.ip_address(address)
    except ValueError:
        raise Unauthorized("the address cannot be read") from None
    mapped = getattr(client, "ipv4_mapped", None)
    if not any((mapped or client) in ipaddress.ip_network(network) for network in allowed):
        raise Unauthorized("the address is not on the list")
