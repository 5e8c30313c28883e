"""Forgetting the callbacks of long ago, in batches: they hold names and phones of payers."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from sqlalchemy import Connection

from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.deposits.callbacks import store
from gateway.deposits.callbacks.store import NEEDED, Became

BATCH = 500


def forget_old(database: Database, clock: Clock, days: int) -> int:
    """Delete what came more than so many days ago and is settled; how many.

    The deposit keeps the carrier's id, the amount and the times. Raises `TryAgain`.
    """
    before = clock.now() - timedelta(days=days)
    forgotten = 0
    for became in Became:
        while became not in NEEDED:
            with database.snapshot() as connection:
                old = store.old(connection, became, before, BATCH)
            forgotten += database.run(partial(_forget, old)) if old else 0
            if len(old) < BATCH:
                break
    return forgotten


def _forget(rows: Sequence[int], connection: Connection) -> int:
    return store.forget(connection, rows)
