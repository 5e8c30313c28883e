"""Disputes whose deadline has passed: listed and alarmed at every sweep until they are resolved."""

import structlog

from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.disputes import store

log = structlog.get_logger()

NAMED_MAX = 20  # in one line of the log


def alarm_overdue(database: Database, clock: Clock) -> int:
    """Say which disputes are overdue; how many. Raises `TryAgain`."""
    with database.snapshot() as connection:
        found = store.listed(connection, overdue_at=clock.now(), rows_max=1_000)
    if found:
        named = [dispute.reference for dispute in found[:NAMED_MAX]]
        log.error("disputes_overdue", count=len(found), references=named)
    return len(found)
