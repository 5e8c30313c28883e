"""Proving with a phone and a PIN who of the staff one is; a try is counted, then judged."""

from datetime import timedelta

from sqlalchemy import Connection

from gateway.clock import Clock, iso
from gateway.database.engine import Database
from gateway.errors import BadInput
from gateway.people.pins import rules
from gateway.people.pins.hashing import DECOY, PinHasher
from gateway.people.staff import store
from gateway.people.staff.store import Member, Status

TRIES_MAX = 5
LOCKED_FOR = timedelta(hours=1)
WRONG = "that phone and PIN are no operator's"


class PinOnce(BadInput):
    """The PIN is right, but good for choosing one's own alone."""


class Entrance:
    """Lets the staff in, each as themselves."""

    def __init__(self, database: Database, hasher: PinHasher, clock: Clock) -> None:
        self._database = database
        self._hasher = hasher
        self._clock = clock

    def entered(self, msisdn: str, pin: str) -> Member:
        """The active member with this phone and PIN, whatever their role.

        The try is counted and committed before the PIN is looked at. Raises `BadInput`, and
        `PinOnce` while the PIN is good for changing it alone.
        """
        member = self.proved(msisdn, pin)
        if member.pin_once:
            raise PinOnce("this PIN is for once: set your own with gateway staff pin --as PHONE")
        return member

    def proved(self, msisdn: str, pin: str) -> Member:
        """The same of whoever is about to choose their own PIN. Raises `BadInput`."""
        digits = rules.folded(pin)
        if not rules.is_pin(digits):
            raise BadInput("a PIN has 4 to 6 digits")
        with self._hasher.turn() as argon:
            member, counted = self._database.run(lambda c: self._count(c, msisdn), keyed=True)
            right = argon.verify(member.pin_hash if member else DECOY, digits)
        if member is not None and not counted and member.status == Status.ACTIVE:
            until = iso(member.locked_until) if member.locked_until else "later"
            raise BadInput(f"too many wrong PINs: locked until {until}")
        if member is None or not counted or not right:
            raise BadInput(WRONG)
        self._database.run(lambda c: store.forget_tries(c, member.id), keyed=True)
        return member

    def _count(self, connection: Connection, msisdn: str) -> tuple[Member | None, bool]:
        member = store.by_msisdn(connection, msisdn)
        if member is None:
            return None, False
        now = self._clock.now()
        return member, store.count_try(connection, member.id, now, TRIES_MAX, LOCKED_FOR)
