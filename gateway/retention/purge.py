"""Forgetting what is old, in batches that hold nobody up; two sweeps at once share the work."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import Connection

from gateway.chores import Chore
from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.outbox.store import State
from gateway.retention import store
from gateway.settings.keeping import Keeping

BATCH = 500

Find = Callable[[Connection, datetime, int], Sequence[int]]
Forget = Callable[[Connection, Sequence[int]], int]


class Purger:
    """Forgets by age; each kind on its own, so that one that fails holds up no other."""

    def __init__(self, database: Database, clock: Clock, keeping: Keeping) -> None:
        self._database = database
        self._clock = clock
        self._keeping = keeping

    def chores(self) -> dict[str, Chore]:
        """Its part of `gateway sweep`."""
        return {
            "messages_purged": self.messages,
            "inbound_sms_purged": partial(self._aged, "inbound_sms", self._keeping.messages),
            "reports_purged": partial(self._aged, "delivery_reports", self._keeping.messages),
            "requests_purged": partial(self._aged, "api_requests", self._keeping.requests),
            "events_purged": self.events,
        }

    def messages(self) -> int:
        """Forget messages and tasks that ended long ago; how many."""
        return sum(
            self._all(
                self._keeping.messages,
                partial(_messages, line, state),
                partial(store.forget_messages, state=state),
            )
            for line in store.FORGOTTEN_LINES
            for state in store.OVER
        )

    def events(self) -> int:
        """Forget what partners have read or could have; how many."""
        with self._database.snapshot() as connection:
            owners = store.owners(connection)
        forget = partial(_forget, "partner_events")
        return sum(
            self._all(self._keeping.events, partial(_events, owner), forget) for owner in owners
        )

    def _aged(self, name: str, days: int) -> int:
        return self._all(days, partial(_aged, name), partial(_forget, name))

    def _all(self, days: int, find: Find, forget: Forget) -> int:
        before, forgotten = self._clock.now() - timedelta(days=days), 0
        while True:
            with self._database.snapshot() as connection:
                rows = find(connection, before, BATCH)
            if rows:
                forgotten += self._database.run(partial(_call, forget, rows))
            if len(rows) < BATCH:
                return forgotten


def _call(forget: Forget, rows: Sequence[int], connection: Connection) -> int:
    return forget(connection, rows)


def _aged(name: str, connection: Connection, before: datetime, rows_max: int) -> Sequence[int]:
    return store.aged(connection, name, before, rows_max)


def _messages(
    line: str, state: State, connection: Connection, before: datetime, rows_max: int
) -> Sequence[int]:
    return store.messages(connection, line, state, before, rows_max)


def _events(owner: str, connection: Connection, before: datetime, rows_max: int) -> Sequence[int]:
    return store.events(connection, owner, before, rows_max)


def _forget(name: str, connection: Connection, rows: Sequence[int]) -> int:
    return store.forget(connection, name, rows)
