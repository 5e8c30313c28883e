"""Doing what a form asks for: with a reason, once however often it is sent, refused in words."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from flask import Response, g, request
from sqlalchemy import Connection

from gateway.audit import store as audit
from gateway.audit import trail
from gateway.audit.decisions import store as decisions
from gateway.audit.decisions.store import Approval
from gateway.errors import BadInput, CommitUnknown, GatewayError, TryAgain
from gateway.formats.digits import hidden
from gateway.people.staff.hands import actor_of
from gateway.web.console.parts import ConsoleParts
from gateway.web.pages.answers import sent_on, sentence
from gateway.web.pages.door import deadline

ACTOR_MAX: Final = 64  # as the trail keeps it
# A form that is sent again so soon is the same click; later it is a new wish.
REPEATED_WITHIN: Final = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class By:
    """Who does something, why and when."""

    actor: str
    reason: str
    now: datetime

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
    keyed: bool = False,
) -> Response:
    """Go on to where `work` says; a refusal comes back in the form. `keyed` as of `Database.run`.

    A repeat of what the same person has done is answered as the first time: `was_done` says so.
    """
    try:
        by = _by(parts)
        path = parts.database.run(lambda c: work(c, by), deadline=deadline(), keyed=keyed)
    except (TryAgain, CommitUnknown):
        raise
    except GatewayError as error:
        path = _repeated(parts, was_done) or ""
        if not path:
            return again(Mistake(form, sentence(str(error)), dict(request.form)))
    return sent_on(path)


def has_done(connection: Connection, by: By, action: str, subject: str) -> bool:
    """Whether the last that was done about a subject is just this, by this person, just now."""
    for line in audit.latest(connection, 1, subject=subject):
        same = (line.actor, line.action, line.reason) == (by.actor, action, by.kept)
        return same and by.now - line.at <= REPEATED_WITHIN
    return False


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
    return By(actor(), reason, parts.clock.now())


def _repeated(parts: ConsoleParts, was_done: Done) -> str | None:
    with parts.database.snapshot() as connection:
        return was_done(connection, By(actor(), typed("reason"), parts.clock.now()))
