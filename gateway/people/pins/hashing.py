"""Hashing PINs: argon2id over the peppered PIN, one at a time in a process (E6)."""

import hashlib
import hmac
import threading
from base64 import b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from argon2 import PasswordHasher, Type
from argon2.exceptions import VerifyMismatchError

from gateway.database.engine import Deadline
from gateway.errors import TryAgain

MEMORY_KIB, PASSES, LANES = 19_456, 2, 1
SALT_BYTES, HASH_BYTES = 16, 32
# What a caller's time must still hold when a hash begins: the hash, and what is done with it.
SECONDS_AFTER_WAITING = 0.5
COUNT_SECONDS_MAX = 1.0  # of the database, while others wait for their turn


def _base64(filling: int) -> str:
    return b64encode(bytes(filling)).rstrip(b"=").decode()


# A well-formed hash of no PIN at all: to test an entry against it takes as long as any other.
DECOY = (
    f"$argon2id$v=19$m={MEMORY_KIB},t={PASSES},p={LANES}"
    f"${_base64(SALT_BYTES)}${_base64(HASH_BYTES)}"
)


class Busy(TryAgain):
    """Others hash, and no turn came in time: nothing was hashed and nothing counted."""


def while_others_wait(deadline: Deadline | None) -> Deadline:
    """A deadline for what is done within a turn; a locked row must not stop every phone."""
    left = COUNT_SECONDS_MAX if deadline is None else deadline.remaining()
    return Deadline(min(left, COUNT_SECONDS_MAX))


class Argon:
    """The hashing itself, for the one whose turn it is.

    It runs on one thread of its own. A C library keeps what a thread gave back for that thread:
    eight threads that hashed one after the other were seen to hold 94 MiB, this one holds 19. The
    thread begins with the first hash, so after a server has forked.
    """

    def __init__(self, pepper: bytes, label: str) -> None:
        self._pepper = pepper
        self._thread = ThreadPoolExecutor(1, "argon2")
        self._label = label.encode() + b"\x00"
        self._argon = PasswordHasher(
            time_cost=PASSES,
            memory_cost=MEMORY_KIB,
            parallelism=LANES,
            hash_len=HASH_BYTES,
            salt_len=SALT_BYTES,
            type=Type.ID,
        )

    def hash(self, pin: str) -> str:
        """The hash to store, with its salt and parameters in it."""
        return self._thread.submit(self._argon.hash, self._peppered(pin)).result()

    def verify(self, hashed: str, pin: str) -> bool:
        """Whether `pin` is the one that was hashed; raises `InvalidHashError` for what is none."""
        try:
            return self._thread.submit(self._argon.verify, hashed, self._peppered(pin)).result()
        except VerifyMismatchError:
            return False

    def digest(self, *fields: str) -> bytes:
        """A keyed name of these fields, where the fields themselves must not be kept."""
        parts = [field.encode("utf-8", "surrogatepass") for field in ("name", *fields)]
        message = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
        return hmac.digest(self._pepper, self._label + message, hashlib.sha256)

    def _peppered(self, pin: str) -> bytes:
        # Without the pepper a stolen table of hashes of four digits is read in minutes.
        return hmac.digest(self._pepper, self._label + pin.encode(), hashlib.sha256)


class PinHasher:
    """Gives out turns at hashing; a process has one of these, whoever hashes in it.

    19 MiB a hash is little once and a server's memory eight times at once.
    """

    def __init__(self, pepper: str, label: str = "ptg/pin/v1") -> None:
        self._argon = Argon(pepper.encode(), label)
        self._one = threading.Lock()

    def hash(self, pin: str, deadline: Deadline | None = None) -> str:
        """The hash to store; raises `Busy` when no turn comes before the deadline."""
        with self.turn(deadline) as argon:
            return argon.hash(pin)

    def verify(self, hashed: str, pin: str, deadline: Deadline | None = None) -> bool:
        """Whether `pin` is the one that was hashed; raises `Busy`."""
        with self.turn(deadline) as argon:
            return argon.verify(hashed, pin)

    def digest(self, *fields: str) -> bytes:
        """A keyed name of these fields, for looking up what was made of them; takes no turn."""
        return self._argon.digest(*fields)

    @contextmanager
    def turn(self, deadline: Deadline | None = None) -> Iterator[Argon]:
        """Have the hashing to oneself; raises `Busy` when others have it until the deadline.

        Whatever is counted against a caller is counted inside, so that waiting costs no try.
        """
        seconds = -1.0 if deadline is None else deadline.remaining() - SECONDS_AFTER_WAITING
        if deadline is not None and seconds <= 0:
            raise Busy("no time is left to hash a PIN")
        if not self._one.acquire(timeout=seconds):
            raise Busy("others are hashing")
        try:
            yield self._argon
        finally:
            self._one.release()
