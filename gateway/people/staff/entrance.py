"""Proving with a phone and a PIN who of the staff one is; a try is counted, then judged."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection

from gateway.clock import Clock, iso
from gateway.database.engine import Database, Deadline
from gateway.errors import BadInput
from gateway.people.pins import rules
from gateway.people.pins.hashing import DECOY, Busy, PinHasher, while_others_wait
from gateway.people.staff import store
from gateway.people.staff.hands import actor_of
from gateway.people.staff.proofs import store as proofs
from gateway.people.staff.store import Member, Status
from gateway.people.staff.tries import limits
from gateway.people.staff.tries import store as tries
from gateway.people.staff.tries.places import HERE

TRIES_MAX = 5
LOCKED_FOR = timedelta(hours=1)
WRONG = "that phone and PIN are no operator's"
ONCE = (
    "this PIN is for once: set your own at /counter/pin or /console/pin, "
    "or with gateway staff pin --as PHONE"
)
STRANGER = "phone:"
TRIED = "staff.wrong_pin"  # in the trail: in somebody's session, with somebody else's phone
Record = Callable[[Connection, str, str, str, datetime, str], None]  # appends to the audit trail


class Wrong(BadInput):
    """That phone and PIN are nobody's."""


class PinOnce(BadInput):
    """The PIN is right, but good for choosing one's own alone."""


class Locked(BadInput):
    """Too many wrong PINs; `until` says when the next one may be tried."""

    def __init__(self, until: datetime | None, what: str = "too many wrong PINs: locked") -> None:
        super().__init__(f"{what} until {iso(until)}" if until else f"{what} until later")
        self.until = until


class Crowded(Locked):
    """Too many wrong tries from one place, whoever made them; nothing was hashed."""

    def __init__(self, until: datetime) -> None:
        super().__init__(until, "too many tries from there: none is taken")


@dataclass(frozen=True, slots=True)
class Begun:
    """A try before its turn at hashing: whose it is, where, and why it gets none."""

    place: str
    member: Member | None  # who has the phone
    is_known: bool  # the member, at this place: counted there, and nowhere else
    refusal: Locked | None = None
    stranger: str = ""  # the name under which a phone is counted that is nobody's


