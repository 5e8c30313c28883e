"""Asking every provider about what hangs, through the outbox and by this process itself."""

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Protocol

from sqlalchemy import Connection

from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.deposits import asks
from gateway.deposits import store as deposits
from gateway.reconciliation.hanging import store
from gateway.reconciliation.hanging.store import Hanging
from gateway.reconciliation.run import PARKED, UNKNOWN, Asked
from gateway.reconciliation.runs.store import Finding
from gateway.reconciliation.statements.importing import Tell
from gateway.withdrawals import payout
from gateway.withdrawals import store as withdrawals

# A provider may put the first question of a process off: a session is not live at once.
PATIENCE = timedelta(seconds=60)
A_MOMENT = timedelta(seconds=1)  # a worker has the question just now
FAILED_LATELY = timedelta(days=3)  # as long as an order is asked about that did not fail
AT_ONCE = 200
TOLD_EVERY = 50

# Some of what hangs, above an id.
Page = Callable[[Connection, int, int], list[Hanging]]
Ask = Callable[[Connection, Hanging, datetime], None]


class Runs(Protocol):
    """Runs due rows of the outbox's line of questions."""

    def run_next(self) -> bool:
        """Run one; False when none is due."""


class Asking:
    """The questions of a nightly run. Workers may answer them too: each is asked once."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        runner: Callable[[], Runs],
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._database = database
        self._clock = clock
        self._runner = runner
        self._pause = pause

    def about_deposits(self, provider: str, before: datetime, tell: Tell) -> Asked:
        """Orders that are pending or failed lately; what contradicts our books is told."""
        page = _orders(provider, before, self._clock.now() - FAILED_LATELY)
        asked, settled, _ = self._ask(page, _ask_order, tell)
        parked = self._all(_parked(provider))
        return Asked(asked, settled, [_finding(PARKED, found) for found in parked])

    def about_withdrawals(self, provider: str, before: datetime, tell: Tell) -> Asked:
        """Payouts of unknown outcome: never failed by age, still held while nobody knows."""
        asked, settled, left = self._ask(_payouts(provider, before), _ask_payout, tell)
        return Asked(asked, settled, [_finding(UNKNOWN, found) for found in left])

    def _ask(self, page: Page, ask: Ask, tell: Tell) -> tuple[int, int, list[Hanging]]:
        asked = 0
        for found in self._all(page):
            self._database.run(partial(_asked, ask, found, self._clock.now()))
            asked += 1
        runner, done, put_off = self._runner(), 0, timedelta()
        while asked:
            while runner.run_next():
                done += 1
                if done % TOLD_EVERY == 0:
                    tell(f"{done:,} questions asked")
            wait = self._until_next(list(self._all(page)))
            if wait is None or put_off + wait > PATIENCE:
                break
            put_off += wait
            self._pause(wait.total_seconds())
        left = list(self._all(page))
        return asked, max(0, asked - len(left)), left

    def _until_next(self, left: Sequence[Hanging]) -> timedelta | None:
        """How long to wait for a question that was put off; None: nothing is asked so soon."""
        now, soonest = self._clock.now(), None
        for first in range(0, len(left), AT_ONCE):
            names = [found.reference for found in left[first : first + AT_ONCE]]
            with self._database.snapshot() as connection:
                due = store.next_question(connection, names, now + PATIENCE)
            soonest = due if soonest is None else min(soonest, due or soonest)
        return None if soonest is None else max(soonest - now, A_MOMENT)

    def _all(self, page: Page) -> Iterator[Hanging]:
        above = 0
        while True:
            with self._database.snapshot() as connection:
                found = page(connection, above, AT_ONCE)
            yield from found
            if len(found) < AT_ONCE:
                return
            above = found[-1].id


def _orders(provider: str, before: datetime, failed_since: datetime) -> Page:
    return lambda c, above, most: store.orders(c, provider, before, failed_since, above, most)


def _payouts(provider: str, before: datetime) -> Page:
    return lambda c, above, most: store.payouts(c, provider, before, above, most)


def _parked(provider: str) -> Page:
    return lambda c, above, most: store.parked(c, provider, above, most)


def _asked(ask: Ask, found: Hanging, now: datetime, connection: Connection) -> None:
    ask(connection, found, now)


def _ask_order(connection: Connection, found: Hanging, now: datetime) -> None:
    order = deposits.locked(connection, found.id)
    if order.is_open:
        asks.now(connection, order, now)


def _ask_payout(connection: Connection, found: Hanging, now: datetime) -> None:
    withdrawal = withdrawals.by_reference(connection, found.reference)
    if withdrawal is not None and withdrawal.state == withdrawals.State.HELD:
        payout.queue_hint(connection, withdrawal, now)


def _finding(kind: str, found: Hanging) -> Finding:
    return Finding(
        kind,
        found.provider,
        found.txn_id or "",
        found.reference,
        ours=found.amount,
        note=found.why or "",
    )
