"""Settling callbacks that wait: for an order to learn its names, or for the database."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

import structlog
from sqlalchemy import Connection

from gateway.clock import Clock
from gateway.database.engine import Database, Deadline
from gateway.deposits.callbacks import store
from gateway.deposits.callbacks.masking import HIDDEN
from gateway.deposits.callbacks.store import TRIED_FOR, Became, Kept
from gateway.deposits.settle import Settler
from gateway.deposits.store import Deposit
from gateway.errors import CommitUnknown, DuplicateKey, TryAgain
from gateway.providers.base.messages import Callback, Dialect, Kind, Malformed, Notice

log = structlog.get_logger()

BATCH = 100
SECONDS_MAX = 5.0


class Rematcher:
    """Reads stored callbacks again; they were authenticated when they came."""

    def __init__(self, settler: Settler, dialects: Sequence[Dialect]) -> None:
        self._settler = settler
        self._dialects = dialects

    def order(self, connection: Connection, order: Deposit, now: datetime) -> int:
        """Settle what waits for an order under the names it has now; how many callbacks."""
        names = (order.reference, order.known_as or "")
        waiting = store.waiting_for(connection, order.provider, order.provider_ref or "", names)
        return sum(self._settle(connection, kept, now) for kept in waiting)

    def kept(self, database: Database, clock: Clock) -> int:
        """Settle what could only be stored when it came; how many. One that fails stays."""
        settled, after = 0, 0
        database.run(lambda c: _give_up(c, clock.now() - TRIED_FOR), keyed=True)
        while True:
            since = clock.now() - TRIED_FOR
            with database.snapshot() as connection:
                batch = store.unsettled(connection, since, after, BATCH)
            for one in batch:
                work = partial(self._again, one, clock)
                try:
                    settled += database.run(work, deadline=Deadline(SECONDS_MAX), keyed=True)
                except Exception as error:  # noqa: BLE001 - it must not hold up those behind it
                    foreseen = isinstance(error, (TryAgain, CommitUnknown, DuplicateKey))
                    say = log.error if foreseen else log.exception
                    say("callback_still_kept", callback=one.id, error=type(error).__name__)
            if len(batch) < BATCH:
                return settled
            after = batch[-1].id

    def _again(self, kept: Kept, clock: Clock, connection: Connection) -> bool:
        return self._settle(connection, kept, clock.now())

    def _settle(self, connection: Connection, kept: Kept, now: datetime) -> bool:
        arrival = kept.arrival
        dialect = next(
            (
                one
                for one in self._dialects
                if one.path == arrival.dialect and arrival.part in one.parts
            ),
            None,
        )
        notice = None if dialect is None else _notice(dialect, kept)
        if dialect is None or notice is None or notice.kind is Kind.QUESTION:
            return False
        if HIDDEN in notice.txn_id + notice.provider_ref:
            log.error("callback_without_its_id", callback=kept.id)  # it was taken for a token
            return False
        became = self._settler.again(connection, kept, dialect.trust, notice, now)
        return became is not Became.UNMATCHED


def _give_up(connection: Connection, before: datetime) -> None:
    """Tell, once, of what nobody could settle in all that time; it stays listed."""
    for one in store.kept_before(connection, before):
        if store.move(connection, one, Became.KEPT.value, Became.GIVEN_UP):
            log.error("callback_given_up", callback=one)


def _notice(dialect: Dialect, kept: Kept) -> Notice | None:
    arrival = kept.arrival
    callback = Callback(
        part=arrival.part,
        headers=arrival.headers,
        body=arrival.body,
        address=arrival.address,
        received_at=arrival.received_at,
    )
    try:
        return dialect.parse(callback)
    except Malformed:
        return None
