"""Doing what a form asks for: with a reason, once however often it is sent, refused in words."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from flask import Response, g, request
from sqlalchemy import Connection

from gateway.audit import trail
from gateway.audit.decisions import store as decisions
from gateway.audit.decisions.store import Approval
from gateway.audit.searched import store as audit
from gateway.errors import BadInput, CommitUnknown, GatewayError, TryAgain
from gateway.formats.digits import hidden
from gateway.people.staff.hands import actor_of
from gateway.web.console.parts import ConsoleParts
from gateway.web.console.reading import number
from gateway.web.pages.answers import sent_on, sentence
from gateway.web.pages.door import deadline

ACTOR_MAX: Final = 64  # as the trail keeps it
# A form that is sent again so soon is the same click; later it is a new wish.
REPEATED_WITHIN: Final = timedelta(minutes=10)
DEED_LINES_MAX: Final = 10  # of the trail, that one deed writes about its subject
STALE: Final = "this changed since the page was made: look again"


class Stale(BadInput):
    """Somebody did something about it since the page was made that the form is from."""

    def __init__(self) -> None:
        super().__init__(STALE)


@dataclass(frozen=True, slots=True)
class By:
    """Who does something, why and when."""

    actor: str
    reason: str
    now: datetime
    # The last line of the trail about the subject that the page knew; None: the form says nothing.
    seen: int | None = None

    @property
    def kept(self) -> str:
        """The reason as the trail keeps it."""
        return hidden(self.reason)[: trail.REASON_MAX]


@dataclass(frozen=True, slots=True)
class Mistake:
    """What a form was refused for, and what was typed into it."""

    form: str
    said: str
    typed: Mapping[str, str] = field(default_factory=dict)


# Does it in the unit of work, or finds that it was done; where to go on to.
Work = Callable[[Connection, By], str]
Done = Callable[[Connection, By], str | None]


def done(
    parts: ConsoleParts,
    form: str,
    work: Work,
    again: Callable[[Mistake], Response],
    was_done: Done = lambda _, __: None,
    *,
    about: str | None = None,
    asks: bool = False,
    keyed: bool = False,
) -> Response:
    """Go on to where `work` says; a refusal comes back in the form. `keyed` as of `Database.run`.

    `about`: the subject whose page the form is from, if it must still be as it was then; a form
    that only `asks` a second operator says first what waits already.
    A repeat of what the same person has done is answered as the first time: `was_done` says so.
    """
    act = work if about is None else unmoved(about, work, asks=asks)
    try:
        by = _by(parts)
        path = parts.database.run(lambda c: act(c, by), deadline=deadline(), keyed=keyed)
    except (TryAgain, CommitUnknown):
        raise
    except GatewayError as error:
        path = _repeated(parts, was_done) or ""
        if not path:
            typed_in = {**request.form, "reason": hidden(request.form.get("reason", ""))}
            return again(Mistake(form, sentence(str(error)), typed_in))
    return sent_on(path)


def unmoved(subject: str, work: Work, *, asks: bool = False) -> Work:
    """The work, if nobody has done anything about the subject since the form's page was made.

    It is looked at before, and once more after `work` has locked the subject's row: whoever changed
    it in between is in the trail by then, and whoever comes later waits for this transaction.
    """

    def act(connection: Connection, by: By) -> str:
        if not asks:
            insist_seen(connection, by, subject)
        path = work(connection, by)
        insist_alone(connection, by, subject)
        return path

    return act


def insist_seen(connection: Connection, by: By, subject: str) -> None:
    """Raise `Stale` unless the last line about the subject is the one that the page knew."""
    if by.seen is None or audit.last_about(connection, subject) != by.seen:
        raise Stale


def insist_alone(connection: Connection, by: By, subject: str) -> None:
    """Raise `Stale` if anybody else has done something about the subject since then."""
    lines = audit.about_since(connection, subject, by.seen or 0, DEED_LINES_MAX)
    if by.seen is None or any((line.actor, line.at) != (by.actor, by.now) for line in lines):
        raise Stale


def seen_of(connection: Connection, subject: str) -> int:
    """What the forms of a subject's page send as `seen`."""
    return audit.last_about(connection, subject)


def has_done(
    connection: Connection, by: By, action: str, subject: str, *, fact: bool = False
) -> bool:
    """Whether the last that was done about a subject is just this, by this person, just now.

    If the form says what its page knew: and nothing else was done since. With a `fact` the trail
    has more than the reason, before it.
    """
    lines = audit.about_since(connection, subject, by.seen or 0, DEED_LINES_MAX)
    # One deed may write several lines.
    deed = [one for one in lines if (one.at, one.actor) == (lines[0].at, lines[0].actor)]
    if by.seen is not None and deed != lines:
        return False
    return any(
        (line.actor, line.action) == (by.actor, action)
        and (line.reason.endswith(f": {by.kept}") if fact else line.reason == by.kept)
        and by.now - line.at <= REPEATED_WITHIN
        for line in deed
    )


def has_asked(connection: Connection, by: By, kind: str, subject: str) -> Approval | None:
    """The request that this person has just made, for this reason, and that waits."""
    found = decisions.waiting(connection, kind, subject)
    if found is None or by.now - found.asked_at > REPEATED_WITHIN:
        return None
    return found if (found.asked_by, found.reason) == (by.actor, by.kept) else None


def actor() -> str:
    """Who looks at the page, as the trail names them."""
    return actor_of(g.member)[:ACTOR_MAX]


def typed(name: str) -> str:
    """What somebody typed into a field, without the blanks around it."""
    return str(request.form.get(name, "")).strip()


def _by(parts: ConsoleParts) -> By:
    reason = trail.worded(typed("reason"))
    if len(reason) > trail.REASON_MAX:
        raise BadInput(f"a reason takes at most {trail.REASON_MAX} characters")
    return By(actor(), reason, parts.clock.now(), number(typed("seen")))


def _repeated(parts: ConsoleParts, was_done: Done) -> str | None:
    with parts.database.snapshot() as connection:
        by = By(actor(), typed("reason"), parts.clock.now(), number(typed("seen")))
        return was_done(connection, by)
