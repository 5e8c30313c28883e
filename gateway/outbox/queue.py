"""What callers put into the outbox, and how its rows move on as sends and reports come in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from sqlalchemy import Connection

from gateway.channels.base import DeliveryReport, Handover
from gateway.outbox import store
from gateway.outbox.reports import store as reports_store
from gateway.outbox.store import FINAL, Message, State

log = structlog.get_logger()

LEASE = timedelta(seconds=60)  # longer than any send may take
REPORT_WAIT = timedelta(minutes=10)  # how long an unknown outcome waits for a report
RESENDS_MAX = 1  # of a message whose outcome stayed unknown
ATTEMPTS_MAX = 12
BACKOFF_FIRST = timedelta(seconds=5)
BACKOFF_MAX = timedelta(minutes=15)
NOT_FINAL = (State.QUEUED, State.SENDING, State.UNKNOWN, State.SENT)
# A report's meaning (channels' words for it), and where it takes the message.
BY_REPORT = {"delivered": State.DELIVERED, "failed": State.FAILED}


def add(
    connection: Connection,
    cause: str,
    template: str,
    subject: str,
    recipient: str,
    language: str,
    now: datetime,
    details: Mapping[str, str] | None = None,
) -> None:
    """Queue a message together with its cause; `cause` makes it happen once.

    `details` are values of the text and never hold token digits: those are derived when sending.
    """
    store.add(connection, cause, template, subject, recipient, language, details or {}, now)


def add_once(
    connection: Connection,
    cause: str,
    template: str,
    subject: str,
    recipient: str,
    language: str,
    now: datetime,
    details: Mapping[str, str] | None = None,
) -> bool:
    """Queue a message unless its cause has one already; whether it was queued."""
    if store.has_cause(connection, cause):
        return False
    add(connection, cause, template, subject, recipient, language, now, details)
    return True


def claim_next(connection: Connection, worker: str, now: datetime) -> Message | None:
    """The next due message, leased to `worker`; None when nothing is due."""
    for candidate in store.due(connection, now, rows_max=5):
        message = store.claim(connection, candidate, worker, now + LEASE, now)
        if message is not None:
            return message
    return None


@dataclass(frozen=True, slots=True)
class Lease:
    """Proof that a worker may record the outcome of a message."""

    row: int
    worker: str


def sent(
    connection: Connection, lease: Lease, channel: str, taken: Handover, now: datetime
) -> None:
    """The aggregator took it. Reports that came before this are applied now.

    Also true after the lease ran out: what was handed over was handed over.
    """
    store.move(
        connection,
        lease.row,
        (State.SENDING, State.UNKNOWN),
        State.DELIVERED if taken.delivered else State.SENT,
        now,
        lease_by=lease.worker,
        channel=channel,
        message_id=taken.message_id or None,
        handed_over_at=now,
        reason=None,
    )
    if taken.message_id:
        for said in reports_store.about(connection, channel, taken.message_id):
            _apply(connection, lease.row, *said, now)


def unknown(connection: Connection, lease: Lease, channel: str, reason: str, now: datetime) -> None:
    """Handed over without an answer: wait for a report."""
    store.move(
        connection,
        lease.row,
        (State.SENDING,),
        State.UNKNOWN,
        now,
        lease_by=lease.worker,
        channel=channel,
        handed_over_at=now,
        reason=reason,
    )


def refused(connection: Connection, lease: Lease, reason: str, now: datetime) -> None:
    """Final: nobody will take this message."""
    store.move(
        connection,
        lease.row,
        (State.SENDING,),
        State.FAILED,
        now,
        lease_by=lease.worker,
        reason=reason,
    )


def dropped(connection: Connection, lease: Lease, reason: str, now: datetime) -> None:
    """No longer wanted."""
    store.move(
        connection,
        lease.row,
        (State.SENDING,),
        State.DROPPED,
        now,
        lease_by=lease.worker,
        reason=reason,
    )


def retry(
    connection: Connection,
    message: Message,
    lease: Lease,
    reason: str,
    now: datetime,
    *,
    after: timedelta | None = None,
    counts: bool = True,
) -> None:
    """Nothing was handed over: queue it again, later each time, and give up in the end."""
    if counts and message.attempts >= ATTEMPTS_MAX:
        refused(connection, lease, f"gave up: {reason}", now)
        return
    store.move(
        connection,
        lease.row,
        (State.SENDING,),
        State.QUEUED,
        now,
        lease_by=lease.worker,
        due_at=now + (after or backoff(message.attempts)),
        reason=reason,
    )


def backoff(attempts: int) -> timedelta:
    """How long to wait after the n-th failed try.

    >>> [int(backoff(n).total_seconds()) for n in (1, 2, 3, 9)]
    [5, 10, 20, 900]
    """
    doublings = min(attempts - 1, 16)
    return min(BACKOFF_MAX, BACKOFF_FIRST * (1 << doublings))


def report(
    connection: Connection, report: DeliveryReport, recipient: str | None, now: datetime
) -> bool:
    """Take in a delivery report; whether it is about a message we know.

    It may come before the send has returned: it is kept, and `sent` applies it. The first final
    word stays: a message never turns from failed to delivered or back.

    A send that timed out has no message id: a report to the same phone that fits nothing else
    settles it, when it is the only one it could be about.
    """
    channel, message_id = report.channel, report.message_id
    known = reports_store.about(connection, channel, message_id)
    if all(seen != report.status for _, seen, _ in known):
        reports_store.add(connection, report, now)
    message = store.by_message_id(connection, channel, message_id)
    if message is None and recipient is not None:
        message = store.only_unanswered(connection, channel, recipient)
        if message is not None:
            store.adopt_message_id(connection, message.id, message_id)
    if message is None:
        log.info("report_without_message", channel=channel, status=report.status)
        return False
    said = (report.delivery.value, report.status, report.reason)
    _apply(connection, message.id, *said, now)
    return True


def _apply(
    connection: Connection, row: int, delivery: str, status: str, reason: str, now: datetime
) -> None:
    after = BY_REPORT.get(delivery)
    if after is None:
        return
    said = f"{status}: {reason}" if reason else status
    store.move(
        connection,
        row,
        NOT_FINAL,
        after,
        now,
        reason=None if after is State.DELIVERED else said[:200],
    )


def settle_lapsed(connection: Connection, now: datetime, rows_max: int = 100) -> int:
    """Leases that ran out: the worker died while sending, so the outcome is unknown."""
    settled = 0
    for row in store.lapsed(connection, now, rows_max):
        settled += store.move(
            connection,
            row,
            (State.SENDING,),
            State.UNKNOWN,
            now,
            reason="the sending worker was lost",
        )
    return settled


def settle_undecided(connection: Connection, now: datetime, rows_max: int = 100) -> int:
    """Unknown outcomes about which no report came: send once more, then give up."""
    settled = 0
    for message in store.undecided(connection, now - REPORT_WAIT, rows_max):
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
            settled += store.move(
                connection,
                message.id,
                (State.UNKNOWN,),
                State.FAILED,
                now,
                reason="no delivery report came",
            )
    return settled


def inbox(connection: Connection, msisdn: str, rows_max: int = 50) -> Sequence[Message]:
    """What a phone has been sent, newest first: handed-over messages only."""
    shown = (State.SENT, State.DELIVERED)
    return [m for m in store.to_recipient(connection, msisdn, rows_max) if m.state in shown]


def is_final(message: Message) -> bool:
    """Whether nothing more will happen to the message."""
    return message.state in FINAL
