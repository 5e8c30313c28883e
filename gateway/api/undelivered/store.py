"""SQL that finds failed messages of partners' tokens which no event tells of."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection, exists, literal

from gateway.ledger.store import FLOAT, HOUSE, accounts
from gateway.outbox.store import outbox
from gateway.partners.events.store import partner_events
from gateway.tokens.senders.store import failed
from gateway.tokens.store import tokens

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
    query = failed(
        (
            outbox.c.cause,
            accounts.c.owner,
            tokens.c.serial,
            tokens.c.amount,
            tokens.c.currency,
            tokens.c.issue_ref,
        ),
        template,
        since,
        now,
        accounts.c.kind == FLOAT,
        accounts.c.owner != HOUSE,
        ~exists().where(partner_events.c.cause == event_cause),
    )
    return [Undelivered(*row) for row in connection.execute(query.limit(rows_max))]
