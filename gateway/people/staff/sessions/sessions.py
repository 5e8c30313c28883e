"""Who sits before a web page: sessions that begin with a PIN and end by themselves."""

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection

from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.people.staff import store as staff
from gateway.people.staff.proofs import store as proofs
from gateway.people.staff.sessions import store
from gateway.people.staff.store import Member, Status

IDLE_MAX = timedelta(minutes=30)
AGE_MAX = timedelta(hours=12)  # longer than any shift
VALUE_BYTES = 32
_VALUE = re.compile(r"([A-Za-z0-9_-]{43})\.([0-9a-f]{32})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Sessions:
    """Sessions under a key of their own: whoever reads the table cannot enter with it."""

    key: bytes

    def new_value(self) -> str:
        """What a browser is given to carry; nothing can be read from it."""
        chosen = secrets.token_urlsafe(VALUE_BYTES)
        return f"{chosen}.{self._seal(chosen)}"

    def is_ours(self, value: str) -> bool:
        """Whether a browser was given this here.

        >>> ours, others = Sessions(b"a key"), Sessions(b"another")
        >>> ours.is_ours(ours.new_value()), ours.is_ours(others.new_value()), ours.is_ours("A" * 43)
        (True, False, False)
        """
        parts = _VALUE.fullmatch(value)
        return parts is not None and hmac.compare_digest(parts[2], self._seal(parts[1]))

    def _seal(self, chosen: str) -> str:
        return hmac.digest(self.key, b"ours:" + chosen.encode(), hashlib.sha256).hex()[:32]

    def seal(self, value: str, text: str) -> str:
        """Proof that this browser was given a text here, and no other one was.

        >>> door = Sessions(b"a key")
        >>> door.seal("mine", "text") in (door.seal("yours", "text"), door.seal("mine", "texts"))
        False
        """
        message = b"said:" + f"{len(value)}:{value}{text}".encode("utf-8", "surrogatepass")
        return hmac.digest(self.key, message, hashlib.sha256).hex()

    def begin(self, connection: Connection, member: Member, now: datetime) -> str:
        """A new session of somebody who has just proved who they are; the value to carry.

        Raises `BadInput` when their PIN is another one by now.
        """
        proofs.insist_unchanged(connection, member, lock=True)
        value = self.new_value()
        store.add(connection, self._digest(value), member.id, now)
        return value

    def find(self, connection: Connection, value: str, now: datetime) -> Member | None:
        """Who carries this value; None when it is over, or they are no active staff any more."""
        digest = self._digest(value)
        found = store.owner(connection, digest, now - IDLE_MAX, now - AGE_MAX)
        if found is None:
            return None
        number, seen_at = found
        member = staff.by_id(connection, number)
        if member is None or member.status != Status.ACTIVE or member.pin_once:
            return None
        if seen_at <= now - store.SEEN_EVERY:
            store.seen(connection, digest, now)
        return member

    def end(self, connection: Connection, value: str) -> None:
        """Nobody gets in with this value any more."""
        store.end(connection, self._digest(value))

    def _digest(self, value: str) -> bytes:
        return hmac.digest(self.key, b"session:" + value.encode(), hashlib.sha256)

    def form_key(self, value: str) -> str:
        """What every form of this browser must carry; no other site can know it."""
        return hmac.digest(self.key, b"form:" + value.encode(), hashlib.sha256).hex()


def forget_old(database: Database, clock: Clock) -> int:
    """Delete the sessions that are over; how many."""
    return database.run(lambda c: store.forget(c, clock.now() - AGE_MAX))
