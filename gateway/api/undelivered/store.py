"""SQL that finds failed messages of partners' tokens which no event tells of."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection, exists, literal, select

from gateway.ledger.store import FLOAT, HOUSE, accounts
from gateway.outbox.store import SMS, State, outbox
from gateway.partners.events.store import partner_events
from gateway.tokens.store import Status, tokens

TOLD = "undelivered:"  # begins an event's cause; that of the message follows


@dataclass(frozen=True, slots=True)
class Undelivered:
    """A token's message that failed for good, of a token that still waits to be redeemed."""

    cause: str  # of that message
    owner: str
    serial: str
    amount: Decimal
    currency: str
    issue_ref: str


def undelivered(
    connection: Connection, template: str, since: datetime, now: datetime, rows_max: int
) -> Sequence[Undelivered]:
    """Messages that failed since then and that no event tells of, oldest first."""
    event_cause = literal(TOLD).concat(outbox.c.cause)
    rows = connection.execute(
        select(
            outbox.c.cause,
            accounts.c.owner,
            tokens.c.serial,
            tokens.c.amount,
            tokens.c.currency,
            tokens.c.issue_ref,
        )
        .join(tokens, tokens.c.serial == outbox.c.subject)
        .join(accounts, accounts.c.id == tokens.c.funder_id)
        .where(
            outbox.c.line == SMS,
            outbox.c.state == State.FAILED.value,
            outbox.c.due_at >= since,  # of what failed: when it did
            outbox.c.template == template,
            accounts.c.kind == FLOAT,
            accounts.c.owner != HOUSE,
            tokens.c.status == Status.ISSUED.value,
            tokens.c.expires_at > now,
            ~exists().where(partner_events.c.cause == event_cause),
        )
        .order_by(outbox.c.id)
        .limit(rows_max)
    )
    return [Undelivered(*row) for row in rows]
