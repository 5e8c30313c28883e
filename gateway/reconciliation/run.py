"""The nightly run: ask about what hangs, compare, prove the books; reported, never repaired."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import islice
from zoneinfo import ZoneInfo

import structlog
from sqlalchemy import Connection

from gateway.clock import Clock
from gateway.database.alone import Alone, alone
from gateway.database.engine import Database
from gateway.deposits.callbacks.open import store as callbacks
from gateway.deposits.callbacks.open.store import Told
from gateway.errors import BadInput
from gateway.formats.digits import hidden
from gateway.ledger.invariants import check
from gateway.ledger.invariants.check import Invariant
from gateway.ledger.reports.liabilities import liabilities
from gateway.ledger.reports.store import balances
from gateway.ledger.store import SETTLEMENT
from gateway.reconciliation.compare import store as compare
from gateway.reconciliation.compare.store import BANK, Window
from gateway.reconciliation.runs import store
from gateway.reconciliation.runs.store import CLEAN, EVERYTHING, Finding, Run
from gateway.reconciliation.statements import store as statements
from gateway.reconciliation.statements.importing import Tell

log = structlog.get_logger()

JOB = "reconcile"
HANGS_AFTER = timedelta(minutes=30)
# What happened so shortly before midnight may stand in the next day's statement: the next run has
# it, because each looks back as far.
MIDNIGHT = timedelta(minutes=15)
FINDINGS_AT_ONCE = 500
NO_STATEMENT, BOOKS, UNCOVERED, TRUST = "no_statement", "books", "uncovered", "trust_account"
UNKNOWN, PARKED, CALLBACK = "unknown", "parked", "callback"
STORED_WITHIN = timedelta(seconds=10)  # of its arrival a callback is in the table, if at all


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of asking the providers; `open` names what nobody could tell."""

    asked: int = 0
    settled: int = 0
    open: Sequence[Finding] = ()


