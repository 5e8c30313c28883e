"""What callers put into the outbox, and how its rows move on as sends and reports come in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from sqlalchemy import Connection

from gateway.channels.base import Handover
from gateway.outbox import final, store
from gateway.outbox.leases import store as leases_store
from gateway.outbox.reports import settle
from gateway.outbox.reports import store as reports_store
from gateway.outbox.store import LEASE, REASON_MAX, SMS, Message, State

log = structlog.get_logger()

REPORT_WAIT = timedelta(minutes=10)  # how long an unknown outcome waits for a report
RESENDS_MAX = 1  # of a message whose outcome stayed unknown
ATTEMPTS_MAX = 100  # about a day: an aggregator's bad afternoon loses nothing
BACKOFF_FIRST = timedelta(seconds=5)
BACKOFF_MAX = timedelta(minutes=15)


def add(
    connection: Connection,
    cause: str,
    template: str,
    subject: str,
    recipient: str,
    language: str,
    now: datetime,
    details: Mapping[str, str] | None = None,
    *,
    line: str = SMS,
    due_at: datetime | None = None,
) -> None:
    """Queue a message or task together with its cause; `cause` makes it happen once.

    `details` are values of the text and never hold token digits: those are derived when sending.
    It waits until `due_at`, if that is given.
    """
    details, due_at = details or {}, due_at or now
    store.add(connection, cause, template, subject, recipient, language, details, line, due_at, now)


def add_once(
    connection: Connection,
    cause: str,
    template: str,
    subject: str,
    recipient: str,
    language: str,
    now: datetime,
    details: Mapping[str, str] | None = None,
    *,
    line: str = SMS,
    due_at: datetime | None = None,
) -> bool:
    """Queue a message unless its cause has one already; whether it was queued."""
    if store.has_cause(connection, cause):
        return False
    add(
        connection,
        cause,
        template,
        subject,
        recipient,
        language,
        now,
        details,
        line=line,
        due_at=due_at,
    )
    return True


@dataclass(frozen=True, slots=True)
class Lease:
    """Proof that a worker may record the outcome of a message; each claim has its own holder."""

    row: int
    holder: str


def claim_next(
    connection: Connection, holder: str, now: datetime, line: str = SMS
) -> Message | None:
    """The next due row of a line, leased to `holder`; None when nothing is due."""
    row = store.next_due(connection, now, line)
    return None if row is None else store.claim(connection, row, holder, now + LEASE, now)


def claimed(connection: Connection, holder: str) -> Message | None:
    """What a claim took whose answer was lost; None when it took nothing."""
    return store.held_by(connection, holder)


def sent(
    connection: Connection, lease: Lease, channel: str, taken: Handover, now: datetime
) -> None:
    """The aggregator took it. Reports that came before this are applied now.

    Also true after the lease ran out: what was handed over was handed over.
    """
    message_id = _free_id(connection, lease, channel, taken.message_id)
    recorded = store.move(
        connection,
        lease.row,
        (State.SENDING, State.UNKNOWN, State.QUEUED),
        State.DELIVERED if taken.delivered else State.SENT,
        now,
        lease_by=lease.holder,
        channel=channel,
        message_id=message_id,
        handed_over_at=now,
        reason=None,
    )
    if recorded and message_id is not None:
        settle.settle_by_id(connection, lease.row, channel, message_id, now)


def _free_id(connection: Connection, lease: Lease, channel: str, message_id: str) -> str | None:
    """The aggregator's id, unless another message has it: the hand-over counts all the same."""
    if not message_id:
        return None
    other = reports_store.by_message_id(connection, channel, message_id)
    if other is None or other.id == lease.row:
        return message_id
    log.error("message_id_reused", channel=channel, outbox=lease.row, other=other.id)
    return None


def unknown(connection: Connection, lease: Lease, channel: str, reason: str, now: datetime) -> None:
    """Handed over without an answer: wait for a report, or take one that is there already."""
    store.move(
        connection,
        lease.row,
        (State.SENDING,),
        State.UNKNOWN,
        now,
        lease_by=lease.holder,
        channel=channel,
        message_id=None,
        handed_over_at=now,
        reason=reason[:REASON_MAX],
    )
    settle.settle_by_phone(connection, store.by_id(connection, lease.row), now)


def refused(connection: Connection, lease: Lease, reason: str, now: datetime) -> None:
    """Final: nobody will take this message."""
    final.fail(connection, lease.row, (State.SENDING,), reason, now, lease_by=lease.holder)


def dropped(connection: Connection, lease: Lease, reason: str, now: datetime) -> None:
    """No longer wanted."""
    store.move(
        connection,
        lease.row,
        (State.SENDING,),
        State.DROPPED,
        now,
        lease_by=lease.holder,
        reason=reason[:REASON_MAX],
    )


def retry(
    connection: Connection,
    message: Message,
    lease: Lease,
    reason: str,
    after: timedelta,
    now: datetime,
    *,
    counts: bool = True,
) -> None:
    """Nothing was handed over: queue it again, and give up in the end.

    A try that waits for an operator does not count (`counts`): it says nothing of the message.
    """
    if counts and message.attempts >= ATTEMPTS_MAX:
        refused(connection, lease, f"gave up: {reason}", now)
        return
    store.move(
        connection,
        lease.row,
        (State.SENDING,),
        State.QUEUED,
        now,
        lease_by=lease.holder,
        attempts=message.attempts if counts else message.attempts - 1,
        reason=reason[:REASON_MAX],
        **leases_store.due(message.line, now + after),
    )


def backoff(attempts: int) -> timedelta:
    """How long to wait after the n-th failed try.

    >>> [int(backoff(n).total_seconds()) for n in (1, 2, 3, 9)]
    [5, 10, 20, 900]
    """
    doublings = min(attempts - 1, 16)
    return min(BACKOFF_MAX, BACKOFF_FIRST * (1 << doublings))


def settle_lapsed(connection: Connection, now: datetime, rows_max: int = 100) -> int:
    """Leases that ran out: the worker died while sending, so the outcome is unknown."""
    settled = 0
    for message in leases_store.lapsed(connection, now, rows_max):
        moved = store.move(
            connection,
            message.id,
            (State.SENDING,),
            State.UNKNOWN,
            now,
            channel=None,  # whichever it was tried over
            message_id=None,
            handed_over_at=now,  # perhaps it was: the bill counts it
            reason="the sending worker was lost",
        )
        if moved:
            settle.settle_by_phone(connection, store.by_id(connection, message.id), now)
        settled += moved
    return settled


def settle_undecided(connection: Connection, now: datetime, rows_max: int = 100) -> int:
    """Unknown outcomes about which no report came: send once more, then give up."""
    settled = 0
    for message in reports_store.undecided(connection, now - REPORT_WAIT, rows_max):
        if message.resends < RESENDS_MAX:
            settled += store.move(
                connection,
                message.id,
                (State.UNKNOWN,),
                State.QUEUED,
                now,
                resends=message.resends + 1,
                due_at=now,
            )
        else:
            reason = "no delivery report came"
            settled += final.fail(connection, message.id, (State.UNKNOWN,), reason, now)
    return settled


def inbox(connection: Connection, msisdn: str, rows_max: int = 50) -> Sequence[Message]:
    """What a phone has been sent, newest first: handed-over messages only."""
    shown = (State.SENT, State.DELIVERED)
    return [m for m in store.to_recipient(connection, msisdn, rows_max) if m.state in shown]
