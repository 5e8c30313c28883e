"""Recording what came of a call, also when the database is away at that moment."""

from collections.abc import Callable
from datetime import datetime

import structlog
from sqlalchemy import Connection

from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.errors import CommitUnknown, TryAgain

log = structlog.get_logger()

# Records what came of a row.
Record = Callable[[Connection, datetime], None]


class Recorder:
    """Keeps an outcome until the database has taken it; one outcome at a time."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._unrecorded: tuple[Record, ...] = ()

    def record(self, *changes: Record) -> None:
        """Record an outcome by the first of the changes that the database does not refuse.

        Raises `TryAgain` or `CommitUnknown` when the database is away: `record_pending` goes on
        with it then. Raises what the last change raised when all of them are refused.
        """
        self._unrecorded = changes
        self.record_pending()

    def record_pending(self) -> None:
        """Record what an earlier `record` could not."""
        while self._unrecorded:
            change, *others = self._unrecorded
            try:
                self._make(change)
            except (TryAgain, CommitUnknown):
                raise
            except Exception as error:
                self._unrecorded = tuple(others)
                if not others:
                    raise
                log.error("outcome_not_recorded_in_full", error=type(error).__name__)
            else:
                self._unrecorded = ()

    def _make(self, change: Record) -> None:
        # Keyed by the lease and the before-state: repeating it changes nothing more.
        self._database.run(lambda connection: change(connection, self._clock.now()), keyed=True)
