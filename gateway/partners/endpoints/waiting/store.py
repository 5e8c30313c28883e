"""SQL of the outbox's rows for one endpoint: how many, put off, let go."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, func, select, update

from gateway.outbox.store import Message, State, message, outbox
from gateway.outbox.tasks import WEBHOOK

OPEN = (State.QUEUED, State.SENDING)


def _for(owner: str, *states: State) -> ColumnElement[bool]:
    return and_(
        outbox.c.subject == owner,
        outbox.c.line == WEBHOOK,
        outbox.c.state.in_([state.value for state in states]),
    )


def count(connection: Connection, owner: str, template: str, tries_below: int | None = None) -> int:
    """How many rows of a template are not over yet, of those tried less often than that."""
    query = select(func.count()).where(_for(owner, *OPEN), outbox.c.template == template)
    if tries_below is not None:
        query = query.where(outbox.c.attempts < tries_below)
    return int(connection.execute(query).scalar_one())


def others_under_way(connection: Connection, owner: str, row: int) -> int:
    """How many besides this row are being sent at this moment."""
    query = select(func.count()).where(_for(owner, State.SENDING), outbox.c.id != row)
    return int(connection.execute(query).scalar_one())


def put_off(connection: Connection, owner: str, until: datetime) -> None:
    """Let what waits wait until then at least."""
    connection.execute(
        update(outbox)
        .where(_for(owner, State.QUEUED), outbox.c.run_at < until)
        .values(run_at=until)
    )


def let_go(connection: Connection, owner: str, now: datetime) -> None:
    """Let what waits be due now."""
    connection.execute(
        update(outbox).where(_for(owner, State.QUEUED), outbox.c.run_at > now).values(run_at=now)
    )


def troubled(connection: Connection, owner: str, rows_max: int) -> Sequence[Message]:
    """The latest rows that were not taken at once, the newest first."""
    rows = connection.execute(
        select(outbox)
        .where(_for(owner, *State), outbox.c.reason.is_not(None))
        .order_by(outbox.c.id.desc())
        .limit(rows_max)
    )
    return [message(row) for row in rows]
