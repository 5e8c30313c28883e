"""Table and SQL of the outbox."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    Index,
    Integer,
    String,
    Text,
    func,
    insert,
    select,
    update,
)

from gateway.database.types import Instant, row_id, table


class State(StrEnum):
    """Where an outgoing message stands; it never moves back."""

    QUEUED = "queued"
    SENDING = "sending"  # claimed; a lease that ran out here means: outcome unknown
    UNKNOWN = "unknown"  # handed over without an answer: a report may still come
    SENT = "sent"  # the aggregator took it
    DELIVERED = "delivered"
    FAILED = "failed"
    DROPPED = "dropped"  # no longer wanted when its turn came (the token was spent meanwhile)


FINAL = (State.DELIVERED, State.FAILED, State.DROPPED)

outbox = table(
    "outbox",
    row_id(),
    Column("cause", String(100), nullable=False, unique=True),  # what it follows from, once
    Column("template", String(32), nullable=False),
    Column("subject", String(64), nullable=False),  # a token's serial; never digits
    Column("recipient", String(16), nullable=False),
    Column("language", String(8), nullable=False),
    Column("details", Text, nullable=False),  # JSON of the text's values; never digits
    Column("state", String(12), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("resends", Integer, nullable=False),
    Column("due_at", Instant, nullable=False),
    Column("lease_until", Instant, nullable=True),
    Column("lease_by", String(100), nullable=True),
    Column("channel", String(20), nullable=True),
    Column("message_id", String(128), nullable=True),
    Column("reason", String(200), nullable=True),
    Column("created_at", Instant, nullable=False),
    Column("changed_at", Instant, nullable=False),
    Column("handed_over_at", Instant, nullable=True),
    CheckConstraint(
        "state IN ('queued','sending','unknown','sent','delivered','failed','dropped')",
        name="state_known",
    ),
    Index("ix_outbox_state_due_at", "state", "due_at"),
    Index("uq_outbox_channel_message_id", "channel", "message_id", unique=True),
    Index("ix_outbox_subject", "subject"),
    Index("ix_outbox_recipient_id", "recipient", "id"),
    Index("ix_outbox_handed_over_at", "handed_over_at"),
)


@dataclass(frozen=True, slots=True)
class Message:
    """An outgoing message's row."""

    id: int
    cause: str
    template: str
    subject: str
    recipient: str
    language: str
    details: Mapping[str, str]
    state: str
    attempts: int
    resends: int
    due_at: datetime
    lease_until: datetime | None
    lease_by: str | None
    channel: str | None
    message_id: str | None
    reason: str | None
    created_at: datetime
    changed_at: datetime
    handed_over_at: datetime | None


_ALL = select(*outbox.c)
_INSERT = insert(outbox)


def add(
    connection: Connection,
    cause: str,
    template: str,
    subject: str,
    recipient: str,
    language: str,
    details: Mapping[str, str],
    now: datetime,
) -> None:
    """Queue a message in the transaction of its cause."""
    connection.execute(
        _INSERT,
        {
            "cause": cause,
            "template": template,
            "subject": subject,
            "recipient": recipient,
            "language": language,
            "details": json.dumps(details, ensure_ascii=False, sort_keys=True),
            "state": State.QUEUED.value,
            "attempts": 0,
            "resends": 0,
            "due_at": now,
            "created_at": now,
            "changed_at": now,
        },
    )


def due(connection: Connection, now: datetime, rows_max: int) -> list[int]:
    """The ids of queued messages whose time has come, oldest first; locked ones are passed over."""
    return list(
        connection.execute(
            select(outbox.c.id)
            .where(outbox.c.state == State.QUEUED.value, outbox.c.due_at <= now)
            .order_by(outbox.c.due_at, outbox.c.id)
            .limit(rows_max)
            .with_for_update(skip_locked=True)
        ).scalars()
    )


def claim(
    connection: Connection, message_id: int, worker: str, until: datetime, now: datetime
) -> Message | None:
    """Take one queued message; None when another worker has it. One UPDATE, one winner."""
    done = connection.execute(
        update(outbox)
        .where(outbox.c.id == message_id, outbox.c.state == State.QUEUED.value)
        .values(
            state=State.SENDING.value,
            lease_by=worker,
            lease_until=until,
            attempts=outbox.c.attempts + 1,
            changed_at=now,
        )
    )
    return by_id(connection, message_id) if done.rowcount == 1 else None


