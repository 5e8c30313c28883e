"""SQL of leases: rows whose lease ran out, and a lease that passes from a claim to its call."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select, update

from gateway.outbox.store import SMS, Message, State, message, outbox


def due_among(connection: Connection, lines: Sequence[str], now: datetime) -> list[str]:
    """The lines of tasks in which something is due, in the order given; locks nothing."""
    found = []
    for line in lines:
        due = select(outbox.c.id).where(
            outbox.c.line == line,
            outbox.c.state == State.QUEUED.value,
            outbox.c.run_at <= now,
        )
        if connection.execute(due.limit(1)).first() is not None:
            found.append(line)
    return found


def lapsed(connection: Connection, now: datetime, rows_max: int, line: str = SMS) -> list[Message]:
    """Rows of a line whose worker died while sending: their lease ran out."""
    until = outbox.c.lease_until if line == SMS else outbox.c.run_at
    rows = connection.execute(
        select(outbox)
        .where(
            outbox.c.line == line,
            outbox.c.state == State.SENDING.value,
            until <= now,
        )
        .order_by(outbox.c.id)
        .limit(rows_max)
    )
    return [message(row) for row in rows]


def begin(
    connection: Connection, row: int, holder: str, begun: str, until: datetime, now: datetime
) -> bool:
    """From now on a task's call may be made: the lease goes to `begun`, unless `holder` lost it."""
    done = connection.execute(
        update(outbox)
        .where(
            outbox.c.id == row,
            outbox.c.state == State.SENDING.value,
            outbox.c.lease_by == holder,
        )
        .values(lease_by=begun, run_at=until, handed_over_at=now, changed_at=now)
    )
    return done.rowcount == 1


def take_away(
    connection: Connection,
    row: int,
    holder: str | None,
    after: State,
    now: datetime,
    **values: object,
) -> bool:
    """Move on a row that is still under `holder`'s lease; nobody holds it any more."""
    done = connection.execute(
        update(outbox)
        .where(
            outbox.c.id == row,
            outbox.c.state == State.SENDING.value,
            outbox.c.lease_by == holder,
        )
        .values(state=after.value, lease_by=None, changed_at=now, **values)
    )
    return done.rowcount == 1


def due(line: str, at: datetime) -> dict[str, Any]:
    """The values that let a row of a line be due."""
    return {"due_at": at} if line == SMS else {"run_at": at}


def is_awaited(connection: Connection, subject: str, line: str) -> bool:
    """Whether a task about this subject is still to be run, or is running."""
    live = outbox.c.state.in_((State.QUEUED.value, State.SENDING.value))
    awaited = select(outbox.c.id).where(
        outbox.c.subject == subject, outbox.c.line == line, outbox.c.run_at.is_not(None), live
    )
    return connection.execute(awaited.limit(1)).first() is not None
