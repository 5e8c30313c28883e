"""Taking on staff, letting them go, and proving with their PIN who they are."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

import structlog
from sqlalchemy import Connection

from gateway.clock import Clock
from gateway.database.engine import Database, Deadline
from gateway.errors import BadInput
from gateway.people.pins import rules
from gateway.people.pins.hashing import PinHasher
from gateway.people.staff import store
from gateway.people.staff.entrance import WRONG, Entrance
from gateway.people.staff.hands import actor_of, behind, insist_own_pin
from gateway.people.staff.sessions import store as sessions
from gateway.people.staff.store import Member, Role, Status
from gateway.people.staff.tries import store as tries
from gateway.people.staff.tries.places import HERE

log = structlog.get_logger()

# Four eyes need two people: the first two operators there ever are need nobody's approval.
FOUNDERS = 2
# Whom one person alone has let in decides nothing until the others could notice.
DECIDES_AFTER = timedelta(hours=24)
NAME_MAX = OUTLET_MAX = 40
HIRE, ENABLE = "staff.hire", "staff.enable"  # kinds of approvals
BREAK_GLASS = "staff.break_glass"  # in the trail, as the action and as its subject

# Where somebody in a role is to work: the name as it is known. Raises `BadInput`.
Workplace = Callable[[Connection, str, str | None], str | None]
Record = Callable[[Connection, str, str, str, datetime, str], None]  # appends to the audit trail


class Asks(Protocol):
    """Asks a second operator."""

    def ask(
        self,
        connection: Connection,
        kind: str,
        subject: str,
        details: Mapping[str, str],
        actor: str,
        reason: str,
        now: datetime,
    ) -> int:
        """The number of the approval that is waited for."""


@dataclass(frozen=True, slots=True)
class Hire:
    """Somebody to be taken on."""

    name: str
    msisdn: str  # E.164
    role: Role
    pin_hash: str = field(repr=False)
    outlet: str | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """Somebody as they now stand, and the approval they wait for, if they do."""

    member: Member
    approval: int | None = None


class Roster:
    """The staff. Nobody takes on an operator or an admin alone (M9)."""

    def __init__(
        self,
        database: Database,
        hasher: PinHasher,
        clock: Clock,
        record: Record,
        requests: Asks,
        workplace: Workplace,
    ) -> None:
        self._database = database
        self._hasher = hasher
        self._clock = clock
        self._record = record
        self._requests = requests
        self._workplace = workplace
        self.entrance = Entrance(database, hasher, clock, record)

    def hashed(self, pin: str, msisdn: str, deadline: Deadline | None = None) -> str:
        """A new PIN's hash, made outside of any transaction.

        Raises `BadInput` for a weak one, and `Busy`.
        """
        digits = rules.folded(pin)
        if rules.unfit(digits, msisdn) is rules.Unfit.FORM:
            raise BadInput("a PIN has 4 to 6 digits")
        if rules.unfit(digits, msisdn) is not None:
            raise BadInput("this PIN is too easy to guess")
        return self._hasher.hash(digits, deadline)

    def hire(
        self, connection: Connection, hire: Hire, actor: str, reason: str, now: datetime
    ) -> Placed:
        """Take somebody on, or ask a second operator first. Raises `BadInput`."""
        founder = None
        if hire.role in store.OPERATORS:
            # The number is unique: of several at once, who loses it counts anew.
            founder = store.operators(connection) + 1
        free = founder is None or founder <= FOUNDERS
        status = Status.ACTIVE if free else Status.WAITING
        self._place(connection, hire, status, actor, now, founder if free else None)
        member = self._member(connection, hire.msisdn)
        number = None if free else self._ask(connection, HIRE, member, actor, reason, now)
        self._record(connection, actor, "staff.create", member.msisdn, now, reason)
        return Placed(member, number)

    def break_glass(
        self, connection: Connection, hire: Hire, actor: str, reason: str, now: datetime
    ) -> Placed:
        """Take on an operator without an approval, as nobody is left who could give one.

        For `DECIDES_AFTER` nothing is approved by them or for them. Never in silence: the log, the
        trail and the doctor say so. Raises `BadInput`.
        """
        if hire.role not in store.OPERATORS or not reason.strip():
            raise BadInput("only for an operator or admin, and with a reason")
        # Locked: of two at once the second one counts the first.
        left = store.active_operators(connection, lock=True)
        if store.operators(connection) < FOUNDERS:
            raise BadInput("the first two operators need no approval: leave out --break-glass")
        if left >= FOUNDERS:
            raise BadInput(f"{left} operators are active: one of them can approve")
        self._place(connection, hire, Status.ACTIVE, actor, now)
        member = self._member(connection, hire.msisdn)
        store.decides_from(connection, member.id, now + DECIDES_AFTER)
        self._record(connection, actor, "staff.create", member.msisdn, now, reason)
        why = f"{member.name}, {member.role}, {left} were left: {reason}"
        self._record(connection, actor, BREAK_GLASS, BREAK_GLASS, now, why)
        log.error("staff_break_glass", actor=actor, member=member.id, active_operators=left)
        return Placed(member)

    def _place(
        self,
        connection: Connection,
        hire: Hire,
        status: Status,
        actor: str,
        now: datetime,
        founder: int | None = None,
    ) -> None:
        insist_own_pin(connection, actor)
        name, outlet = _plain(hire.name, NAME_MAX), hire.outlet and _plain(hire.outlet, OUTLET_MAX)
        outlet = self._workplace(connection, hire.role, outlet)
        known = store.by_msisdn(connection, hire.msisdn)
        if known is None:
            store.add(
                connection,
                name,
                hire.msisdn,
                hire.role,
                hire.pin_hash,
                status,
                outlet,
                actor,
                founder,
                now,
            )
        elif not store.propose_anew(
            connection, known.id, name, hire.role, hire.pin_hash, status, outlet, actor
        ):
            raise BadInput(f"this phone is {known.name}'s, who is {known.status}")

    def disable(
        self, connection: Connection, msisdn: str, actor: str, reason: str, now: datetime
    ) -> Placed:
        """Active to disabled, at once; oneself only where two others stay. Raises `BadInput`.

        Their sessions end for good: to be enabled again is no way back into them.
        """
        member = self._member(connection, msisdn)
        themselves = member.is_operator and behind(connection, actor) == member
        # Locked: of two who leave at once the second one counts the first.
        if themselves and store.active_operators(connection, lock=True) <= FOUNDERS:
            raise BadInput("fewer than two operators would be left: take on another one first")
        if not store.move(connection, member.id, Status.ACTIVE, Status.DISABLED):
            raise BadInput(f"{member.name} is {member.status}")
        sessions.end_of(connection, member.id)
        tries.forget(connection, member.id)
        self._record(connection, actor, "staff.disable", msisdn, now, reason)
        return Placed(self._member(connection, msisdn))

    def enable(
        self, connection: Connection, msisdn: str, actor: str, reason: str, now: datetime
    ) -> Placed:
        """Disabled to active; an operator or admin needs an approval again. Raises `BadInput`."""
        member = self._member(connection, msisdn)
        if member.status != Status.DISABLED:
            raise BadInput(f"{member.name} is {member.status}")
        number = None
        if member.is_operator:
            number = self._ask(connection, ENABLE, member, actor, reason, now)
        elif not store.move(connection, member.id, Status.DISABLED, Status.ACTIVE):
            raise BadInput(f"{member.name} is not disabled any more")
        self._record(connection, actor, "staff.enable", msisdn, now, reason)
        return Placed(self._member(connection, msisdn), number)

    def has_operators(self, connection: Connection) -> bool:
        """Whether there has ever been one: from then on, who acts must prove who they are."""
        return store.operators(connection) > 0

    def active_operators(self, connection: Connection) -> int:
        """How many operators and admins may act now."""
        return store.active_operators(connection)

    def proved(self, msisdn: str, pin: str) -> Member:
        """The active operator or admin with this phone and PIN. Raises as `Entrance.entered`."""
        member = self.entrance.entered(msisdn, pin)
        if not member.is_operator:
            raise BadInput(WRONG)
        return member

    def change_pin(
        self,
        msisdn: str,
        old: str,
        new: str,
        deadline: Deadline | None = None,
        place: str = HERE,
    ) -> Member:
        """Set one's own PIN, whatever one's role; who one is, with the new PIN.

        Nobody else knows it from then on.
        The old one is proved as ever, before the new one is looked at. Whoever knew it is out of
        every session, and known nowhere. Raises `BadInput` and `Busy`.
        """
        member = self.entrance.proved(msisdn, old, deadline, place)
        if rules.folded(new) == rules.folded(old):
            raise BadInput("this is the PIN as it was")
        hashed, actor = self.hashed(new, msisdn, deadline), actor_of(member)

        def work(connection: Connection) -> Member:
            if not store.set_pin(connection, member.id, member.pin_hash, hashed, actor):
                raise BadInput("the PIN was changed meanwhile")
            sessions.end_of(connection, member.id)
            now = self._clock.now()
            tries.forget(connection, member.id)
            tries.proved(connection, place, member.id, now)
            self._record(connection, actor, "staff.pin", member.msisdn, now, "")
            return self._member(connection, member.msisdn)

        return self._database.run(work, deadline=deadline)

    def _ask(
        self,
        connection: Connection,
        kind: str,
        member: Member,
        actor: str,
        reason: str,
        now: datetime,
    ) -> int:
        details = {"name": member.name, "role": member.role, "outlet": member.outlet or ""}
        return self._requests.ask(connection, kind, member.msisdn, details, actor, reason, now)

    def _member(self, connection: Connection, msisdn: str) -> Member:
        member = store.by_msisdn(connection, msisdn)
        if member is None:
            raise BadInput("this phone is nobody's of the staff")
        return member


def place(connection: Connection, msisdn: str, before: Status, details: Mapping[str, str]) -> str:
    """Make somebody active who was approved as just these `details`. Raises `BadInput`."""
    member = store.by_msisdn(connection, msisdn)
    if member is None or (member.name, member.role) != (details["name"], details["role"]):
        raise BadInput("it is somebody else by now: refuse this, and ask again")
    if not store.move(connection, member.id, before, Status.ACTIVE):
        raise BadInput(f"{member.name} is {member.status}")
    return f"{member.name} is an active {member.role}"


def _plain(words: str, characters_max: int) -> str:
    """Words fit to be shown and recorded. Raises `BadInput`.

    >>> _plain("  Ada   Obi ", 40)
    'Ada Obi'
    >>> _plain("  ", 40)
    Traceback (most recent call last):
    gateway.errors.BadInput: a name has 1 to 40 characters
    """
    plain = " ".join(words.split())
    if not 0 < len(plain) <= characters_max or not plain.isprintable():
        raise BadInput(f"a name has 1 to {characters_max} characters")
    return plain