def by_id(connection: Connection, row: int) -> Message:
    """The message with this id."""
    return _message(connection.execute(_ALL.where(outbox.c.id == row)).one())


def by_message_id(connection: Connection, channel: str, message_id: str) -> Message | None:
    """The message an aggregator knows by this id, compared exactly."""
    row = connection.execute(
        _ALL.where(outbox.c.channel == channel, outbox.c.message_id == message_id)
    ).one_or_none()
    return None if row is None else _message(row)


def only_unanswered(connection: Connection, channel: str, recipient: str) -> Message | None:
    """The one message to a phone that was handed over without an answer; None when not just one.

    A message being sent right now might be the one that a report is about, so it counts too.
    """
    rows = connection.execute(
        _ALL.where(
            outbox.c.recipient == recipient,
            outbox.c.state.in_((State.UNKNOWN.value, State.SENDING.value)),
        ).limit(2)
    ).all()
    found = [_message(row) for row in rows]
    if len(found) != 1 or found[0].state != State.UNKNOWN or found[0].channel != channel:
        return None
    return found[0]


def adopt_message_id(connection: Connection, row: int, message_id: str) -> None:
    """Learn from a report under which id the aggregator knows a message."""
    connection.execute(update(outbox).where(outbox.c.id == row).values(message_id=message_id))


def has_cause(connection: Connection, cause: str) -> bool:
    """Whether a message with this cause was queued before."""
    found = connection.execute(select(outbox.c.id).where(outbox.c.cause == cause)).first()
    return found is not None


def to_recipient(connection: Connection, msisdn: str, rows_max: int) -> list[Message]:
    """The latest messages to a phone, newest first."""
    rows = connection.execute(
        _ALL.where(outbox.c.recipient == msisdn).order_by(outbox.c.id.desc()).limit(rows_max)
    )
    return [_message(row) for row in rows]


def about(connection: Connection, subject: str) -> list[Message]:
    """Every message about a subject (a token's serial), oldest first."""
    rows = connection.execute(_ALL.where(outbox.c.subject == subject).order_by(outbox.c.id))
    return [_message(row) for row in rows]


def move(
    connection: Connection,
    row: int,
    before: Sequence[State],
    after: State,
    now: datetime,
    *,
    lease_by: str | None = None,
    **values: object,
) -> bool:
    """One change of state with the before-state (and the lease's owner) in the WHERE."""
    statement = update(outbox).where(
        outbox.c.id == row, outbox.c.state.in_([state.value for state in before])
    )
    if lease_by is not None:
        statement = statement.where(outbox.c.lease_by == lease_by)
    done = connection.execute(statement.values(state=after.value, changed_at=now, **values))
    return done.rowcount == 1


def lapsed(connection: Connection, now: datetime, rows_max: int) -> list[int]:
    """Messages whose worker died while sending: their lease ran out."""
    return list(
        connection.execute(
            select(outbox.c.id)
            .where(outbox.c.state == State.SENDING.value, outbox.c.lease_until <= now)
            .limit(rows_max)
        ).scalars()
    )


def undecided(connection: Connection, before: datetime, rows_max: int) -> list[Message]:
    """Messages of unknown outcome about which no report has come since `before`."""
    rows = connection.execute(
        _ALL.where(outbox.c.state == State.UNKNOWN.value, outbox.c.changed_at <= before)
        .order_by(outbox.c.id)
        .limit(rows_max)
    )
    return [_message(row) for row in rows]


def handed_over_since(connection: Connection, since: datetime) -> int:
    """How many messages went to an aggregator since then: the bill."""
    counted = connection.execute(
        select(func.count()).where(outbox.c.handed_over_at >= since)
    ).scalar_one()
    return int(counted)


def count_about_since(connection: Connection, subject: str, template: str, since: datetime) -> int:
    """How many messages of one template about a subject were queued since then."""
    counted = connection.execute(
        select(func.count()).where(
            outbox.c.subject == subject,
            outbox.c.template == template,
            outbox.c.created_at >= since,
        )
    ).scalar_one()
    return int(counted)


def oldest_queued(connection: Connection) -> datetime | None:
    """When the message that has waited longest became due; None when none waits."""
    oldest: datetime | None = connection.execute(
        select(func.min(outbox.c.due_at, type_=Instant)).where(outbox.c.state == State.QUEUED.value)
    ).scalar()
    return oldest


def _message(row: object) -> Message:
    values = dict(row._mapping)  # type: ignore[attr-defined]
    values["details"] = json.loads(values["details"])
    return Message(**values)
