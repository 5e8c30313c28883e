"""Four eyes: what one operator asks for, another one approves, and then it is done (M9)."""

import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Protocol, runtime_checkable

import structlog
from sqlalchemy import Connection

from gateway.audit import trail
from gateway.audit.decisions import store
from gateway.audit.decisions.store import Approval, State
from gateway.clock import Clock, iso
from gateway.database.engine import Database
from gateway.errors import BadInput, CommitUnknown, RaceLost, TryAgain
from gateway.formats.digits import hidden

log = structlog.get_logger()

EXPIRES_AFTER = timedelta(days=7)
REASON_MAX = OUTCOME_MAX = 200
LISTED_MAX = 200
CONCERNS = "concerns"  # the detail of a request that says whom
CHANGE_IT = "change it first, with gateway staff pin"


class Executor(Protocol):
    """Does what was approved."""

    def execute(self, connection: Connection, approval: Approval, now: datetime) -> str:
        """Do it, in the transaction that approves it; what was done, in a few words.

        Raises `BadInput` when it cannot be done now: then the request goes on waiting.
        """


@runtime_checkable
class Minds(Executor, Protocol):
    """An executor that must hear when something will not be done."""

    def refused(self, connection: Connection, approval: Approval, now: datetime) -> None:
        """It was refused, or has expired; in the same transaction."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the person behind an actor's name."""

    phone: str = ""  # E.164
    hands: Collection[str] = ()  # who else knows their PIN, each as `person` writes them
    decides_from: datetime | None = None  # before that nothing is approved by or for them


# Who stands behind an actor's name.
Knows = Callable[[Connection, str], Known]


def nobody_is_known(_: Connection, __: str) -> Known:
    """The staff of one that has none."""
    return Known()


def concerning(*people: str) -> Mapping[str, str]:
    """The detail that says whom a request concerns, by phone or as actors: none approves it (M9).

    >>> concerning("+2348030000002", "", "staff:7:Ada Obi", "+2348030000002")
    {'concerns': '+2348030000002 staff:7'}
    >>> concerning("")
    {}
    """
    known = sorted({person(one) for one in people if one})
    return {CONCERNS: " ".join(known)} if known else {}


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
        trail.record(connection, actor, "approval.ask", subject, now, _about(number, kind, reason))
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
        store.conclude(connection, found.id, reason[:OUTCOME_MAX])
        said = _about(found.id, kind, reason)
        trail.record(connection, actor, "approval.refuse", subject, now, said)
        return True


class Approvals(Requests):
    """Decides about requests; `executors` do, by kind, what was approved."""

    def __init__(self, executors: Mapping[str, Executor], knows: Knows = nobody_is_known) -> None:
        self._executors = executors
        self._knows = knows

    def approve(self, connection: Connection, number: int, actor: str, now: datetime) -> Approval:
        """Approve and do it, in one transaction; the request as it then stands.

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
        self._insist_apart(connection, found, actor, now)
        if found.kind not in self._executors:
            raise BadInput(f"nothing here can do {found.kind}")
        carry_out = self._executors[found.kind].execute
        approved = replace(found, state=State.APPROVED.value, decided_by=actor, decided_at=now)
        outcome = carry_out(connection, approved, now)[:OUTCOME_MAX]
        store.conclude(connection, number, outcome)
        said = _about(number, found.kind, outcome)
        trail.record(connection, actor, "approval.approve", found.subject, now, said)
        return replace(approved, outcome=outcome)

    def _insist_apart(
        self, connection: Connection, found: Approval, actor: str, now: datetime
    ) -> None:
        """Refuse an approval by whom it concerns, or by whoever the asker could act as."""
        approver, asker = person(actor), person(found.asked_by)
        theirs, askers = self._knows(connection, approver), self._knows(connection, asker)
        words = {asker, askers.phone, *found.subject.split()}
        for value in found.details.values():
            words.update(value.split())
        if ({approver, theirs.phone} & words) - {""}:
            raise BadInput("this is about you: somebody else must approve it")
        if theirs.decides_from is not None and now < theirs.decides_from:
            raise BadInput(f"you can approve from {iso(theirs.decides_from)} on, not before")
        if askers.decides_from is not None and now < askers.decides_from:
            when = iso(askers.decides_from)
            raise BadInput(f"what they asked for can be approved from {when} on, not before")
        if asker in theirs.hands:
            raise BadInput(f"whoever asked for this has set your PIN: {CHANGE_IT}")
        if approver in askers.hands:
            raise BadInput("you have set the PIN of whoever asked for this: they must change it")
        if set(theirs.hands) & set(askers.hands):
            raise BadInput(f"one person has set your PIN and that of who asked: {CHANGE_IT}")

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
        said = _about(number, found.kind, reason)
        trail.record(connection, actor, "approval.refuse", found.subject, now, said)
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


def person(actor: str) -> str:
    """Who stands behind an actor's name, however it is written: case and blanks are no disguise.

    >>> person("cli:Ops"), person(" cli: OPS "), person("cli:oрs") == person("cli:ops")
    ('cli:ops', 'cli:ops', False)
    >>> person("staff:7:Ada Obi"), person("staff:7:Ada O. (married)")
    ('staff:7', 'staff:7')
    """
    folded = unicodedata.normalize("NFKC", actor).casefold()
    plain = "".join(letter for letter in folded if letter.isprintable() and not letter.isspace())
    kind, _, rest = plain.partition(":")
    return f"staff:{rest.partition(':')[0]}" if kind == "staff" else plain


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
        return BadInput("you asked for this yourself: somebody else must approve it")
    return RaceLost("the approval changed while it was decided")


def _as_it_stands(approval: Approval, now: datetime) -> Approval:
    overdue = approval.asked_at <= now - EXPIRES_AFTER
    if approval.state == State.WAITING and overdue:
        return replace(approval, state=State.EXPIRED.value)
    return approval


def _about(number: int, kind: str, words: str) -> str:
    return f"approval {number}, {kind}: {words}" if words else f"approval {number}, {kind}"
