"""USSD callbacks: one request, one transaction, one screen, within the time a caller waits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from http import HTTPStatus

import structlog
from flask import Blueprint, Response, request
from flask.typing import RouteCallable
from sqlalchemy import Connection
from werkzeug.exceptions import MethodNotAllowed, RequestEntityTooLarge

from gateway.channels.base import (
    Inbound,
    Malformed,
    Path,
    UssdChannel,
    UssdEnd,
    UssdEvents,
    UssdReply,
    UssdTurn,
)
from gateway.clock import Clock, monotonic
from gateway.database import outside
from gateway.database.engine import Database, Deadline
from gateway.database.outside import Made
from gateway.errors import CommitUnknown, TryAgain
from gateway.formats import msisdn
from gateway.ussd import engine
from gateway.ussd.engine import Engine, Turn
from gateway.web import edge
from gateway.web.access import callers

log = structlog.get_logger()

TURN_SECONDS = 2.5  # everything in a turn together, repeats included (U3)
NOTHING = Inbound("POST", {}, {}, b"")  # in the place of a request that is too long to be read


class Outcome(StrEnum):
    """What became of a step, as it is counted."""

    CONTINUED = "continued"
    ENDED = "ended"
    CLOSED = "closed"  # the aggregator's own notice of an end
    MALFORMED = "malformed"
    TOO_LONG = "too_long"
    UNCONFIRMED = "unconfirmed"  # it may have worked
    FAILED = "failed"  # nothing was changed


@dataclass(frozen=True, slots=True)
class UssdParts:
    """What the USSD routes are wired to."""

    database: Database
    clock: Clock
    engine: Engine
    channels: Mapping[str, UssdChannel]
    secrets: Sequence[str]
    country: str
    budgets: Mapping[str, int]  # septets by network code, where a network shows less
    count: Callable[[str, str, float], None]  # told each step's channel, outcome and seconds


def blueprint(parts: UssdParts) -> Blueprint:
    """`POST /ussd/<channel>/<secret>`, its `/events`, and what else an aggregator prescribes."""
    ussd = Blueprint("ussd", __name__)

    @ussd.post("/ussd/<channel>/<secret>")
    @callers("aggregator")
    def turn(channel: str, secret: str) -> Response:
        """The next screen."""
        return _screen(parts, channel, secret, {})

    @ussd.post("/ussd/<channel>/<secret>/events")
    @callers("aggregator")
    def event(channel: str, secret: str) -> Response:
        """The aggregator's notice that a dialogue is over: noted once, changes nothing."""
        told: object = parts.channels.get(channel)
        if not isinstance(told, UssdEvents) or not edge.is_secret(secret, parts.secrets):
            return edge.not_found()
        try:
            _note_end(parts, told.parse_end(edge.inbound(request)))
        except Malformed as error:
            log.warning("ussd_event_malformed", channel=channel, error=str(error))
        except (TryAgain, CommitUnknown):
            log.exception("ussd_event_not_noted", channel=channel)
            return edge.plain("try again", HTTPStatus.SERVICE_UNAVAILABLE)
        return edge.plain("ok")

    for name, spoken in parts.channels.items():
        for number, path in enumerate(spoken.paths):
            ussd.add_url_rule(
                f"/ussd/{name}/<secret>{path.below}",
                endpoint=f"{name}_{number}",
                view_func=_prescribed(parts, name, path),
                methods=path.methods,
            )
    return ussd


def _prescribed(parts: UssdParts, name: str, path: Path) -> RouteCallable:
    """The view of an aggregator's own path; what else stands in that reaches its channel."""

    @callers("aggregator")
    def turn(secret: str, **inside: str) -> Response:
        """The next screen, or what the notice of an end is answered with."""
        if request.method not in path.methods:  # HEAD comes along with GET, but would act
            raise MethodNotAllowed(path.methods)
        answer = _screen(parts, name, secret, inside)
        answer.headers["Cache-Control"] = "no-store"
        return answer

    return turn


