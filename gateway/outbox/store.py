"""Table and SQL of the outbox."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    ColumnElement,
    Connection,
    Index,
    Integer,
    Row,
    String,
    Text,
    and_,
    case,
    func,
    insert,
    literal,
    null,
    select,
    update,
)

from gateway.database import prepared
from gateway.database.types import Instant, row_id, table


class State(StrEnum):
    """Where an outgoing message stands; it never moves back."""

    QUEUED = "queued"  # again, with `handed_over_at`: an unknown outcome about to be repeated
    SENDING = "sending"  # claimed; a lease that ran out here means: outcome unknown
    UNKNOWN = "unknown"  # handed over without an answer: a report may still come
    SENT = "sent"  # the aggregator took it
    DELIVERED = "delivered"
    FAILED = "failed"
    DROPPED = "dropped"  # no longer wanted when its turn came (the token was spent meanwhile)


LEASE = timedelta(seconds=60)  # longer than any send may take
SMS = "sms"  # the line of text messages; tasks.py names the others
REASON_MAX = 200
# Of a task's `due_at`: workers of before there were tasks take all that is due for an SMS.
NEVER = datetime(9999, 1, 1, tzinfo=UTC)

outbox = table(
    "outbox",
    row_id(),
    Column("cause", String(100), nullable=False, unique=True),  # what it follows from, once
    Column("template", String(32), nullable=False),
    Column("subject", String(64), nullable=False),  # a token's serial; never digits
    Column("recipient", String(16), nullable=False),  # "": a task that is about no phone
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
    Column("line", String(12), nullable=False, server_default=SMS),
    Column("run_at", Instant, nullable=True),  # of a task: when it is due, or its lease runs out
    CheckConstraint(
        "state IN ('queued','sending','unknown','sent','delivered','failed','dropped')",
        name="state_known",
    ),
    Index("ix_outbox_line_state_due_at", "line", "state", "due_at"),
    Index("ix_outbox_line_state_run_at", "line", "state", "run_at"),
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
    line: str

    @property
    def claimed_at(self) -> datetime:
        """When it was last claimed, or queued if it never was."""
        return self.created_at if self.lease_until is None else self.lease_until - LEASE


_ALL = select(*outbox.c)
_INSERT = insert(outbox)
_IS_SMS = outbox.c.line == SMS


def add(
    connection: Connection,
    cause: str,
    template: str,
    subject: str,
    recipient: str,
    language: str,
    details: Mapping[str, str],
    line: str,
    due_at: datetime,
    now: datetime,
) -> None:
    """Queue a message in the transaction of its cause."""
    values = {
        "cause": cause,
        "template": template,
        "subject": subject,
        "recipient": recipient,
        "language": language,
        "details": json.dumps(details, ensure_ascii=False, sort_keys=True),
        "state": State.QUEUED.value,
        "attempts": 0,
        "resends": 0,
        "due_at": due_at if line == SMS else NEVER,
        "run_at": None if line == SMS else due_at,
        "line": line,
        "created_at": now,
        "changed_at": now,
    }
    prepared.later(connection, _INSERT, values)


def next_due(connection: Connection, now: datetime, line: str = SMS) -> int | None:
    """The queued row of a line that has been due for longest; those others lock are passed over.

    One at a time: locking several would make other workers find an empty queue.
    """
    due_at = outbox.c.due_at if line == SMS else outbox.c.run_at
    row: int | None = connection.execute(
        select(outbox.c.id)
        .where(_stands(line, State.QUEUED), due_at <= now)
        .order_by(due_at, outbox.c.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    ).scalar()
    return row


def claim(
    connection: Connection, row: int, holder: str, until: datetime, now: datetime
) -> Message | None:
    """Take one queued message; None when another worker has it. One UPDATE, one winner."""
    done = connection.execute(
        update(outbox)
        .where(outbox.c.id == row, outbox.c.state == State.QUEUED.value)
        .values(
            state=State.SENDING.value,
            lease_by=holder,
            lease_until=case((_IS_SMS, literal(until, Instant)), else_=null()),
            run_at=case((_IS_SMS, null()), else_=literal(until, Instant)),
            attempts=outbox.c.attempts + 1,
            changed_at=now,
        )
    )
    return by_id(connection, row) if done.rowcount == 1 else None


def held_by(connection: Connection, holder: str) -> Message | None:
    """The message that is being sent under this lease."""
    row = connection.execute(
        _ALL.where(outbox.c.state == State.SENDING.value, outbox.c.lease_by == holder)
    ).one_or_none()
    return None if row is None else message(row)


def by_id(connection: Connection, row: int) -> Message:
    """The message with this id."""
    return message(connection.execute(_ALL.where(outbox.c.id == row)).one())


def has_cause(connection: Connection, cause: str) -> bool:
    """Whether a message with this cause was queued before."""
    found = connection.execute(select(outbox.c.id).where(outbox.c.cause == cause)).first()
    return found is not None


def to_recipient(connection: Connection, msisdn: str, rows_max: int) -> list[Message]:
    """The latest messages to a phone, newest first."""
    rows = connection.execute(
        _ALL.where(outbox.c.recipient == msisdn, outbox.c.line == SMS)
        .order_by(outbox.c.id.desc())
        .limit(rows_max)
    )
    return [message(row) for row in rows]


def about(connection: Connection, subject: str) -> list[Message]:
    """Every message about a subject (a token's serial), oldest first."""
    rows = connection.execute(_ALL.where(outbox.c.subject == subject).order_by(outbox.c.id))
    return [message(row) for row in rows]


def move(
    connection: Connection,
    row: int,
    before: Sequence[State],
    after: State,
    now: datetime,
    *,
    lease_by: str | None = None,
    handed_over: bool = False,
    **values: object,
) -> bool:
    """One change of state with the before-state (and the lease's holder) in the WHERE.

    `handed_over` asks that the message was handed over at least once.
    """
    statement = update(outbox).where(
        outbox.c.id == row, outbox.c.state.in_([state.value for state in before])
    )
    if lease_by is not None:
        statement = statement.where(outbox.c.lease_by == lease_by)
    if handed_over:
        statement = statement.where(outbox.c.handed_over_at.is_not(None))
    done = connection.execute(statement.values(state=after.value, changed_at=now, **values))
    return done.rowcount == 1


def handed_over_since(connection: Connection, since: datetime) -> int:
    """How many messages went to an aggregator since then: the bill."""
    counted = connection.execute(
        select(func.count()).where(outbox.c.handed_over_at >= since, outbox.c.line == SMS)
    ).scalar_one()
    return int(counted)


def count_about_since(connection: Connection, subject: str, template: str, since: datetime) -> int:
    """How many messages of one template about a subject were queued since then."""
    return _count(connection, outbox.c.subject == subject, template, since)


def count_to_since(connection: Connection, recipient: str, template: str, since: datetime) -> int:
    """How many messages of one template to a phone were queued since then."""
    return _count(connection, outbox.c.recipient == recipient, template, since)


def _count(
    connection: Connection, whose: ColumnElement[bool], template: str, since: datetime
) -> int:
    counted = connection.execute(
        select(func.count()).where(
            whose, outbox.c.template == template, outbox.c.created_at >= since
        )
    ).scalar_one()
    return int(counted)


def oldest_queued(connection: Connection) -> datetime | None:
    """When what has waited longest was queued, not when it is due: failed tries move that on."""
    oldest: datetime | None = connection.execute(
        select(func.min(outbox.c.created_at, type_=Instant)).where(_stands(SMS, State.QUEUED))
    ).scalar()
    return oldest


def _stands(line: str, state: State) -> ColumnElement[bool]:
    return and_(outbox.c.line == line, outbox.c.state == state.value)


def message(row: Row[Any]) -> Message:
    """A message out of a row of the whole table."""
    values = {**row._mapping, "details": json.loads(row.details)}
    run_at, is_sending = values.pop("run_at"), values["state"] == State.SENDING
    if run_at is not None:
        values |= {"due_at": run_at, "lease_until": run_at if is_sending else None}
    return Message(**values)
