"""Telling senders of tokens whose SMS failed for good: nobody else would (S1)."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from sqlalchemy import Connection

from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.tokens import notices
from gateway.tokens.issue import DELIVERY
from gateway.tokens.senders import store
from gateway.tokens.senders.store import Undelivered

LOOKED_BACK = timedelta(days=3)  # after the failure: longer than any outage of the worker
BATCH = 100
LOOK_SECONDS = 60  # how often a worker looks


def tell_senders(database: Database, clock: Clock) -> int:
    """Queue one SMS for each failure that its token's sender has not been told of; how many.

    Tokens that the house or a partner has paid for have no sender who reads SMS: for those the
    outbox's alarm stands. Two at once share the work: the cause of each SMS is unique.
    """
    since, told = clock.now() - LOOKED_BACK, 0
    while True:
        with database.snapshot() as connection:
            failed = store.undelivered(connection, DELIVERY, since, clock.now(), BATCH)
        told += database.run(partial(_tell, failed, clock)) if failed else 0
        if len(failed) < BATCH:
            return told


def _tell(failed: Sequence[Undelivered], clock: Clock, connection: Connection) -> int:
    now = clock.now()
    return sum(notices.tell_undelivered(connection, one, now) for one in failed)
