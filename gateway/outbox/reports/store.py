"""Table and SQL of delivery reports, and of the messages they may be about."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import (
    Column,
    Connection,
    Index,
    String,
    and_,
    bindparam,
    exists,
    insert,
    or_,
    select,
    update,
)

from gateway.channels.base import DeliveryReport
from gateway.database.types import Instant, row_id, table
from gateway.outbox.references import PREFIX
from gateway.outbox.store import SMS, Message, State, message, outbox

STATUS_MAX, REASON_MAX = 40, 100

delivery_reports = table(
    "delivery_reports",
    row_id(),
    Column("channel", String(20), nullable=False),
    Column("message_id", String(128), nullable=False),
    Column("status", String(40), nullable=False),  # the aggregator's word, verbatim
    Column("delivery", String(16), nullable=False),
    Column("reason", String(100), nullable=False),
    Column("received_at", Instant, nullable=False),
    Column("recipient", String(16), nullable=True),  # None: the report names no phone
    Index(
        "uq_delivery_reports_channel_message_id_status",
        "channel",
        "message_id",
        "status",
        unique=True,
    ),
    Index("ix_delivery_reports_recipient", "recipient"),
)


class Said(NamedTuple):
    """What one report says."""

    delivery: str
    status: str
    reason: str


# Where a message may be that was handed over and got no id; a report may come later than we gave
# it up.
_NAMELESS = (State.QUEUED, State.UNKNOWN, State.SENT, State.FAILED)
_REPORTS = (
    select(delivery_reports.c.delivery, delivery_reports.c.status, delivery_reports.c.reason)
    .where(
        delivery_reports.c.channel == bindparam("channel"),
        delivery_reports.c.message_id == bindparam("message_id"),
    )
    .order_by(delivery_reports.c.id)
    # Waits for a report that is being stored: else that one and the send that learns the id at
    # the same moment would not see each other, and the report would be lost.
    .with_for_update(read=True)
)


def about(connection: Connection, channel: str, message_id: str) -> list[Said]:
    """Every report about a message, in order of arrival."""
    rows = connection.execute(_REPORTS, {"channel": channel, "message_id": message_id})
    return [Said(*row) for row in rows]


def add(
    connection: Connection, report: DeliveryReport, recipient: str | None, now: datetime
) -> None:
    """Keep a report; a racing repeat of it ends in `DuplicateKey` and a repeat."""
    connection.execute(
        insert(delivery_reports).values(
            channel=report.channel,
            message_id=report.message_id,
            status=report.status[:STATUS_MAX],
            delivery=report.delivery.value,
            reason=report.reason[:REASON_MAX],
            received_at=now,
            recipient=recipient,
        )
    )


def by_message_id(connection: Connection, channel: str, message_id: str) -> Message | None:
    """The message an aggregator knows by this id, compared exactly; waits for who writes it."""
    row = connection.execute(
        select(outbox)
        .where(outbox.c.channel == channel, outbox.c.message_id == message_id)
        .with_for_update()
    ).one_or_none()
    return None if row is None else message(row)


def locked(connection: Connection, row: int) -> Message | None:
    """A message by its number; waits for who writes it."""
    statement = select(outbox).where(outbox.c.id == row, outbox.c.line == SMS).with_for_update()
    found = connection.execute(statement).one_or_none()
    return None if found is None else message(found)


def only_nameless(connection: Connection, recipient: str, since: datetime) -> Message | None:
    """The one message to a phone that a report with an id nobody knows can be about.

    That is one handed over without getting an id back. None when there are several, or when one
    is being sent right now: the report may be about that.
    """
    maybe_out = or_(
        outbox.c.state == State.SENDING.value,
        and_(
            outbox.c.state.in_([state.value for state in _NAMELESS]),
            outbox.c.handed_over_at >= since,
        ),
    )
    rows = connection.execute(
        select(outbox)
        .where(
            outbox.c.recipient == recipient,
            outbox.c.line == SMS,
            outbox.c.message_id.is_(None),
            maybe_out,
        )
        .limit(2)
    ).all()
    found = [message(row) for row in rows]
    return found[0] if len(found) == 1 and found[0].state != State.SENDING else None


def adopt(connection: Connection, row: int, channel: str, message_id: str) -> bool:
    """Learn from a report under which id a message is known; False when it has one by now."""
    done = connection.execute(
        update(outbox)
        .where(
            outbox.c.id == row,
            outbox.c.message_id.is_(None),
            outbox.c.state != State.SENDING.value,
        )
        .values(channel=channel, message_id=message_id)
    )
    return done.rowcount == 1


def strays(
    connection: Connection, recipient: str, channel: str | None, since: datetime
) -> list[tuple[str, str]]:
    """The (channel, id) pairs, two at most, reported for a phone since then that fit no message.

    Never ids of our own making: those say themselves which message they are about.
    """
    reported = delivery_reports.c
    known = exists().where(
        outbox.c.channel == reported.channel, outbox.c.message_id == reported.message_id
    )
    statement = (
        select(reported.channel, reported.message_id)
        .where(reported.recipient == recipient, reported.received_at > since, ~known)
        .where(reported.message_id.not_like(f"{PREFIX}%"))
        .distinct()
        .limit(2)
    )
    if channel is not None:
        statement = statement.where(reported.channel == channel)
    return [(row[0], row[1]) for row in connection.execute(statement)]


def reported_as(connection: Connection, recipient: str, name: str) -> list[tuple[str, str]]:
    """(channel, delivery) of each report for a phone under a name of our own making."""
    reported = delivery_reports.c
    rows = connection.execute(
        select(reported.channel, reported.delivery).where(
            reported.recipient == recipient, reported.message_id == name
        )
    )
    return [(row[0], row[1]) for row in rows]


def undecided(connection: Connection, before: datetime, rows_max: int) -> list[Message]:
    """Messages of unknown outcome about which no report has come since `before`."""
    rows = connection.execute(
        select(outbox)
        .where(
            outbox.c.line == SMS,
            outbox.c.state == State.UNKNOWN.value,
            outbox.c.changed_at <= before,
        )
        .order_by(outbox.c.id)
        .limit(rows_max)
    )
    return [message(row) for row in rows]
