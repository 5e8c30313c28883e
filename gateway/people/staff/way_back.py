"""The way back for one who is locked out, or has forgotten the PIN."""

from datetime import datetime, timedelta

from sqlalchemy import Connection

from gateway.clock import iso
from gateway.errors import BadInput
from gateway.people.staff import store
from gateway.people.staff.hands import actor_of, insist_own_pin
from gateway.people.staff.roster import DECIDES_AFTER, Asks, Placed, Record
from gateway.people.staff.sessions import store as sessions
from gateway.people.staff.store import Member
from gateway.people.staff.tries import limits
from gateway.people.staff.tries import store as tries

RESET_PIN = "staff.reset_pin"  # the kind of the approval
# Each unlocking is worth a few more guesses, to whoever makes them.
UNLOCKED_EVERY = timedelta(days=1)


class WayBack:
    """Unlocks at once, and sets a PIN anew with a second operator's approval."""

    def __init__(self, record: Record, requests: Asks) -> None:
        self._record = record
        self._requests = requests

    def unlock(
        self, connection: Connection, msisdn: str, actor: str, reason: str, now: datetime
    ) -> Placed:
        """Let somebody try their PIN again before the hour is over, also where they are known.

        Raises `BadInput`.
        """
        member = _member(connection, msisdn)
        until = locked_until(connection, member, now)
        if member.status != store.Status.ACTIVE:
            raise BadInput(f"{member.name} is {member.status}")
        if until is None:
            raise BadInput(f"{member.name} is not locked")
        if not store.unlock(connection, member.id, now, now - UNLOCKED_EVERY):
            raise BadInput(f"unlocked within a day already: locked until {iso(until)}")
        for place in limits.locked(connection, member.id, now):
            tries.unlock(connection, place, member.id, now)
        self._record(connection, actor, "staff.unlock", msisdn, now, reason)
        return Placed(_member(connection, msisdn))

    def reset_pin(
        self,
        connection: Connection,
        msisdn: str,
        pin_hash: str,
        actor: str,
        reason: str,
        now: datetime,
    ) -> Placed:
        """Ask for a PIN that is good for `staff pin` alone. Raises `BadInput`.

        Until it is approved the old one counts.
        """
        insist_own_pin(connection, actor)
        member = _member(connection, msisdn)
        if not store.propose_pin(connection, member.id, pin_hash):
            raise BadInput(f"{member.name} is {member.status}")
        details = {"name": member.name, "role": member.role}
        number = self._requests.ask(connection, RESET_PIN, msisdn, details, actor, reason, now)
        return Placed(member, number)


def renew(connection: Connection, msisdn: str, asked_by: str, now: datetime) -> str:
    """Make the PIN that was asked for the one that counts. Raises `BadInput`.

    Whoever asked knows it and could be first to change it: its owner has a day to notice.
    """
    member = _member(connection, msisdn)
    if not store.renew_pin(connection, member.id, asked_by, now + DECIDES_AFTER):
        raise BadInput(f"{member.name} is {member.status}")
    sessions.end_of(connection, member.id)
    tries.forget(connection, member.id)
    return f"{actor_of(member)} has a PIN for once"


def locked_until(connection: Connection, member: Member, now: datetime) -> datetime | None:
    """When the last lock ends that keeps somebody out somewhere; None when none does."""
    ends = [one.until for one in limits.known(connection, member.id, now)]
    held = [end for end in (member.locked_until, *ends) if end is not None and end > now]
    return max(held, default=None)


def _member(connection: Connection, msisdn: str) -> Member:
    member = store.by_msisdn(connection, msisdn)
    if member is None:
        raise BadInput("this phone is nobody's of the staff")
    return member
