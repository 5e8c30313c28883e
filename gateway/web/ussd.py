"""USSD callbacks: one request, one transaction, one screen, within the time a caller waits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus

import structlog
from flask import Blueprint, Response, request
from sqlalchemy import Connection
from werkzeug.exceptions import RequestEntityTooLarge

from gateway.channels.base import Inbound, Malformed, UssdChannel, UssdReply
from gateway.clock import Clock
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


def blueprint(parts: UssdParts) -> Blueprint:
    """`POST /ussd/<channel>/<secret>` and its `/events`."""
    ussd = Blueprint("ussd", __name__)

    @ussd.post("/ussd/<channel>/<secret>")
    @callers("aggregator")
    def turn(channel: str, secret: str) -> Response:
        """The next screen."""
        spoken = parts.channels.get(channel)
        if spoken is None or not edge.is_secret(secret, parts.secrets):
            return edge.not_found()
        return Response(spoken.render(_answered(parts, spoken)), content_type=spoken.content_type)

    @ussd.post("/ussd/<channel>/<secret>/events")
    @callers("aggregator")
    def event(channel: str, secret: str) -> Response:
        """The aggregator's notice that a dialogue is over: noted once, changes nothing."""
        spoken = parts.channels.get(channel)
        if spoken is None or not edge.is_secret(secret, parts.secrets):
            return edge.not_found()
        try:
            _note_end(parts, spoken, edge.inbound(request))
        except Malformed as error:
            log.warning("ussd_event_malformed", channel=channel, error=str(error))
        except (TryAgain, CommitUnknown):
            log.exception("ussd_event_not_noted", channel=channel)
            return edge.plain("try again", HTTPStatus.SERVICE_UNAVAILABLE)
        return edge.plain("ok")

    return ussd


def _answered(parts: UssdParts, channel: UssdChannel) -> UssdReply:
    """The reply to this request; whatever fails, the caller gets a proper last screen."""
    deadline = Deadline(TURN_SECONDS)
    try:
        turn = _turn(parts, channel, edge.inbound(request))
    except RequestEntityTooLarge:
        return parts.engine.ending(engine.TOO_LONG)
    except (Malformed, msisdn.InvalidMsisdn) as error:
        log.warning("ussd_malformed", channel=channel.name, error=str(error))
        return parts.engine.ending(engine.DIAL_AGAIN)
    unconfirmed: list[str] = []

    def work(connection: Connection, made: Made) -> UssdReply:
        reply = parts.engine.turn(connection, turn, made)
        unconfirmed.extend([reply.unconfirmed] if reply.unconfirmed else [])
        return reply

    try:
        return outside.run(
            parts.database,
            work,
            lambda: parts.engine.cause(turn),
            deadline=deadline,
            keyed=True,
        )
    except CommitUnknown:
        log.error("ussd_commit_unknown", channel=channel.name)
        if unconfirmed:
            return UssdReply(unconfirmed[-1], ends=True)
        return parts.engine.ending(engine.NOT_CONFIRMED)
    except Exception:  # a screen, never a stack trace: the transaction was rolled back
        log.exception("ussd_turn_failed", channel=channel.name)
        return parts.engine.ending(engine.TRY_AGAIN)


def _turn(parts: UssdParts, channel: UssdChannel, arrived: Inbound) -> Turn:
    parsed = channel.parse_turn(arrived)
    return Turn(
        channel=parsed.channel,
        session_id=parsed.session_id,
        msisdn=msisdn.parse(parsed.phone, parts.country),
        network=parsed.network[:16],
        text=parsed.text,
        budget=min(channel.septets_max, parts.budgets.get(parsed.network, channel.septets_max)),
        now=parts.clock.now(),
    )


def _note_end(parts: UssdParts, channel: UssdChannel, arrived: Inbound) -> None:
    end = channel.parse_end(arrived)
    try:
        phone = msisdn.parse(end.phone, parts.country)
    except msisdn.InvalidMsisdn:
        raise Malformed("the notice names no phone") from None
    key = parts.engine.state_key(end.channel, end.session_id, phone)

    def note(connection: Connection) -> bool:
        return parts.engine.ended(connection, key, end.status[:20])

    if parts.database.run(note, deadline=Deadline(TURN_SECONDS), keyed=True):
        log.info("ussd_ended", channel=end.channel, status=end.status)
