"""Proving with a phone and a PIN who of the staff one is; a try is counted, then judged."""

from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy import Connection

from gateway.clock import Clock, iso
from gateway.database.engine import Database, Deadline
from gateway.errors import BadInput
from gateway.people.pins import rules
from gateway.people.pins.hashing import DECOY, PinHasher, while_others_wait
from gateway.people.staff import store
from gateway.people.staff.hands import actor_of
from gateway.people.staff.store import Member, Status

TRIES_MAX = 5
LOCKED_FOR = timedelta(hours=1)
WRONG = "that phone and PIN are no operator's"
TRIED = "staff.wrong_pin"  # in the trail: in somebody's session, with somebody else's phone
Record = Callable[[Connection, str, str, str, datetime, str], None]  # appends to the audit trail


class Wrong(BadInput):
    """That phone and PIN are nobody's."""


class PinOnce(BadInput):
    """The PIN is right, but good for choosing one's own alone."""


class Locked(BadInput):
    """Too many wrong PINs; `until` says when the next one may be tried."""

    def __init__(self, until: datetime | None) -> None:
        said = iso(until) if until else "later"
        super().__init__(f"too many wrong PINs: locked until {said}")
        self.until = until


class Entrance:
    """Lets the staff in, each as themselves."""

    def __init__(self, database: Database, hasher: PinHasher, clock: Clock, record: Record) -> None:
        self._database = database
        self._hasher = hasher
        self._clock = clock
        self._record = record

    def entered(self, msisdn: str, pin: str, deadline: Deadline | None = None) -> Member:
        """The active member with this phone and PIN, whatever their role.

        The try is counted and committed before the PIN is looked at. Raises `BadInput`: `Locked`,
        and `PinOnce` while the PIN is good for changing it alone; and `Busy` when others have
        the hashing until the deadline.
        """
        member = self.proved(msisdn, pin, deadline)
        if member.pin_once:
            raise PinOnce("this PIN is for once: set your own with gateway staff pin --as PHONE")
        return member

    def entered_before(
        self, asker: Member, msisdn: str, pin: str, what: str, deadline: Deadline
    ) -> Member:
        """The same in the session of `asker`, for `what`; who tried whose PIN is in the trail."""
        try:
            return self.entered(msisdn, pin, deadline)
        except (Locked, Wrong) as error:
            said, actor = f"{what}, {type(error).__name__.lower()}", actor_of(asker)
            self._database.run(
                lambda c: self._record(c, actor, TRIED, msisdn, self._clock.now(), said),
                deadline=deadline,
            )
            raise

    def proved(self, msisdn: str, pin: str, deadline: Deadline | None = None) -> Member:
        """The same of whoever is about to choose their own PIN. Raises `BadInput` and `Busy`."""
        digits = rules.folded(pin)
        if not rules.is_pin(digits):
            raise BadInput("a PIN has 4 to 6 digits")
        with self._hasher.turn(deadline) as argon:
            member, counted = self._database.run(
                lambda c: self._count(c, msisdn), deadline=while_others_wait(deadline), keyed=True
            )
            right = argon.verify(member.pin_hash if member else DECOY, digits)
        if member is not None and not counted and member.status == Status.ACTIVE:
            raise Locked(member.locked_until)
        if member is None or not counted or not right:
            raise Wrong(WRONG)
        self._database.run(
            lambda c: store.forget_tries(c, member.id), deadline=deadline, keyed=True
        )
        return member

    def _count(self, connection: Connection, msisdn: str) -> tuple[Member | None, bool]:
        member = store.by_msisdn(connection, msisdn)
        if member is None:
            return None, False
        now = self._clock.now()
        return member, store.count_try(connection, member.id, now, TRIES_MAX, LOCKED_FOR)
