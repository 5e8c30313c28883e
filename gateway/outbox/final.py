"""The one way a message fails for good: told to the operators when it is about a token."""

from collections.abc import Sequence
from datetime import datetime

import structlog
from sqlalchemy import Connection

from gateway.outbox import store
from gateway.outbox.store import REASON_MAX, State

log = structlog.get_logger()


def fail(
    connection: Connection,
    row: int,
    before: Sequence[State],
    reason: str,
    now: datetime,
    *,
    lease_by: str | None = None,
) -> bool:
    """Whether the message moved to failed; somebody may be waiting for a token that never comes.

    What has failed is due from when it did, so that those who tell of it find the last by the index
    there is: its report may come days after it was sent.
    """
    reason = reason[:REASON_MAX]
    to = State.FAILED
    moved = store.move(
        connection, row, before, to, now, lease_by=lease_by, reason=reason, due_at=now
    )
    if moved:
        message = store.by_id(connection, row)
        if message.subject:
            log.error(
                "token_message_failed",
                serial=message.subject,
                template=message.template,
                outbox=row,
                reason=reason,
            )
    return moved
