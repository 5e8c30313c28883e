"""Recording what people and operators did, in the transaction that did it."""

from datetime import datetime

from sqlalchemy import Connection

from gateway.audit import store
from gateway.formats.digits import hidden

REASON_MAX = 200


def record(
    connection: Connection,
    actor: str,
    action: str,
    subject: str,
    now: datetime,
    reason: str = "",
) -> None:
    """Append to the trail; `reason` is a person's words and is kept with its digit runs masked."""
    store.add(connection, now, actor, action, subject, hidden(reason)[:REASON_MAX])
