"""How a task's row ends its turn: the task's word and the row's state in one transaction."""

from datetime import datetime
from typing import Any

import structlog
from sqlalchemy import Connection

from gateway.errors import RaceLost, SendFailed
from gateway.outbox import store
from gateway.outbox.leases import store as leases_store
from gateway.outbox.queue import Lease
from gateway.outbox.store import REASON_MAX, Message, State
from gateway.outbox.tasks import Again, Task

log = structlog.get_logger()

# Where a row may be that `lost` has decided about. Never `unknown`: a worker of before there were
# tasks sends what is so once more.
DECIDED = (State.QUEUED, State.FAILED)


def is_held(connection: Connection, lease: Lease) -> bool:
    """Whether the row is still being worked on under this lease."""
    row = store.by_id(connection, lease.row)
    return row.state == State.SENDING and row.lease_by == lease.holder


def done(
    connection: Connection, task: Task, message: Message, lease: Lease, result: Any, now: datetime
) -> None:
    """What the work returned is recorded, also after the lease ran out."""
    row = store.by_id(connection, lease.row)
    if row.lease_by == lease.holder and row.state != State.SENDING:
        return  # an earlier try was committed; only the answer was lost
    again = task.done(connection, message, result, now)
    after, values = _ended(message, again, State.SENT, "")
    if not store.move(
        connection, lease.row, (State.SENDING,), after, now, lease_by=lease.holder, **values
    ):
        log.warning("task_done_late", outbox=lease.row, template=message.template)
        store.move(connection, lease.row, DECIDED, after, now, **values)


def failed(
    connection: Connection,
    task: Task,
    message: Message,
    lease: Lease,
    failure: SendFailed,
    now: datetime,
) -> None:
    """The task decides about a failure, unless `lost` has decided meanwhile."""
    if not is_held(connection, lease):
        return
    again = task.failed(connection, message, failure, now)
    after, values = _ended(message, again, State.FAILED, failure.reason)
    if not store.move(
        connection, lease.row, (State.SENDING,), after, now, lease_by=lease.holder, **values
    ):
        raise RaceLost("the lease ran out")


def lost(connection: Connection, task: Task | None, message: Message, now: datetime) -> bool:
    """Decide about a row whose lease ran out; whether it was still to be decided.

    One whose call had not begun is simply queued again: nothing can have left.
    """
    row = store.by_id(connection, message.id)
    if row.state != State.SENDING or row.lease_by != message.lease_by:
        return False
    if row.handed_over_at is None:
        again: Again | None = Again(now, "its worker was lost before the call", counts=False)
    elif task is None:
        log.error("task_missing", template=message.template, outbox=message.id)
        return False
    else:
        again = task.lost(connection, message, now)
    after, values = _ended(message, again, State.FAILED, "its worker was lost")
    if not leases_store.take_away(connection, row.id, row.lease_by, after, now, **values):
        raise RaceLost("the row is not lost after all")
    log.warning("task_lost", outbox=row.id, template=row.template, state=after.value)
    return True


def _ended(
    message: Message, again: Again | None, closed: State, reason: str
) -> tuple[State, dict[str, Any]]:
    """The state after a turn, and what goes with it."""
    if again is None:
        return closed, {"reason": reason[:REASON_MAX] or None}
    values: dict[str, Any] = {
        **leases_store.due(message.line, again.at),
        "attempts": message.attempts if again.counts else message.attempts - 1,
        "reason": (again.reason or reason)[:REASON_MAX] or None,
        "handed_over_at": None,  # until its next call
    }
    return State.QUEUED, values
