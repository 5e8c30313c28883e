"""What the trail is told of shifts and payments: our own facts readable, people's words masked."""

from datetime import datetime

from sqlalchemy import Connection

from gateway.audit import store
from gateway.audit.trail import REASON_MAX
from gateway.formats.digits import hidden


def record(
    connection: Connection,
    actor: str,
    action: str,
    subject: str,
    now: datetime,
    fact: str,
    reason: str = "",
) -> None:
    """Append to the trail; `fact` is an amount or a serial, which would be masked as words."""
    said = f"{fact}: {hidden(reason)}" if reason else fact
    store.add(connection, now, actor, action, subject, said[:REASON_MAX])
