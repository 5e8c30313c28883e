"""Deriving digits that nobody ever had, and what a row must keep to derive and find them again."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from gateway.errors import GatewayError
from gateway.tokens import code, store
from gateway.tokens.keys.rings import GENERATE, LOOKUP, KeyRings
from gateway.tokens.keys.rotation import write_kid

COUNTER_MAX = 8  # tries to find free digits (T5)


class NoFreeDigits(GatewayError):
    """Eight derivations in a row were taken: the space of this length is full."""


@dataclass(frozen=True, slots=True)
class Seed:
    """What a token is derived from, besides the key and the counter."""

    digits: int  # how many it has
    issue_ref: str
    txn_id: str


def free_digits(
    connection: Connection, rings: KeyRings, seed: Seed, now: datetime
) -> tuple[str, dict[str, object]]:
    """Free digits, and what the token's row keeps of them. Raises `NoFreeDigits`, `KeyMissing`."""
    kids = {p: write_kid(connection, rings, p, now) for p in (GENERATE, LOOKUP)}
    kid, key = kids[GENERATE], rings.generate.key(kids[GENERATE])
    for counter in range(COUNTER_MAX):
        token = code.derive(key, kid, seed.digits, seed.issue_ref, seed.txn_id, counter)
        # Under every lookup key: the unique index cannot see a clash across two of them.
        if not store.is_taken(connection, rings.lookups(token)):
            return token, {
                "counter": counter,
                "generate_kid": kid,
                "lookup_kid": kids[LOOKUP],
                "lookup": rings.lookup_digest(kids[LOOKUP], token),
            }
    raise NoFreeDigits(f"no free {seed.digits}-digit token after {COUNTER_MAX} tries")
