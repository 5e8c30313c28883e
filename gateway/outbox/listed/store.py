"""SQL of looking through the outbox; texts are not rendered."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, func, select

from gateway.outbox.reports.store import delivery_reports
from gateway.outbox.store import SMS, Message, State, message, outbox
from gateway.outbox.tasks import LINES

_LINES: Final = (SMS, *LINES)


def latest(
    connection: Connection,
    rows_max: int,
    *,
    to: str | None = None,
    subject: str | None = None,
    state: State | None = None,
    line: str | None = None,
) -> list[Message]:
    """The latest messages and tasks of which all holds that is given, newest first."""
    c = outbox.c
    wanted = ((c.recipient, to), (c.subject, subject), (c.state, state), (c.line, line))
    rows = connection.execute(
        select(*c)
        .where(*(column == value for column, value in wanted if value is not None))
        .order_by(c.id.desc())
        .limit(rows_max)
    )
    return [message(row) for row in rows]


@dataclass(frozen=True, slots=True)
class Report:
    """A delivery report as it came."""

    at: datetime
    status: str  # the aggregator's word
    delivery: str
    reason: str


def page(
    connection: Connection,
    states: Sequence[State],
    before: int | None,
    rows_max: int,
    *,
    to: str | None = None,
    subject: str | None = None,
) -> list[Message]:
    """The latest rows in these states with numbers below `before`, newest first."""
    c = outbox.c
    query = select(*c).where(c.state.in_([state.value for state in states]))
    if len(states) < len(State):
        query = query.where(c.line.in_(_LINES))  # so that the index on line and state serves
    wanted = ((c.recipient, to), (c.subject, subject))
    query = query.where(*(column == value for column, value in wanted if value is not None))
    if before is not None:
        query = query.where(c.id < before)
    return [message(row) for row in connection.execute(query.order_by(c.id.desc()).limit(rows_max))]


def count(connection: Connection, states: Sequence[State], most: int) -> int:
    """How many rows are in these states; counted to `most`."""
    c = outbox.c
    some = (
        select(c.id)
        .where(c.line.in_(_LINES), c.state.in_([state.value for state in states]))
        .limit(most)
        .subquery()
    )
    return int(connection.execute(select(func.count()).select_from(some)).scalar_one())


def by_id(connection: Connection, row: int) -> Message | None:
    """The message with this number, if there is one."""
    found = connection.execute(select(*outbox.c).where(outbox.c.id == row)).one_or_none()
    return None if found is None else message(found)


def reports(connection: Connection, one: Message, rows_max: int) -> list[Report]:
    """What was reported about a message, in order of arrival."""
    c = delivery_reports.c
    if one.message_id is None:
        return []
    rows = connection.execute(
        select(c.received_at, c.status, c.delivery, c.reason)
        .where(c.channel == one.channel, c.message_id == one.message_id)
        .order_by(c.id)
        .limit(rows_max)
    )
    return [Report(*row) for row in rows]
