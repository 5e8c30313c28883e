"""Proving a PIN: counted in a transaction of its own, hashed outside any, then judged in the work.

Inside a unit of work `demand` raises `ProofNeeded` as long as what was made outside holds no proof
for the entry. Then the work is rolled back, the proof made, and the work run again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import ClassVar

from sqlalchemy import Connection

from gateway.clock import Clock
from gateway.database.engine import Database, Deadline
from gateway.database.outside import Made, NeededFirst
from gateway.errors import Limited, RaceLost
from gateway.people.pins import rules, store
from gateway.people.pins.hashing import DECOY, PinHasher, while_others_wait
from gateway.people.pins.store import CLOSE_AT, LOCK_AT, Pin

LOCKED_FOR = timedelta(hours=1)
Count = Callable[[Connection, bytes, datetime], None]  # counts a cause once; raises `Limited`
Record = Callable[[Connection, str, str, str, datetime, str], None]  # appends to the audit trail


class ProofNeeded(NeededFirst):
    """Whether an entry is the PIN must be found out outside of the transaction."""


class Said(StrEnum):
    """What a proof says of an entry."""

    RIGHT = "right"
    WRONG = "wrong"
    LOCKED = "locked"
    NO_PIN = "no_pin"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one entry: `Verdict.RIGHT`, `Verdict.NO_PIN`, or one that is not `right`.

    A wrong one says how many tries are `left` before a lock; a locked one `until` when, None when
    only an operator's reset helps.
    """

    said: Said
    left: int = 0
    until: datetime | None = None
    RIGHT: ClassVar["Verdict"]
    NO_PIN: ClassVar["Verdict"]

    @property
    def right(self) -> bool:
        """Whether what waits for the PIN may be done."""
        return self.said is Said.RIGHT


Verdict.RIGHT = Verdict(Said.RIGHT)
Verdict.NO_PIN = Verdict(Said.NO_PIN)


@dataclass(frozen=True, slots=True)
class Proof:
    """A verdict about the hash of this version: a change of the PIN makes it worthless."""

    version: int
    verdict: Verdict


class Pins:
    """The PINs of phones (E.164): whether there is one, and whether an entry is it."""

    def __init__(self, database: Database, hasher: PinHasher, clock: Clock, record: Record) -> None:
        self._database = database
        self._hasher = hasher
        self._clock = clock
        self._record = record

    def has_pin(self, connection: Connection, msisdn: str) -> bool:
        """Whether this phone has set a PIN."""
        return store.read(connection, msisdn).hash is not None

    def version(self, connection: Connection, msisdn: str) -> int:
        """What grows with every change of the PIN; a change names the one it begins from."""
        return store.read(connection, msisdn).version

    def is_pin(self, entry: str) -> bool:
        """Whether an entry can be a PIN at all; one that cannot is not to be counted as a try."""
        return rules.is_pin(rules.folded(entry))

    def demand(self, connection: Connection, msisdn: str, entry: str, proofs: Made) -> Verdict:
        """Whether the entry is the phone's PIN; a right one ends the row of wrong ones with it.

        Raises `ProofNeeded` when `proofs` has none that still holds.
        """
        digits = rules.folded(entry)
        name = self._hasher.digest("prove", msisdn, digits)

        def make(cause: bytes, deadline: Deadline | None) -> Proof:
            return self._prove(msisdn, digits, cause, deadline)

        verdict = self._judged(connection, msisdn, proofs.get(name), name, make)
        if verdict.right and not store.set_back(connection, msisdn, self._of(proofs, name)):
            raise RaceLost("the PIN was changed while it was proved")
        return verdict

    def demand_elsewhere(
        self, connection: Connection, msisdn: str, entry: str, proofs: Made, count: Count
    ) -> Verdict:
        """The same from another phone: it is `count` that counts, never the owner's own tries.

        Else anybody could lock the owner out. A phone without a PIN is like a wrong entry.
        """
        digits = rules.folded(entry)
        name = self._hasher.digest("prove elsewhere", msisdn, digits)

        def counted(connection: Connection, cause: bytes) -> Pin:
            count(connection, cause, self._clock.now())
            return store.read(connection, msisdn)

        def make(cause: bytes, deadline: Deadline | None) -> Proof:
            return self._prove_elsewhere(msisdn, digits, lambda c: counted(c, cause), deadline)

        return self._judged(connection, msisdn, proofs.get(name), name, make)

    def reset(
        self, connection: Connection, msisdn: str, actor: str, reason: str, now: datetime
    ) -> bool:
        """An operator forgets the PIN and its wrong tries; False when there never was one.

        What proofs, locks and half-made changes there are die with it.
        """
        if not store.clear(connection, msisdn, now):
            return False
        self._record(connection, actor, "pin.reset", msisdn, now, reason)
        return True

    def _judged(
        self,
        connection: Connection,
        msisdn: str,
        proof: object,
        name: bytes,
        make: Callable[[bytes, Deadline | None], Proof],
    ) -> Verdict:
        if isinstance(proof, Proof) and proof.version == store.read(connection, msisdn).version:
            return proof.verdict
        raise ProofNeeded("a PIN must be proved first", name, make)

    def _of(self, proofs: Made, name: bytes) -> int:
        proof = proofs[name]
        return proof.version if isinstance(proof, Proof) else -1

    def _prove(self, msisdn: str, digits: str, cause: bytes, deadline: Deadline | None) -> Proof:
        with self._hasher.turn(deadline) as argon:
            now = self._clock.now()
            counted, pin = self._database.run(
                lambda c: store.count(c, msisdn, cause, now + LOCKED_FOR, now),
                deadline=while_others_wait(deadline),
                keyed=True,
            )
            if not counted:
                return Proof(pin.version, Verdict(Said.LOCKED, until=pin.until(now)))
            right = argon.verify(pin.hash or DECOY, digits)
        if pin.hash is None:
            return Proof(pin.version, Verdict.NO_PIN)
        return Proof(pin.version, Verdict.RIGHT if right else _wrong(pin, now))

    def _prove_elsewhere(
        self,
        msisdn: str,
        digits: str,
        counted: Callable[[Connection], Pin],
        deadline: Deadline | None,
    ) -> Proof:
        with self._hasher.turn(deadline) as argon:
            within = while_others_wait(deadline)
            try:
                pin = self._database.run(counted, deadline=within, keyed=True)
            except Limited as limited:
                version = self._database.run(lambda c: self.version(c, msisdn), deadline=within)
                return Proof(version, Verdict(Said.LOCKED, until=limited.until))
            right = argon.verify(pin.hash or DECOY, digits)
        found = right and pin.hash is not None
        return Proof(pin.version, Verdict.RIGHT if found else Verdict(Said.WRONG))


def _wrong(pin: Pin, now: datetime) -> Verdict:
    if pin.closed or pin.until(now) is not None:
        return Verdict(Said.LOCKED, until=pin.until(now))
    return Verdict(Said.WRONG, left=(LOCK_AT if pin.tries < LOCK_AT else CLOSE_AT) - pin.tries)
