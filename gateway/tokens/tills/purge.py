"""Forgetting what a till has paid a customer on days that are over."""

from collections.abc import Sequence
from datetime import date, timedelta
from functools import partial

from sqlalchemy import Connection

from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.tokens.tills import store

KEEP_DAYS = timedelta(days=3)  # only today counts; the rest is for an operator who looks
BATCH = 500


def forget_days(database: Database, clock: Clock) -> int:
    """Forget the days before that; how many customers' days. Raises `TryAgain`."""
    before, forgotten = clock.now().date() - KEEP_DAYS, 0
    while True:
        with database.snapshot() as connection:
            past = store.past(connection, before, BATCH)
        forgotten += database.run(partial(_forget, past)) if past else 0
        if len(past) < BATCH:
            return forgotten


def _forget(keys: Sequence[tuple[int, str, date]], connection: Connection) -> int:
    return store.forget(connection, keys)
