"""Choosing a PIN: two equal entries, of which only hashes are kept, and one guarded change."""

from collections.abc import Callable
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import Connection

from gateway.database.engine import Deadline
from gateway.database.outside import Made, NeededFirst
from gateway.people.pins import rules, store
from gateway.people.pins.hashing import PinHasher
from gateway.people.pins.rules import Unfit

PENDING_FOR = timedelta(minutes=10)  # a dialogue that takes longer is over
IsVerified = Callable[[Connection, str, datetime], bool]


class HashNeeded(NeededFirst):
    """An entry must be hashed, or tested against a hash, outside of the transaction."""


class Chosen(StrEnum):
    """What became of an entry."""

    KEPT = "kept"
    DIFFERS = "differs"  # the second entry is not the first
    STALE = "stale"  # the PIN was changed, or another one chosen, in the meantime
    UNVERIFIED = "unverified"  # an operator must see who this is before a PIN is set


class Chooser:
    """Sets and changes PINs; who changes one must have proved the old one at `version` before."""

    def __init__(self, hasher: PinHasher, is_verified: IsVerified) -> None:
        self._hasher = hasher
        self._is_verified = is_verified

    def may_choose(self, connection: Connection, msisdn: str, now: datetime) -> bool:
        """Whether this phone may set a PIN now, or an operator must verify its owner first."""
        return self._is_verified(connection, msisdn, now)

    def unfit(self, entry: str, msisdn: str) -> Unfit | None:
        """Why an entry cannot be chosen; None when it can."""
        return rules.unfit(rules.folded(entry), msisdn)

    def propose(
        self,
        connection: Connection,
        msisdn: str,
        entry: str,
        proofs: Made,
        version: int,
        now: datetime,
    ) -> Chosen:
        """The first entry: its hash waits for the second. Raises `HashNeeded`."""
        digits = rules.folded(entry)
        name = self._hasher.digest("hash", msisdn, digits)
        made = proofs.get(name)
        if not isinstance(made, str):

            def make(_: bytes, deadline: Deadline | None) -> str:
                return self._hasher.hash(digits, deadline)

            raise HashNeeded("a PIN must be hashed first", name, make)
        if not self._is_verified(connection, msisdn, now):
            return Chosen.UNVERIFIED
        kept = store.propose(connection, msisdn, version, made, now)
        return Chosen.KEPT if kept else Chosen.STALE

    def confirm(
        self,
        connection: Connection,
        msisdn: str,
        entry: str,
        proofs: Made,
        version: int,
        now: datetime,
    ) -> Chosen:
        """The second entry: if it is the first, it is the PIN now. Raises `HashNeeded`."""
        pin = store.read(connection, msisdn)
        pending, at = pin.pending_hash, pin.pending_at
        if pending is None or at is None or at <= now - PENDING_FOR or pin.version != version:
            return Chosen.STALE
        digits = rules.folded(entry)
        name = self._hasher.digest("confirm", msisdn, digits, pending)
        same = proofs.get(name)
        if not isinstance(same, bool):

            def make(_: bytes, deadline: Deadline | None) -> bool:
                return self._hasher.verify(pending, digits, deadline)

            raise HashNeeded("a PIN must be tested against its first entry", name, make)
        if not same:
            return Chosen.DIFFERS
        if not self._is_verified(connection, msisdn, now):
            return Chosen.UNVERIFIED
        promoted = store.promote(connection, msisdn, version, pending, now)
        return Chosen.KEPT if promoted else Chosen.STALE
