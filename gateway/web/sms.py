"""SMS callbacks: inbound messages and delivery reports; 200 once they are stored, 503 if not."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus

import structlog
from flask import Blueprint, Response, request
from sqlalchemy import Connection

from gateway.channels.base import Inbound, Malformed, SmsChannel
from gateway.clock import Clock
from gateway.database import outside
from gateway.database.engine import Database, Deadline
from gateway.database.outside import Made
from gateway.errors import CommitUnknown, DuplicateKey, KeyMissing, TryAgain
from gateway.formats import msisdn
from gateway.outbox.reports.settle import take_in
from gateway.sms.inbound import Act, receive
from gateway.web import edge
from gateway.web.access import callers

log = structlog.get_logger()

# What is counted besides the outcomes of messages.
REPORT, MALFORMED, NOT_STORED = "report", "malformed", "not_stored"
REQUEST_SECONDS = 8.0  # an aggregator waits longer than a caller, and repeats what failed


@dataclass(frozen=True, slots=True)
class SmsParts:
    """What the SMS routes are wired to."""

    database: Database
    clock: Clock
    channels: Mapping[str, SmsChannel]
    secrets: Sequence[str]
    country: str
    act: Act
    digest: Callable[[str], bytes]  # keyed digest of a text
    count: Callable[[str, str], None]  # told of each channel's callback what it was or became


def blueprint(parts: SmsParts) -> Blueprint:
    """`/sms/<channel>/<secret>/inbound` and `/receipts`, by POST or GET."""
    sms = Blueprint("sms", __name__)

    @sms.route("/sms/<channel>/<secret>/inbound", methods=["GET", "POST"])
    @callers("aggregator")
    def inbound(channel: str, secret: str) -> Response:
        """A message from a phone."""
        return _taken(parts, channel, secret, _receive)

    @sms.route("/sms/<channel>/<secret>/receipts", methods=["GET", "POST"])
    @callers("aggregator")
    def receipts(channel: str, secret: str) -> Response:
        """A delivery report about a message of ours."""
        return _taken(parts, channel, secret, _report)

    return sms


Take = Callable[[SmsParts, SmsChannel, Inbound], None]


def _taken(parts: SmsParts, name: str, secret: str, take: Take) -> Response:
    channel = parts.channels.get(name)
    if channel is None or not edge.is_secret(secret, parts.secrets):
        return edge.not_found()
    try:
        take(parts, channel, edge.inbound(request))
    except Malformed as error:
        parts.count(name, MALFORMED)
        log.warning("sms_malformed", channel=name, error=str(error))
        return edge.plain("malformed", HTTPStatus.BAD_REQUEST)
    except (TryAgain, CommitUnknown, DuplicateKey, KeyMissing):
        parts.count(name, NOT_STORED)
        log.exception("sms_not_stored", channel=name)
        return edge.plain("try again", HTTPStatus.SERVICE_UNAVAILABLE)
    return edge.plain("")  # a Kannel that is set up wrongly sends what we say to the phone


def _receive(parts: SmsParts, channel: SmsChannel, arrived: Inbound) -> None:
    message = channel.parse_message(arrived)
    # A service's name or short code is no reason to have the message repeated for hours.
    sender = _phone(message.sender, parts.country)
    digest = parts.digest(message.text)

    def work(connection: Connection, made: Made) -> str:
        now = parts.clock.now()
        return receive(connection, message, sender, digest, parts.act, now, made)

    def cause() -> bytes:
        """The name of the message: what is counted for it outside is counted once."""
        return parts.digest(f"cause\0{channel.name}\0{message.message_id}")

    outcome = outside.run(
        parts.database, work, cause, deadline=Deadline(REQUEST_SECONDS), keyed=True
    )
    parts.count(channel.name, outcome)
    log.info(
        "sms_received",
        channel=channel.name,
        msisdn=sender,
        outcome=outcome,
        dated=message.sent_at is not None,
    )


def _report(parts: SmsParts, channel: SmsChannel, arrived: Inbound) -> None:
    report = channel.parse_report(arrived)
    recipient = _phone(report.phone, parts.country)

    def work(connection: Connection) -> bool:
        return take_in(connection, report, recipient, parts.clock.now())

    parts.database.run(work, deadline=Deadline(REQUEST_SECONDS), keyed=True)
    parts.count(channel.name, REPORT)


def _phone(text: str, country: str) -> str | None:
    try:
        return msisdn.parse(text, country)
    except msisdn.InvalidMsisdn:
        return None
