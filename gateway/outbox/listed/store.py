"""SQL of looking through the outbox; texts are not rendered."""

from sqlalchemy import Connection, select

from gateway.outbox.store import Message, State, message, outbox


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
