"""SQL of forgetting: the oldest rows of a table that nothing hangs on any more.

They are read first and deleted by their ids after that: a DELETE that looks for its rows would
lock those that others are writing.
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, select

from gateway.database.types import metadata
from gateway.outbox.reports.store import delivery_reports
from gateway.outbox.store import SMS, State, outbox
from gateway.outbox.tasks import LINES, PAYOUT
from gateway.partners.events.store import partner_events, partner_feeds
from gateway.partners.repeats.store import api_requests
from gateway.sms.store import inbound_sms

OVER = (State.SENT, State.DELIVERED, State.FAILED, State.DROPPED)
# A payout's row proves that it was handed over once, as long as the withdrawal is there.
FORGOTTEN_LINES = (SMS, *(line for line in LINES if line != PAYOUT))
# All rows of these go, in the order in which they came; the column says when that was.
AGES = (
    inbound_sms.c.received_at,
    delivery_reports.c.received_at,
    api_requests.c.created_at,
)
BY_AGE = {age.table.name: age for age in AGES}


def aged(connection: Connection, name: str, before: datetime, rows_max: int) -> Sequence[int]:
    """The ids of the first rows, as far as they are from before then; asks for no index."""
    at, row = BY_AGE[name], metadata.tables[name].c.id
    first = connection.execute(select(row, at).order_by(row).limit(rows_max))
    return [row[0] for row in first if row[1] < before]


def messages(
    connection: Connection, line: str, state: State, before: datetime, rows_max: int
) -> Sequence[int]:
    """The ids of messages of a line that ended so before then."""
    was_due = outbox.c.due_at if line == SMS else outbox.c.run_at  # as the indexes have it
    query = (
        select(outbox.c.id)
        .where(
            outbox.c.line == line,
            outbox.c.state == state.value,
            was_due < before,
            outbox.c.changed_at < before,
        )
        .order_by(was_due)
        .limit(rows_max)
    )
    return connection.execute(query).scalars().all()


def owners(connection: Connection) -> Sequence[str]:
    """Whose events have numbers."""
    return connection.execute(select(partner_feeds.c.owner)).scalars().all()


def events(connection: Connection, owner: str, before: datetime, rows_max: int) -> Sequence[int]:
    """The ids of numbered events of an owner from before then."""
    e = partner_events.c
    query = (
        select(e.id)
        .where(e.owner == owner, e.at < before, e.seq.is_not(None))
        .order_by(e.at)
        .limit(rows_max)
    )
    return connection.execute(query).scalars().all()


def forget(connection: Connection, name: str, rows: Sequence[int]) -> int:
    """Delete rows of a table by their ids; how many."""
    table = metadata.tables[name]
    return connection.execute(delete(table).where(table.c.id.in_(rows))).rowcount


def forget_messages(connection: Connection, rows: Sequence[int], state: State) -> int:
    """Delete messages that still stand so: a report may have come meanwhile."""
    gone = delete(outbox).where(outbox.c.id.in_(rows), outbox.c.state == state.value)
    return connection.execute(gone).rowcount
