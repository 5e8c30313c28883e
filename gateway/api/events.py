"""What partners are told of their tokens: written with the change, listed, and sent again."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any, Final

from sqlalchemy import Connection

from gateway.api.lists import Span
from gateway.api.tokens import NotFound
from gateway.api.undelivered import store as undelivered
from gateway.api.undelivered.store import TOLD, Undelivered
from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.errors import BadInput
from gateway.formats import money
from gateway.ledger import store as ledger_store
from gateway.ledger.store import FLOAT, HOUSE
from gateway.partners.access.keys import Access
from gateway.partners.endpoints import queueing
from gateway.partners.events import feed, store
from gateway.tokens import store as tokens
from gateway.tokens.changes import Ended
from gateway.tokens.issue import DELIVERY
from gateway.tokens.store import Status

LOOKED_BACK = timedelta(days=3)  # after the failure: longer than any outage of the worker
LOOK_SECONDS = 60  # how often a worker looks for messages that failed
NUMBER_SECONDS = 2  # how often a worker numbers events and queues their webhooks
BATCH = 100
REPLAYED_MAX = 500  # events of one request
KINDS: Final[Mapping[Status, str]] = {
    Status.REDEEMED: feed.REDEEMED,
    Status.EXPIRED: feed.EXPIRED,
    Status.CANCELLED: feed.CANCELLED,
}


class Listener:
    """Writes an event for each end of a token that a partner's float has paid for."""

    def __init__(self) -> None:
        # By funder, None: the house. What an account is never changes, and floats are few; a
        # redemption of the house's tokens costs a look into here.
        self._owners: dict[int, str | None] = {}

    def heard(self, connection: Connection, token: Ended, end: Status, now: datetime) -> None:
        """A token has ended, in this transaction."""
        owner = self._owner(connection, token.funder_id)
        if owner is None:
            return
        found = tokens.by_id(connection, token.id)
        details = _details(found.amount, found.currency, found.issue_ref)
        cause = f"{KINDS[end]}:{found.serial}"
        store.add(connection, owner, KINDS[end], found.serial, cause, now, details)

    def _owner(self, connection: Connection, funder_id: int) -> str | None:
        try:
            return self._owners[funder_id]
        except KeyError:
            funder = ledger_store.by_id(connection, funder_id)
        is_partners = funder.kind == FLOAT and funder.owner != HOUSE
        owner = self._owners[funder_id] = funder.owner if is_partners else None
        return owner


def tell_undelivered(database: Database, clock: Clock) -> int:
    """Write an event for each failure that no event tells of; how many.

    The failure stands in the outbox, so that none is lost; each cause is told once, whoever looks.
    """
    since, told = clock.now() - LOOKED_BACK, 0
    while True:
        with database.snapshot() as connection:
            found = undelivered.undelivered(connection, DELIVERY, since, clock.now(), BATCH)
        told += database.run(partial(_tell, found, clock.now())) if found else 0
        if len(found) < BATCH:
            return told


def _tell(found: Sequence[Undelivered], now: datetime, connection: Connection) -> int:
    told = 0
    for one in found:
        cause = f"{TOLD}{one.cause}"
        if store.has_cause(connection, cause):
            continue
        details = _details(one.amount, one.currency, one.issue_ref)
        store.add(connection, one.owner, feed.UNDELIVERED, one.serial, cause, now, details)
        told += 1
    return told


def number(connection: Connection, access: Access) -> None:
    """Number the partner's events before they are listed, in a unit of work of its own."""
    feed.number(connection, access.owner)


def page(
    connection: Connection, access: Access, *, after: int, limit: int, span: Span
) -> Mapping[str, Any]:
    """Events behind a number, oldest first; `next` is what to ask `after` the next time.

    Raises `BadInput` for an `after` that was never given out.
    """
    if after > store.last_seq(connection, access.owner):
        raise BadInput("after: no event of this partner has such a number yet")
    found = store.page(connection, access.owner, after, limit + 1, span.since, span.until)
    given = found[:limit]
    return {
        "events": [feed.shown(event) for event in given],
        "next": given[-1].seq if given else after,
        "more": len(found) > limit,
    }


def replay(connection: Connection, access: Access, seq: int, now: datetime) -> Mapping[str, Any]:
    """Send one event's webhook again. Raises `NotFound`, `NoEndpoint`, `TooManyReplays`."""
    event = store.by_seq(connection, access.owner, seq)
    if event is None:
        raise NotFound("this partner has no event with this number")
    queueing.again(connection, access.owner, [event], now)
    return {"queued": 1}


def replay_between(
    connection: Connection, access: Access, since: datetime, until: datetime, now: datetime
) -> Mapping[str, Any]:
    """Send the webhooks of a time again, in their order; `until` is the first instant that is not.

    Raises `BadInput`, `NoEndpoint`, `TooManyReplays`.
    """
    found = store.page(connection, access.owner, 0, REPLAYED_MAX + 1, since, until)
    if len(found) > REPLAYED_MAX:
        raise BadInput(f"more than {REPLAYED_MAX} events: ask for a shorter time")
    queueing.again(connection, access.owner, found, now)
    return {"queued": len(found)}


def _details(amount: Decimal, currency: str, issue_ref: str) -> Mapping[str, str]:
    """What a partner knows of its token; who was paid is not its business."""
    return {"amount": money.plain(amount), "currency": currency, "issue_ref": issue_ref}
