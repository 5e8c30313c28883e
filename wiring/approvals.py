"""What is done once a second operator has approved it, by the kind of the request."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from gateway.audit.approvals import Executor, Known, person
from gateway.audit.decisions.store import Approval
from gateway.people.staff.hands import behind, setter
from gateway.people.staff.roster import ENABLE, HIRE, place
from gateway.people.staff.store import Status
from gateway.people.staff.way_back import RESET_PIN, renew


@dataclass(frozen=True, slots=True)
class Places:
    """Makes a member of the staff active who stood as `before`."""

    before: Status

    def execute(self, connection: Connection, approval: Approval, now: datetime) -> str:
        """Active from now on."""
        return place(connection, approval.subject, self.before, approval.details)


class Renewals:
    """Makes the PIN count that was proposed."""

    def execute(self, connection: Connection, approval: Approval, now: datetime) -> str:
        """For once, until its owner has changed it."""
        return renew(connection, approval.subject, approval.asked_by, now)


def known(connection: Connection, who: str) -> Known:
    """What the roster knows of a person."""
    member = behind(connection, who)
    if member is None:
        return Known()
    by, is_gone = setter(member), member.status != Status.ACTIVE
    hands = () if by is None else (person(by),)
    return Known(member.msisdn, hands, member.decides_from, is_gone)


def executors(*others: Mapping[str, Executor]) -> Mapping[str, Executor]:
    """Every kind; `others` are those of rooms that bring theirs along."""
    found: dict[str, Executor] = {
        HIRE: Places(Status.WAITING),
        ENABLE: Places(Status.DISABLED),
        RESET_PIN: Renewals(),
    }
    for kinds in others:
        found |= kinds
    return found
