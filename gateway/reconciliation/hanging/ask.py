"""Asking every provider about what hangs, through the outbox and by this process itself."""

from collections.abc import Callable, Iterator
from datetime import datetime
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

    def __init__(self, database: Database, clock: Clock, runner: Callable[[], Runs]) -> None:
        self._database = database
        self._clock = clock
        self._runner = runner

    def about_deposits(self, provider: str, before: datetime, tell: Tell) -> Asked:
        """Orders that are still pending; what contradicts our books is told for an operator."""
        page = _orders(provider, before)
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
        runner, done = self._runner(), 0
        while asked and runner.run_next():
            done += 1
            if done % TOLD_EVERY == 0:
                tell(f"{done:,} questions asked")
        left = list(self._all(page))
        return asked, max(0, asked - len(left)), left

    def _all(self, page: Page) -> Iterator[Hanging]:
        above = 0
        while True:
            with self._database.snapshot() as connection:
                found = page(connection, above, AT_ONCE)
            yield from found
            if len(found) < AT_ONCE:
                return
            above = found[-1].id


def _orders(provider: str, before: datetime) -> Page:
    return lambda c, above, most: store.orders(c, provider, before, above, most)


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
