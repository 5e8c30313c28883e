"""Four eyes: what one operator asks for, another one approves, and then it is done (M9)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Protocol, runtime_checkable

import structlog
from sqlalchemy import Connection

from gateway.audit import trail
from gateway.audit.apart import Known as Known
from gateway.audit.apart import Knows, insist_apart, nobody_is_known
from gateway.audit.apart import concerning as concerning
from gateway.audit.apart import person as person
from gateway.audit.decisions import store
from gateway.audit.decisions.store import Approval, State
from gateway.audit.listing import store as listing
from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.errors import BadInput, CommitUnknown, RaceLost, TryAgain
from gateway.formats.digits import hidden
from gateway.formats.facts import Fact, fact

log = structlog.get_logger()

EXPIRES_AFTER = timedelta(days=7)
REASON_MAX = OUTCOME_MAX = 200
LISTED_MAX = 200
OWN = "you asked for this yourself: somebody else must approve it"


class Executor(Protocol):
    """Does what was approved."""

    def execute(self, connection: Connection, approval: Approval, now: datetime) -> str:
        """Do it, in the transaction that approves it; what was done, in a few words.

        The trail keeps a `Fact` as it is, and masks the digits of any other text.
        Raises `BadInput` when it cannot be done now: then the request goes on waiting.
        """


@runtime_checkable
class Minds(Executor, Protocol):
    """An executor that must hear when something will not be done."""

    def refused(self, connection: Connection, approval: Approval, now: datetime) -> None:
        """It was refused, or has expired; in the same transaction."""


class Requests:
    """Asks for what needs a second operator."""

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
        """A waiting request; its number. `details` are shown to whoever decides, never secrets.

        Raises `BadInput` for a blank reason, and when the same kind of request about this subject
        waits already.
        """
        trail.worded(reason)
        other = store.waiting(connection, kind, subject)
        if other is not None and not store.expire(connection, other.id, now - EXPIRES_AFTER, now):
            raise BadInput(f"approval {other.id} waits for this already")
        reason = hidden(reason)[:REASON_MAX]
        number = store.add(connection, kind, subject, details, actor, person(actor), reason, now)
        trail.record(connection, actor, "approval.ask", subject, now, reason, _about(number, kind))
        return number

    def drop(
        self,
        connection: Connection,
        kind: str,
        subject: str,
        actor: str,
        reason: str,
        now: datetime,
    ) -> bool:
        """Refuse what has lost its cause, in the transaction that takes it; whether it waited."""
        found = store.waiting(connection, kind, subject)
        if found is None:
            return False
        since = now - EXPIRES_AFTER
        if not store.decide(connection, found.id, State.REFUSED, actor, now, asked_after=since):
            return False
        store.conclude(connection, found.id, hidden(reason)[:OUTCOME_MAX])
        about = _about(found.id, kind)
        trail.record(connection, actor, "approval.refuse", subject, now, reason, about)
        return True


class Approvals(Requests):
    """Decides about requests; `executors` do, by kind, what was approved."""

    def __init__(self, executors: Mapping[str, Executor], knows: Knows = nobody_is_known) -> None:
        self._executors = executors
        self._knows = knows

    @property
    def kinds(self) -> Collection[str]:
        """The kinds of requests that can be carried out."""
        return self._executors.keys()

    def approve(
        self, connection: Connection, number: int, actor: str, now: datetime, why: str = ""
    ) -> Approval:
        """Approve and do it, in one transaction; the request as it then stands.

        `why` is the approver's own reason, for the trail.

        Raises `BadInput` for what does not wait (any more), for one's own request, for one about
        oneself, for a PIN in the hands of who asked, while either was let in by one person alone
        lately, and when the executor refuses. All of it is rolled back then, and it goes on
        waiting.
        """
        found = _found(connection, number)
        since = now - EXPIRES_AFTER
        if not store.decide(
            connection,
            number,
            State.APPROVED,
            actor,
            now,
            asked_after=since,
            not_asked_by=person(actor),
        ):
            raise _refusal(connection, found, actor, now)
        insist_apart(connection, self._knows, found, actor, now)
        if found.kind not in self._executors:
            raise BadInput(f"nothing here can do {found.kind}")
        carry_out = self._executors[found.kind].execute
        approved = replace(found, state=State.APPROVED.value, decided_by=actor, decided_at=now)
        done = carry_out(connection, approved, now)
        outcome = (done if isinstance(done, Fact) else hidden(done))[:OUTCOME_MAX]
        store.conclude(connection, number, outcome)
        about = _about(number, found.kind, done)
        trail.record(connection, actor, "approval.approve", found.subject, now, why, about)
        return replace(approved, outcome=outcome)

    def refuse(
        self, connection: Connection, number: int, actor: str, reason: str, now: datetime
    ) -> Approval:
        """Refuse it for good; whoever asked may take it back so, too. Raises `BadInput`."""
        trail.worded(reason)
        found = _found(connection, number)
        if not store.decide(
            connection, number, State.REFUSED, actor, now, asked_after=now - EXPIRES_AFTER
        ):
            raise _refusal(connection, found, "", now)
        outcome = hidden(reason)[:OUTCOME_MAX]
        store.conclude(connection, number, outcome)
        about = _about(number, found.kind)
        trail.record(connection, actor, "approval.refuse", found.subject, now, reason, about)
        refused = replace(
            found, state=State.REFUSED.value, decided_by=actor, decided_at=now, outcome=outcome
        )
        self._tell(connection, refused, now)
        return refused

    def sweep(self, database: Database, clock: Clock) -> int:
        """Close what nobody decided within `EXPIRES_AFTER`; how many. One that fails stops none."""
        now = clock.now()
        found = database.run(lambda c: store.overdue(c, now - EXPIRES_AFTER))
        return sum(self._expired(database, approval, now) for approval in found)

    def _expired(self, database: Database, approval: Approval, now: datetime) -> bool:
        try:
            return database.run(partial(self._expire, approval=approval, now=now))
        except (TryAgain, CommitUnknown):
            raise
        except Exception:
            log.exception("approval_not_expired", approval=approval.id, kind=approval.kind)
            return False

    def _expire(self, connection: Connection, approval: Approval, now: datetime) -> bool:
        if not store.expire(connection, approval.id, now - EXPIRES_AFTER, now):
            return False
        self._tell(connection, replace(approval, state=State.EXPIRED.value, decided_at=now), now)
        return True

    def _tell(self, connection: Connection, approval: Approval, now: datetime) -> None:
        executor = self._executors.get(approval.kind)
        if isinstance(executor, Minds):
            executor.refused(connection, approval, now)

    def listed(
        self, connection: Connection, now: datetime, *, also_decided: bool = False
    ) -> Sequence[Approval]:
        """What waits, newest first; with `also_decided` whatever was asked for."""
        since = None if also_decided else now - EXPIRES_AFTER
        found = store.latest(connection, LISTED_MAX, waiting_since=since)
        return [_as_it_stands(approval, now) for approval in found]

    def waiting(
        self, connection: Connection, now: datetime, before: int | None, rows_max: int
    ) -> Sequence[Approval]:
        """A page of what waits, newest first: those with numbers below one."""
        return listing.waiting(connection, now - EXPIRES_AFTER, before, rows_max)

    def decided(
        self, connection: Connection, now: datetime, before: int | None, rows_max: int
    ) -> Sequence[Approval]:
        """A page of what waits no more, newest first: those with numbers below one."""
        found = listing.decided(connection, now - EXPIRES_AFTER, before, rows_max)
        return [_as_it_stands(approval, now) for approval in found]

    def count(self, connection: Connection, now: datetime) -> int:
        """How many wait."""
        return listing.count(connection, now - EXPIRES_AFTER)

    def one(self, connection: Connection, number: int, now: datetime) -> Approval:
        """A request as it stands. Raises `BadInput`."""
        return _as_it_stands(_found(connection, number), now)

    def objection(
        self, connection: Connection, approval: Approval, actor: str, now: datetime
    ) -> str:
        """Why somebody could not approve what waits; "" when nothing about them is in the way."""
        if person(actor) == person(approval.asked_by):
            return OWN
        try:
            insist_apart(connection, self._knows, approval, actor, now)
        except BadInput as error:
            return str(error)
        return ""


def _found(connection: Connection, number: int) -> Approval:
    found = store.by_id(connection, number)
    if found is None:
        raise BadInput(f"there is no approval {number}")
    return found


def _refusal(
    connection: Connection, before: Approval, actor: str, now: datetime
) -> BadInput | RaceLost:
    """Why a request could not be decided; it may have been decided since it was read."""
    found = _as_it_stands(_found(connection, before.id), now)
    if found.state != State.WAITING:
        by = f" by {found.decided_by}" if found.decided_by else ""
        return BadInput(f"approval {found.id} is {found.state}{by}")
    if actor and person(actor) == person(found.asked_by):
        return BadInput(OWN)
    return RaceLost("the approval changed while it was decided")


def _as_it_stands(approval: Approval, now: datetime) -> Approval:
    overdue = approval.asked_at <= now - EXPIRES_AFTER
    if approval.state == State.WAITING and overdue:
        return replace(approval, state=State.EXPIRED.value)
    return approval


def _about(number: int, kind: str, done: str = "") -> Fact:
    words = "approval {number}, {kind}: {done}" if done else "approval {number}, {kind}"
    return fact(words, number=number, kind=kind, done=done)