# Asks about everything of a provider ("": of all) that hangs since before an instant.
Asker = Callable[[str, datetime, Tell], Asked]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run covers and who wants it."""

    day: date
    provider: str  # "": all of them
    actor: str


class Reconciler:
    """Runs the reconciliation; one at a time, whatever process it runs in."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        zone: ZoneInfo,
        invariants: Sequence[Invariant],
        askers: Mapping[str, Asker],
    ) -> None:
        self._database = database
        self._clock = clock
        self.zone = zone
        self._invariants = invariants
        self._askers = askers

    def yesterday(self) -> date:
        """The local day that a run after midnight is for."""
        return self._clock.now().astimezone(self.zone).date() - timedelta(days=1)

    def run(self, plan: Plan, tell: Tell) -> Run:
        """Do one run and record it; one of a day that is not over yet releases nothing.

        Raises `Busy` when another one lives, `BadInput` for a day to come, `TryAgain`.
        """
        if plan.day > self.yesterday() + timedelta(days=1):
            raise BadInput(f"{plan.day} has not begun yet")
        with alone(self._database, JOB) as lock:
            now = self._clock.now()
            number = self._database.run(
                lambda c: store.begin(c, plan.day, plan.provider, plan.actor, now)
            )
            asked = self._ask(plan, now, tell, lock)
            found = 0
            for finding in self._findings(plan, asked, number, tell, lock):
                found += finding
            self._database.run(
                lambda c: store.finish(
                    c, number, asked.asked, asked.settled, found, self._clock.now()
                ),
                keyed=True,
            )
        if found:
            log.error("reconciliation_findings", run=number, findings=found)
        return self._database.run(lambda c: store.by_id(c, number))

    def _ask(self, plan: Plan, now: datetime, tell: Tell, lock: Alone) -> Asked:
        answers = []
        for name, asker in self._askers.items():
            tell(f"asking about {name}")
            answers.append(asker(plan.provider, now - HANGS_AFTER, tell))
            lock.insist()
        return Asked(
            sum(answer.asked for answer in answers),
            sum(answer.settled for answer in answers),
            [finding for answer in answers for finding in answer.open],
        )

    def _findings(
        self, plan: Plan, asked: Asked, number: int, tell: Tell, lock: Alone
    ) -> Iterator[int]:
        """Store what is found step by step; the number of each step."""
        with self._database.snapshot() as connection:
            found = self._all(connection, plan, asked, number, tell)
            while batch := list(islice(found, FINDINGS_AT_ONCE)):
                lock.insist()
                self._record(number, batch)
                yield len(batch)

    def _record(self, number: int, batch: Sequence[Finding]) -> None:
        self._database.run(lambda c: store.add_findings(c, number, batch))

    def _all(
        self, connection: Connection, plan: Plan, asked: Asked, number: int, tell: Tell
    ) -> Iterator[Finding]:
        yield from asked.open
        since = store.looked_since(connection, number)
        for told in callbacks.open_since(
            connection, plan.provider, None if since is None else since - STORED_WITHIN
        ):
            yield _callback(told)
        since, before = self.bounds(plan.day)
        for provider in self._providers(connection, plan, since, before):
            tell(f"comparing {provider}")
            if statements.covering(connection, provider, plan.day) is None:
                yield Finding(NO_STATEMENT, provider, note=f"none covers {plan.day}")
                continue
            eve = plan.day - timedelta(days=1)
            known = statements.covering(connection, provider, eve) is not None
            looks_back = MIDNIGHT if known else timedelta()
            yield from compared(connection, Window(provider, since, before), looks_back)
        if plan.provider == EVERYTHING:
            tell("proving the books")
            yield from self._books(connection)
            yield from self._trust(connection, plan.day, before)

    def _providers(
        self, connection: Connection, plan: Plan, since: datetime, before: datetime
    ) -> Sequence[str]:
        """Those a statement is due of: money moved, or a statement says that it did."""
        if plan.provider != EVERYTHING:
            return [plan.provider]
        moved = compare.providers_with_money(connection, since - MIDNIGHT, before)
        return sorted({*moved, *statements.providers_of(connection, plan.day)})

    def _books(self, connection: Connection) -> Iterator[Finding]:
        for breach in check.check(connection, self._invariants):
            row = ", ".join(f"{name}={value}" for name, value in breach.row.items())
            yield Finding(BOOKS, "", note=hidden(f"{breach.invariant}: {row}")[:200])

    def _trust(self, connection: Connection, day: date, before: datetime) -> Iterator[Finding]:
        """Other people's money must be there; and where the bank says how much, so must we."""
        for of in liabilities(connection, before):
            if of.own < 0:
                note = f"{of.currency}: owed beyond what providers and bank keep for us"
                yield Finding(UNCOVERED, "", ours=of.owed, theirs=of.kept, note=note)
        bank = statements.covering(connection, BANK, day)
        if bank is None or bank.closing is None or bank.last_day != day:
            return
        ours = {
            balance.currency: -balance.amount
            for balance in balances(connection, before)
            if balance.kind == SETTLEMENT and balance.owner == BANK
        }
        kept = ours.get(bank.currency, Decimal("0.00"))
        if kept != bank.closing:
            yield Finding(TRUST, BANK, ours=kept, theirs=bank.closing, note="the closing balance")

    def bounds(self, day: date) -> tuple[datetime, datetime]:
        """The local day as instants."""
        start = datetime(day.year, day.month, day.day, tzinfo=self.zone)
        after = day + timedelta(days=1)
        end = datetime(after.year, after.month, after.day, tzinfo=self.zone)
        return start.astimezone(UTC), end.astimezone(UTC)

    def is_released(self, connection: Connection, at: datetime) -> bool:
        """Whether the settlements asked for at an instant may be paid (M7).

        Its day must be over, by the carriers' zone, and the latest whole run since then clean.
        """
        return self.releases(connection, at.astimezone(self.zone).date())

    def releases(self, connection: Connection, day: date) -> bool:
        """Whether a day's settlements may be paid."""
        run = store.last_over_everything(connection, day, self.bounds(day)[1])
        return run is not None and run.state == CLEAN


def _callback(told: Told) -> Finding:
    note = f"callback {told.id}, {told.became}: {told.reason or told.dialect}"
    name = told.deposit or told.reference or told.provider_ref or ""
    return Finding(CALLBACK, told.provider, told.txn_id or "", name, note=note[:200])


def compared(connection: Connection, day: Window, looks_back: timedelta) -> Iterator[Finding]:
    """The four classes of a provider's day."""
    late = Window(day.provider, day.since - looks_back, day.before - MIDNIGHT)
    yield from compare.theirs_only(connection, day)
    yield from compare.ours_only(connection, late)
    yield from compare.amounts_differ(connection, day)
    yield from compare.duplicates(connection, day)
