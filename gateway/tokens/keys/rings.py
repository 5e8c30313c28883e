"""Key rings: the versioned secrets that derive tokens and find them."""

import hmac
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection

from gateway.errors import KeyDiffers, KeyMissing, Misconfigured
from gateway.tokens import code

GENERATE, LOOKUP = "generate", "lookup"
PURPOSES = (GENERATE, LOOKUP)
KEY_BYTES = 32
FINGERPRINT_DIGITS = 8
_FINGERPRINT_LABEL = b"gateway key fingerprint"
_ENTRY = re.compile(r"([a-z][a-z0-9]{0,7}):([0-9a-fA-F]{64})", re.ASCII)


class Ring:
    """The keys of one purpose by their id, oldest first."""

    def __init__(self, purpose: str, keys: Mapping[str, bytes]) -> None:
        self.purpose = purpose
        self._keys = dict(keys)

    @classmethod
    def parse(cls, purpose: str, text: str) -> "Ring":
        """A ring from `k1:<64 hex>,k2:<64 hex>`; raises `Misconfigured` without echoing it."""
        keys: dict[str, bytes] = {}
        for position, part in enumerate(text.split(","), start=1):
            found = _ENTRY.fullmatch(part.strip())
            if found is None:
                raise Misconfigured(f"the {purpose} ring's key {position} is not <id>:<64 hex>")
            kid, secret = found.groups()
            if kid in keys:
                raise Misconfigured(f"the {purpose} ring names key {kid} twice")
            keys[kid] = bytes.fromhex(secret)
        if len(set(keys.values())) != len(keys):
            raise Misconfigured(f"the {purpose} ring holds one key under two ids")
        return cls(purpose, keys)

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        return iter(self._keys.items())

    def __contains__(self, kid: str) -> bool:
        return kid in self._keys

    @property
    def kids(self) -> tuple[str, ...]:
        """The key ids, oldest first."""
        return tuple(self._keys)

    @property
    def newest(self) -> str:
        """The id of the key named last."""
        return self.kids[-1]

    def key(self, kid: str) -> bytes:
        """The key with this id; raises `KeyMissing`."""
        try:
            return self._keys[kid]
        except KeyError:
            raise KeyMissing(self.purpose, kid) from None

    def fingerprint(self, kid: str) -> str:
        """What tells this key from another under the same id: 8 hex digits; raises `KeyMissing`.

        It may be stored and shown: it says nothing about the key or about any token.
        """
        made = hmac.digest(self.key(kid), _FINGERPRINT_LABEL, "sha256")
        return made.hex()[:FINGERPRINT_DIGITS]

    @property
    def prints(self) -> tuple[str, ...]:
        """Each key as `kid:fingerprint`, oldest first."""
        return tuple(f"{kid}:{self.fingerprint(kid)}" for kid in self.kids)

    def agrees(self, kid: str, written: str | None) -> bool:
        """Whether this ring's key is the one written with; None: nobody has said which."""
        return kid in self and written in (None, self.fingerprint(kid))

    def check(self, kid: str, written: str | None) -> None:
        """Raise `KeyMissing`, or `KeyDiffers`, unless the ring agrees."""
        if kid not in self:
            raise KeyMissing(self.purpose, kid)
        if not self.agrees(kid, written):
            raise KeyDiffers(self.purpose, kid)

    def shares_a_key_with(self, other: "Ring") -> bool:
        """Whether one secret does both jobs: then one leak would be fatal."""
        return any(hmac.compare_digest(a, b) for _, a in self for _, b in other)


def _no_others(_: Connection, __: str, ___: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class KeyRings:
    """Both rings: `generate` derives tokens, `lookup` finds them."""

    generate: Ring
    lookup: Ring
    # Whether anything besides live tokens needs the key of a purpose with this id.
    others_need: Callable[[Connection, str, str], bool] = _no_others

    @classmethod
    def parse(cls, generate: str, lookup: str) -> "KeyRings":
        """Both rings from their settings; raises `Misconfigured`."""
        rings = cls(Ring.parse(GENERATE, generate), Ring.parse(LOOKUP, lookup))
        if rings.generate.shares_a_key_with(rings.lookup):
            raise Misconfigured("the generate and lookup rings must not share a key")
        return rings

    def ring(self, purpose: str) -> Ring:
        """The ring of a purpose."""
        return self.generate if purpose == GENERATE else self.lookup

    def lookups(self, token: str) -> list[bytes]:
        """The digests a token may be stored under: one for each lookup key."""
        return [code.lookup(key, kid, token) for kid, key in self.lookup]

    def lookup_digest(self, kid: str, token: str) -> bytes:
        """The digest of a token under one lookup key; raises `KeyMissing`."""
        return code.lookup(self.lookup.key(kid), kid, token)
