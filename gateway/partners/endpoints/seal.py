"""Sealing endpoints' secrets: the database alone is no use to whoever copies it."""

import hmac
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy import Connection

from gateway.errors import KeyDiffers, KeyMissing

PURPOSE = "lookup"  # the ring that the seals' keys are derived from
_LABEL = b"ptg/webhook-secret/v1"
_NONCE_BYTES = 12


@dataclass(frozen=True, slots=True)
class Seal:
    """AES-256-GCM under a key derived from each of the ring's; `write_kid` names the one to use."""

    keys: Mapping[str, bytes] = field(repr=False)
    write_kid: Callable[[Connection, datetime], str]

    def close(self, kid: str, owner: str, secret: bytes) -> bytes:
        """The secret sealed for its owner. Raises `KeyMissing`."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + self._cipher(kid).encrypt(nonce, secret, _bound(kid, owner))

    def open(self, kid: str, owner: str, sealed: bytes) -> bytes:
        """The secret. Raises `KeyMissing`, and `KeyDiffers` where this ring's key is another one.

        >>> seal = Seal({"p1": bytes(32)}, lambda _, __: "p1")
        >>> seal.open("p1", "acme", seal.close("p1", "acme", b"secret"))
        b'secret'
        >>> seal.open("p1", "other", seal.close("p1", "acme", b"secret"))
        Traceback (most recent call last):
        gateway.errors.KeyDiffers: lookup key 'p1' in the ring is not the one that ...
        >>> seal.open("p2", "acme", b"")
        Traceback (most recent call last):
        gateway.errors.KeyMissing: lookup key 'p2' is not in the ring
        """
        cipher, nonce = self._cipher(kid), sealed[:_NONCE_BYTES]
        try:
            return cipher.decrypt(nonce, sealed[_NONCE_BYTES:], _bound(kid, owner))
        except InvalidTag:
            raise KeyDiffers(PURPOSE, kid) from None

    def _cipher(self, kid: str) -> AESGCM:
        key = self.keys.get(kid)
        if key is None:
            raise KeyMissing(PURPOSE, kid)
        return AESGCM(hmac.digest(key, _LABEL, "sha256"))


def _bound(kid: str, owner: str) -> bytes:
    """What a seal is good for: one moved to another row does not open."""
    return b"\n".join((_LABEL, kid.encode(), owner.encode()))
