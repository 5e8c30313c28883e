"""How delivery reports move messages: also early ones, and ones about a send without an answer."""

from dataclasses import replace
from datetime import datetime, timedelta

import structlog
from sqlalchemy import Connection

from gateway.channels.base import Delivery, DeliveryReport
from gateway.errors import RaceLost
from gateway.formats.digits import hidden
from gateway.outbox import final, references, store
from gateway.outbox.reports import store as reports_store
from gateway.outbox.reports.store import STATUS_MAX, Said
from gateway.outbox.store import Message, State

log = structlog.get_logger()

REPORTS_COME_FOR = timedelta(days=1)  # after the hand-over, about a message without an id
NOT_FINAL = (State.QUEUED, State.SENDING, State.UNKNOWN, State.SENT)
TAKEN = (Delivery.INTERIM.value, Delivery.DELIVERED.value)  # an aggregator has the message
# What a report takes a message from and to. An interim one proves that the aggregator has it.
MOVES: dict[str, tuple[tuple[State, ...], State]] = {
    Delivery.INTERIM.value: ((State.QUEUED, State.UNKNOWN), State.SENT),
    Delivery.DELIVERED.value: (NOT_FINAL, State.DELIVERED),
    Delivery.FAILED.value: (NOT_FINAL, State.FAILED),
}


def take_in(
    connection: Connection, report: DeliveryReport, recipient: str | None, now: datetime
) -> bool:
    """Take in a delivery report; whether it is about a message we know.

    It may come before the send has returned: it is kept, and `settle_by_id` applies it then. The
    first final word stays: a message never turns from failed to delivered or back.

    A send that timed out has no message id: a report to the same phone that fits nothing else
    settles it, when it is the only one it could be about. One under our own name for a hand-over
    says itself which.
    """
    # An aggregator may echo the message in its words, and the message may be a token.
    report = replace(report, status=hidden(report.status), reason=hidden(report.reason))
    channel, message_id = report.channel, report.message_id
    said = Said(report.delivery.value, report.status[:STATUS_MAX], report.reason)
    known = reports_store.about(connection, channel, message_id)
    if all(earlier.status != said.status for earlier in known):
        reports_store.add(connection, report, recipient, now)
    message = reports_store.by_message_id(connection, channel, message_id)
    ours = references.row_of(message_id)
    if message is None and ours is not None:
        message = _named(connection, report, ours)
    elif message is None and recipient is not None:
        message = _nameless(connection, channel, recipient, now)
        if message is not None:
            _adopt(connection, message, channel, message_id)
    if message is None:
        log.info("report_without_message", channel=channel, status=report.status)
        return False
    _apply(connection, message.id, said, now)
    return True


def settle_by_id(
    connection: Connection, row: int, channel: str, message_id: str, now: datetime
) -> None:
    """The message got its id: apply the reports about it that came before."""
    for said in reports_store.about(connection, channel, message_id):
        _apply(connection, row, said, now)


def settle_by_phone(connection: Connection, message: Message, now: datetime) -> None:
    """The message's outcome is unknown: apply reports that came while it was being sent.

    `message` is as it was claimed: only reports since then can be about it.
    """
    if _settle_by_name(connection, message, now):
        return
    lone = _nameless(connection, message.channel, message.recipient, now)
    if lone is None or lone.id != message.id:
        return
    found = reports_store.strays(connection, message.recipient, message.channel, message.claimed_at)
    if len(found) == 1:
        ((channel, message_id),) = found
        _adopt(connection, lone, channel, message_id)
        settle_by_id(connection, lone.id, channel, message_id, now)


def _nameless(
    connection: Connection, channel: str | None, recipient: str, now: datetime
) -> Message | None:
    message = reports_store.only_nameless(connection, recipient, now - REPORTS_COME_FOR)
    if message is None or channel is None or message.channel in (None, channel):
        return message
    return None


def _named(connection: Connection, report: DeliveryReport, row: int) -> Message | None:
    """The message whose hand-over a report names, when the report may move it.

    A failure counts only from the channel that has the message: one that refuses it may report
    that too, after the next channel has taken it. Who got the text by an earlier hand-over has it.
    """
    message = reports_store.locked(connection, row)
    if message is None or message.state == State.SENDING:
        return None  # what came of the call is recorded soon, and looks for its reports
    begun = message.resends - (message.state == State.QUEUED and message.resends > 0)
    is_latest = report.message_id == references.of(message, begun)
    has_it = message.channel == report.channel or message.channel is None
    fails = report.delivery is Delivery.FAILED
    if is_latest and message.message_id is None and message.handed_over_at and has_it:
        if message.channel is None and fails:
            return None
        _adopt(connection, message, report.channel, report.message_id)
        return message
    names = [references.of(message, number) for number in range(message.resends + 1)]
    delivered = report.delivery is Delivery.DELIVERED
    return message if delivered and report.message_id in names else None


def _settle_by_name(connection: Connection, message: Message, now: datetime) -> bool:
    """Reports under our name for this hand-over that came before its outcome was recorded."""
    if message.message_id is not None or message.state == State.SENDING:
        return False
    name = references.of(message)
    for channel, delivery in reports_store.reported_as(connection, message.recipient, name):
        if message.channel == channel or (message.channel is None and delivery in TAKEN):
            _adopt(connection, message, channel, name)
            settle_by_id(connection, message.id, channel, name, now)
            return True
    return False


def _adopt(connection: Connection, message: Message, channel: str, message_id: str) -> None:
    if not reports_store.adopt(connection, message.id, channel, message_id):
        raise RaceLost("the message got its id from somebody else")


def _apply(connection: Connection, row: int, said: Said, now: datetime) -> None:
    move = MOVES.get(said.delivery)
    if move is None:
        return
    before, after = move
    words = f"{said.status}: {said.reason}" if said.reason else said.status
    if after is State.SENT:
        # Only what was handed over: a queued message may never have left.
        store.move(connection, row, before, after, now, handed_over=True, reason=None)
        return
    if after is State.FAILED:
        final.fail(connection, row, before, words, now)
        return
    store.move(connection, row, before, after, now, reason=None)
