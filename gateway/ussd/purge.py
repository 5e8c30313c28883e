"""Forgetting dialogues that nobody can continue any more, in batches that hold nobody up."""

from datetime import timedelta

from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.ussd import journal

KEEP_SESSIONS = timedelta(hours=24)
BATCH = 500


def forget_old(database: Database, clock: Clock) -> int:
    """Forget every dialogue that began more than a day ago, and its replies; how many."""
    before = clock.now() - KEEP_SESSIONS
    forgotten = 0
    while True:
        batch = database.run(lambda connection: journal.purge(connection, before, BATCH))
        forgotten += batch
        if batch < BATCH:
            return forgotten
