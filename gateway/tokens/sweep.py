"""Housekeeping of tokens: expire what is overdue, and set the breaker from what is live."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

import structlog
from sqlalchemy import Connection

from gateway.clock import Clock
from gateway.database.engine import Database, Deadline
from gateway.errors import CommitUnknown, TryAgain
from gateway.switches.restores.returns import UnderRestore
from gateway.tokens import code, store
from gateway.tokens.guesses import limits
from gateway.tokens.guesses import store as guesses_store
from gateway.tokens.retire import FunderClosed, Retirer

log = structlog.get_logger()

BATCH = 200
EXPIRE_SECONDS_MAX = 5.0  # one locked token holds a sweep up no longer than that
KEEP_COUNTERS = timedelta(days=2)


def expire_overdue(database: Database, retirer: Retirer, clock: Clock) -> int:
    """Expire every overdue token, each in its own transaction; how many.

    Two sweeps at once share the work: the state change decides which of them did it, and makes a
    repeat safe. A token that cannot expire now is passed over with an alarm: the others must not
    wait behind it for ever. While a restore is under way all wait. Raises `TryAgain` when the
    database cannot be read.
    """
    expired = 0
    passed_over: set[int] = set()
    while True:
        now = clock.now()
        with database.snapshot() as connection:
            overdue = store.overdue(connection, now, BATCH, passed_over)
        stuck = False
        for token_id in overdue:
            work = partial(_expire, retirer, token_id, now)
            try:
                expired += database.run(work, deadline=Deadline(EXPIRE_SECONDS_MAX), keyed=True)
            except UnderRestore as error:
                log.warning("expire_waits", reason=str(error))
                return expired
            except (FunderClosed, TryAgain, CommitUnknown) as error:
                log.error("expire_refused", token_id=token_id, reason=str(error))
                passed_over.add(token_id)
                stuck = not isinstance(error, FunderClosed)
            if stuck:
                break  # reading the rest again ends the sweep if it is the database that is away
        if not stuck and len(overdue) < BATCH:
            return expired


def _expire(retirer: Retirer, token_id: int, now: datetime, connection: Connection) -> bool:
    return retirer.expire(connection, token_id, now)


def recount_breaker(database: Database, clock: Clock) -> int:
    """Set the breaker's budget; how many live unbound 11-digit tokens it is for."""
    with database.snapshot() as connection:
        live = store.live_unbound(connection, code.SHORT)
    database.run(lambda connection: limits.recount(connection, live, clock.now()))
    return live


def purge_counters(database: Database, clock: Clock) -> int:
    """Forget sources that have been quiet for long; how many."""
    before, forgotten = clock.now() - KEEP_COUNTERS, 0
    while True:
        # A plain read, because a DELETE that looks for its rows locks the hottest there are.
        with database.snapshot() as connection:
            sources = guesses_store.quiet(connection, before, BATCH)
        batch = database.run(partial(_purge, sources, before)) if sources else 0
        forgotten += batch
        if batch < BATCH:
            return forgotten


def _purge(sources: Sequence[str], before: datetime, connection: Connection) -> int:
    return guesses_store.purge(connection, sources, before)
