"""The task of a webhook: signed when it is sent, repeated for days, and never in others' way."""

import json
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import structlog
from sqlalchemy import Connection

from gateway.errors import (
    KeyMissing,
    OutcomeUnknown,
    Refused,
    SendFailed,
    Throttled,
    Unreachable,
)
from gateway.outbox.sending import NotWanted, NotYet
from gateway.outbox.store import Message
from gateway.outbox.tasks import Again, Work
from gateway.partners.endpoints import manage, queueing, signing, store
from gateway.partners.endpoints.seal import Seal
from gateway.partners.endpoints.store import Endpoint
from gateway.partners.endpoints.waiting import store as waiting
from gateway.partners.events import feed
from gateway.partners.events import store as events
from gateway.partners.events.store import Event
from gateway.partners.webhook import Outside, Taken

log = structlog.get_logger()

# How long after each failed try the next one follows: together a little more than three days.
RETRIES = (
    timedelta(seconds=5),
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=14),
    timedelta(hours=20),
    timedelta(hours=24),
)
GIVEN_UP_AFTER = timedelta(days=4)  # an event that old has waited for an endpoint long enough
TRIES_MIN = 3  # before an old event is given up
REST_FIRST, REST_MAX = timedelta(seconds=5), timedelta(minutes=5)
SLOW_SECONDS = 3.0  # an endpoint that takes longer is called one at a time, with rests
SLOW_REST = 4  # times as long as the call took
PROBE_WAIT = timedelta(seconds=5)  # between looks whether a troubled endpoint is free
USER_AGENT = "token-gateway-webhooks/1"


class TellTask:
    """Tells a partner of one event; receivers know a repeat by its webhook-id."""

    repeatable = True

    def __init__(self, outside: Outside, seal: Seal) -> None:
        self._outside = outside
        self._seal = seal

    def begin(self, connection: Connection, message: Message, now: datetime) -> Work | None:
        """The call, unless the endpoint is off, or rests."""
        endpoint = store.of_owner(connection, message.subject)
        if endpoint is None or not endpoint.is_on:
            raise NotWanted("the endpoint is off")
        _insist_free(connection, endpoint, message, now)
        event = _event(connection, message)
        body = json.dumps(feed.shown(event), separators=(",", ":")).encode()
        try:
            keys = manage.open_secrets(connection, self._seal, endpoint, now)
        except KeyMissing as error:
            log.error("key_missing", outbox=message.id, error=str(error))
            raise NotYet(str(error)) from None
        headers = {
            **signing.headers(feed.name(event), now, body, keys),
            "content-type": "application/json",
            "user-agent": USER_AGENT,
        }
        return partial(self._outside.post, endpoint.url, headers, body)

    def done(
        self, connection: Connection, message: Message, result: Any, now: datetime
    ) -> Again | None:
        """It was taken: whatever waited for the endpoint may follow, unless that is slow."""
        if not isinstance(result, Taken):
            raise TypeError("a webhook is answered with whether it was taken")
        endpoint = store.of_owner(connection, message.subject, locked=True)
        if endpoint is None:
            return None
        if result.seconds > SLOW_SECONDS:
            _rest(connection, endpoint, SLOW_REST * timedelta(seconds=result.seconds), 0, now)
        elif endpoint.failures or endpoint.rests_until is not None:
            store.change(connection, endpoint.id, now, failures=0, rests_until=None)
            waiting.let_go(connection, endpoint.owner, now)
        queueing.bring(connection, endpoint.owner, now)
        return None

    def failed(
        self, connection: Connection, message: Message, failure: SendFailed, now: datetime
    ) -> Again | None:
        """Gone switches the endpoint off; all else is tried again, for days."""
        endpoint = store.of_owner(connection, message.subject, locked=True)
        if endpoint is None:
            return None
        if isinstance(failure, Refused):
            manage.gone(connection, endpoint, failure.reason, now)
            return None
        rested = _rested(connection, endpoint, failure, now)
        wait = _wait(message, _found(connection, message), now)
        if wait is None:
            # Said aloud: the partner reads it from its events, or has it sent again.
            log.error(
                "webhook_failed", owner=endpoint.owner, outbox=message.id, reason=failure.reason
            )
            queueing.bring(connection, endpoint.owner, now)
            return None
        return Again(max(now + wait, rested), failure.reason)

    def lost(self, connection: Connection, message: Message, now: datetime) -> Again | None:
        """It may have been told: that does no harm twice."""
        return Again(now, "its worker was lost")


def _insist_free(
    connection: Connection, endpoint: Endpoint, message: Message, now: datetime
) -> None:
    """Raise `NotYet` while a troubled endpoint rests, or is being tried by another row."""
    rests_until = endpoint.rests_until
    if rests_until is None:
        return
    if rests_until > now:
        raise NotYet("the endpoint rests", rests_until - now)
    if waiting.others_under_way(connection, endpoint.owner, message.id):
        raise NotYet("the endpoint is being tried", PROBE_WAIT)


def _rested(
    connection: Connection, endpoint: Endpoint, failure: SendFailed, now: datetime
) -> datetime:
    """Let an endpoint rest that gave no answer, or asks for it; until when, or now."""
    if isinstance(failure, Unreachable | OutcomeUnknown):
        failures = endpoint.failures + 1
        rest = min(REST_MAX, REST_FIRST * (1 << min(failures - 1, 8)))
        return _rest(connection, endpoint, rest, failures, now)
    if isinstance(failure, Throttled) and failure.retry_after:
        return _rest(connection, endpoint, timedelta(seconds=failure.retry_after), 0, now)
    if endpoint.failures:  # an answer, if no good one: it is there
        store.change(connection, endpoint.id, now, failures=0, rests_until=None)
    return now


def _rest(
    connection: Connection, endpoint: Endpoint, rest: timedelta, failures: int, now: datetime
) -> datetime:
    until = now + rest
    store.change(connection, endpoint.id, now, failures=failures, rests_until=until)
    waiting.put_off(connection, endpoint.owner, until)
    return until


def _wait(message: Message, event: Event | None, now: datetime) -> timedelta | None:
    """How long until the next try; None: it was tried for long enough."""
    tries = message.attempts
    is_old = event is None or now - event.at > GIVEN_UP_AFTER
    is_old = is_old and message.template == queueing.TELL
    if tries > len(RETRIES) or (is_old and tries >= TRIES_MIN):
        return None
    return RETRIES[tries - 1]


def _event(connection: Connection, message: Message) -> Event:
    found = _found(connection, message)
    if found is None:
        raise NotWanted("the event is forgotten")
    return found


def _found(connection: Connection, message: Message) -> Event | None:
    return events.by_id(connection, int(message.details[queueing.EVENT]))