def _screen(parts: UssdParts, name: str, secret: str, inside: Mapping[str, str]) -> Response:
    channel = parts.channels.get(name)
    if channel is None or not edge.is_secret(secret, parts.secrets):
        return edge.not_found()
    deadline, began = Deadline(TURN_SECONDS), monotonic()
    arrived = NOTHING
    try:
        arrived = edge.inbound(request)
        if inside:
            arrived = replace(arrived, path=inside)
        reply, outcome = _answered(parts, channel, channel.parse_turn(arrived), deadline)
    except RequestEntityTooLarge:
        reply, outcome = parts.engine.ending(engine.TOO_LONG), Outcome.TOO_LONG
    except (Malformed, msisdn.InvalidMsisdn) as error:
        log.warning("ussd_malformed", channel=name, error=str(error))
        reply, outcome = parts.engine.ending(engine.DIAL_AGAIN), Outcome.MALFORMED
    parts.count(name, outcome.value, monotonic() - began)
    return Response(channel.render(reply, arrived), content_type=channel.content_type)


def _answered(
    parts: UssdParts, channel: UssdChannel, read: UssdTurn | UssdEnd, deadline: Deadline
) -> tuple[UssdReply, Outcome]:
    """The reply to what was read; whatever fails, the caller gets a proper last screen."""
    if isinstance(read, UssdEnd):
        _take_end(parts, read)
        return parts.engine.ending(engine.SESSION_OVER), Outcome.CLOSED
    turn = _turn(parts, channel, read)
    unconfirmed: list[str] = []

    def work(connection: Connection, made: Made) -> UssdReply:
        reply = parts.engine.turn(connection, turn, made)
        unconfirmed.extend([reply.unconfirmed] if reply.unconfirmed else [])
        return reply

    try:
        if turn.is_counted:
            turn = _counted(parts, turn, deadline)
        reply = outside.run(
            parts.database,
            work,
            lambda: parts.engine.cause(turn),
            deadline=deadline,
            keyed=True,
        )
        return reply, Outcome.ENDED if reply.ends else Outcome.CONTINUED
    except CommitUnknown:
        log.error("ussd_commit_unknown", channel=channel.name)
        if unconfirmed:
            return UssdReply(unconfirmed[-1], ends=True), Outcome.UNCONFIRMED
        return parts.engine.ending(engine.NOT_CONFIRMED), Outcome.UNCONFIRMED
    except Exception:  # a screen, never a stack trace: the transaction was rolled back
        log.exception("ussd_turn_failed", channel=channel.name)
        return parts.engine.ending(engine.TRY_AGAIN), Outcome.FAILED


def _turn(parts: UssdParts, channel: UssdChannel, read: UssdTurn) -> Turn:
    return Turn(
        channel=read.channel,
        session_id=read.session_id,
        msisdn=msisdn.parse(read.phone, parts.country),
        network=read.network[:16],
        text=read.text,
        budget=min(channel.septets_max, parts.budgets.get(read.network, channel.septets_max)),
        now=parts.clock.now(),
    )


def _counted(parts: UssdParts, turn: Turn, deadline: Deadline) -> Turn:
    """The turn with its number, in a look of its own: the work would wait for its lock first."""
    with parts.database.snapshot(deadline) as connection:
        return parts.engine.counted(connection, turn)


def _take_end(parts: UssdParts, end: UssdEnd) -> None:
    """Note an end that is told where turns are: nothing hangs on it, so it is always answered."""
    if not end.phone:
        log.info("ussd_ended", channel=end.channel, status=end.status, noted=False)
        return
    try:
        _note_end(parts, end)
    except (TryAgain, CommitUnknown):
        log.exception("ussd_event_not_noted", channel=end.channel)


def _note_end(parts: UssdParts, end: UssdEnd) -> None:
    try:
        phone = msisdn.parse(end.phone, parts.country)
    except msisdn.InvalidMsisdn:
        raise Malformed("the notice names no phone") from None
    key = parts.engine.state_key(end.channel, end.session_id, phone)

    def note(connection: Connection) -> bool:
        return parts.engine.ended(connection, key, end.status[:20])

    if parts.database.run(note, deadline=Deadline(TURN_SECONDS), keyed=True):
        log.info("ussd_ended", channel=end.channel, status=end.status)
