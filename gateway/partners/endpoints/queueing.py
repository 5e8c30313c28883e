"""Bringing numbered events into the outbox: in their order, and few at a time for one endpoint."""

import secrets
from collections.abc import Sequence
from datetime import datetime
from functools import partial

from sqlalchemy import Connection

from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.errors import BadInput
from gateway.outbox import queue
from gateway.outbox.tasks import PROVIDER, WEBHOOK
from gateway.partners.endpoints import store
from gateway.partners.endpoints.store import Endpoint
from gateway.partners.endpoints.waiting import store as waiting
from gateway.partners.events import feed
from gateway.partners.events import store as events
from gateway.partners.events.store import Event

TELL, TELL_AGAIN = "partner_event", "partner_event_again"  # templates of the outbox
EVENT = "event"  # the detail that names the event's row
WINDOW = 20  # of one endpoint's events in the outbox: a dead one holds up nobody else's
FRESH_TRIES = 3  # what an endpoint that answers has refused so often is not waited for
AGAIN_MAX = 1000  # replays of one endpoint that wait


class NoEndpoint(BadInput):
    """The partner has no endpoint that is on."""


class TooManyReplays(BadInput):
    """So many replays wait that no more are taken."""


def advance(database: Database, clock: Clock) -> int:
    """Number what is not numbered yet and queue what can be; how many events were numbered.

    Each partner in a unit of work of its own. Two at once share the work.
    """
    with database.snapshot() as connection:
        unnumbered = events.owners_unnumbered(connection)
        behind = store.behind(connection)
    numbered = sum(database.run(partial(_advance, owner, clock)) for owner in unnumbered)
    for owner in set(behind) - set(unnumbered):
        database.run(partial(bring, owner=owner, now=clock.now()))
    return numbered


def _advance(owner: str, clock: Clock, connection: Connection) -> int:
    numbered = feed.number(connection, owner)
    bring(connection, owner, clock.now())
    return numbered


def bring(connection: Connection, owner: str, now: datetime) -> int:
    """Queue the next events for an endpoint, as far as there is room; how many."""
    endpoint = store.of_owner(connection, owner, locked=True)
    if endpoint is None or not endpoint.is_on:
        return 0
    tries_below = None if endpoint.failures else FRESH_TRIES
    room = WINDOW - waiting.count(connection, owner, TELL, tries_below)
    if room <= 0:
        return 0
    found = events.page(connection, owner, endpoint.queued_seq, room)
    for event in found:
        _add(connection, endpoint, event, TELL, f"webhook:{feed.name(event)}", now)
    if found:
        store.change(connection, endpoint.id, now, queued_seq=found[-1].seq)
    return len(found)


def again(connection: Connection, owner: str, found: Sequence[Event], now: datetime) -> None:
    """Queue events once more, whatever became of them. Raises `NoEndpoint`, `TooManyReplays`."""
    endpoint = store.of_owner(connection, owner)
    if endpoint is None or not endpoint.is_on:
        raise NoEndpoint("no endpoint for webhooks is on: events can be read all the same")
    if waiting.count(connection, owner, TELL_AGAIN) + len(found) > AGAIN_MAX:
        raise TooManyReplays(f"at most {AGAIN_MAX} replays wait at once")
    act = secrets.token_hex(8)
    for event in found:
        _add(connection, endpoint, event, TELL_AGAIN, f"again:{act}:{feed.name(event)}", now)


def _add(
    connection: Connection,
    endpoint: Endpoint,
    event: Event,
    template: str,
    cause: str,
    now: datetime,
) -> None:
    owner = endpoint.owner
    due = now if endpoint.rests_until is None else max(now, endpoint.rests_until)
    # Its own name in the place of a provider's: calls that never end hold up its own alone.
    details = {EVENT: str(event.id), PROVIDER: f"partner:{owner}"}
    queue.add(connection, cause, template, owner, "", "", now, details, line=WEBHOOK, due_at=due)