class Entrance:
    """Lets the staff in, each as themselves."""

    def __init__(self, database: Database, hasher: PinHasher, clock: Clock, record: Record) -> None:
        self._database = database
        self._hasher = hasher
        self._clock = clock
        self._record = record

    def entered(
        self, msisdn: str, pin: str, deadline: Deadline | None = None, place: str = HERE
    ) -> Member:
        """The active member with this phone and PIN, whatever their role.

        The try is counted and committed before the PIN is looked at: at its `place`
        (`tries.places.place_of`) before it waits for the hashing. Raises `BadInput`: `Locked`,
        `Crowded`, and `PinOnce` while the PIN is good for changing it alone; and `Busy` when
        others have the hashing until the deadline.
        """
        member = self.proved(msisdn, pin, deadline, place)
        if member.pin_once:
            raise PinOnce(ONCE)
        return member

    def entered_before(
        self, asker: Member, msisdn: str, pin: str, what: str, deadline: Deadline, place: str
    ) -> Member:
        """The same in the session of `asker`, for `what`; who tried whose PIN is in the trail."""
        try:
            return self.entered(msisdn, pin, deadline, place)
        except (Locked, Wrong) as error:
            said, actor = f"{what}, {type(error).__name__.lower()}", actor_of(asker)
            self._database.run(
                lambda c: self._record(c, actor, TRIED, msisdn, self._clock.now(), said),
                deadline=deadline,
            )
            raise

    def proved(
        self, msisdn: str, pin: str, deadline: Deadline | None = None, place: str = HERE
    ) -> Member:
        """The same of whoever is about to choose their own PIN. Raises `BadInput` and `Busy`."""
        digits = rules.folded(pin)
        if not rules.is_pin(digits):
            raise BadInput("a PIN has 4 to 6 digits")
        begun = self._database.run(
            lambda c: self._begin(c, msisdn, place),
            deadline=while_others_wait(deadline),
            keyed=True,
        )
        if begun.refusal is not None:
            raise begun.refusal
        try:
            member, right = self._judged(begun, digits, deadline)
        except Busy:
            self._give_back(begun, deadline)  # waiting costs no try
            raise
        if member is None or not right:
            raise Wrong(WRONG)
        self._database.run(lambda c: self._accept(c, begun, member), deadline=deadline, keyed=True)
        return member

    def is_pin_of(self, member: Member, pin: str, deadline: Deadline | None = None) -> bool:
        """Whether they have this PIN, asked by whoever has just given it to them. Raises `Busy`.

        No proof of who somebody is: nothing is counted. That is `proved`.
        """
        return self._hasher.verify(member.pin_hash, rules.folded(pin), deadline)

    def _begin(self, connection: Connection, msisdn: str, place: str) -> Begun:
        """Count the try where it is made. What it is refused for is returned, not raised: the
        count stays.
        """
        now, member = self._clock.now(), store.by_msisdn(connection, msisdn)
        for one in limits.known(connection, member.id, now) if member else ():
            if one.place == place:
                return Begun(place, member, True, Locked(one.until) if one.until > now else None)
        ends = limits.begin(connection, place, now)
        if ends is not None:
            return Begun(place, member, False, Crowded(ends))
        if member is None or member.status != Status.ACTIVE:
            # Counted and locked as everybody's, else who works here could be asked of this form.
            stranger = self._stranger(msisdn)
            held = tries.until(connection, stranger, tries.WHOEVER)
            refusal = Locked(held) if held and held > now else None
            return Begun(place, None, False, refusal, stranger)
        held = member.locked_until
        return Begun(place, member, False, Locked(held) if held and held > now else None)

    def _stranger(self, msisdn: str) -> str:
        """A name for a phone that is nobody's: no list is kept of what strangers type."""
        return f"{STRANGER}{self._hasher.digest(STRANGER, msisdn).hex()[:40]}"

    def _judged(
        self, begun: Begun, digits: str, deadline: Deadline | None
    ) -> tuple[Member | None, bool]:
        """Who it is, and whether it is their PIN. Raises `Locked` and `Busy`."""
        with self._hasher.turn(deadline) as argon:
            if begun.member is None:
                self._count_stranger(begun.stranger, deadline)
                argon.verify(DECOY, digits)
                return None, False
            of = begun.member.id
            member, counted, ends = self._database.run(
                lambda c: self._count(c, begun, of),
                deadline=while_others_wait(deadline),
                keyed=True,
            )
            if not counted and ends is not None:
                raise Locked(ends)
            right = argon.verify(member.pin_hash, digits)
        return member, counted and right and member.status == Status.ACTIVE

    def _count_stranger(self, stranger: str, deadline: Deadline | None) -> None:
        """Count the try in its turn. Raises `Locked`."""
        now = self._clock.now()

        def work(connection: Connection) -> datetime | None:
            ends = now + LOCKED_FOR
            if tries.count_stranger(connection, stranger, now, ends, TRIES_MAX):
                return None
            return tries.until(connection, stranger, tries.WHOEVER)

        held = self._database.run(work, deadline=while_others_wait(deadline), keyed=True)
        if held is not None:
            raise Locked(held)

    def _count(
        self, connection: Connection, begun: Begun, of: int
    ) -> tuple[Member, bool, datetime | None]:
        """Count the try in its turn; the member as they are after it, and the end of a lock."""
        now = self._clock.now()
        if begun.is_known:
            ends = now + LOCKED_FOR
            counted = tries.count_member(connection, begun.place, of, now, ends, TRIES_MAX)
            held = tries.until(connection, begun.place, of)
        else:
            counted = store.count_try(connection, of, now, TRIES_MAX, LOCKED_FOR)
            held = None
        member = store.by_id(connection, of)
        if member is None:
            raise LookupError(f"no member {of}")
        if not begun.is_known and member.status == Status.ACTIVE:
            held = member.locked_until
        return member, counted, held

    def _accept(self, connection: Connection, begun: Begun, member: Member) -> None:
        """The PIN was right. Who is known there ends no lock that others have caused elsewhere."""
        proofs.insist_unchanged(connection, member)
        if not begun.is_known:
            store.forget_tries(connection, member.id)
            tries.give_back(connection, begun.place)
        tries.proved(connection, begun.place, member.id, self._clock.now())

    def _give_back(self, begun: Begun, deadline: Deadline | None) -> None:
        if not begun.is_known:
            self._database.run(
                lambda c: tries.give_back(c, begun.place), deadline=while_others_wait(deadline)
            )
