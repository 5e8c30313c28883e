"""A small day is filled in, written as a statement, imported and compared on both engines."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from bench import reconcile_fill
from bench.reconcile import DAY, ZONE, Reconciled, memory_row, misfound
from gateway.database.engine import Database
from gateway.reconciliation.run import Plan, Reconciler
from gateway.reconciliation.runs import store
from gateway.reconciliation.statements.importing import Wanted, take_in
from gateway.reconciliation.statements.reading import Layout
from tests.support.clock import SteppedClock

START = datetime(DAY.year, DAY.month, DAY.day, tzinfo=ZONE)


def quiet(_: str) -> None:
    """Nobody is told."""


def test_what_is_planted_is_found_and_nothing_else(
    database: Database, database_url: str, clock: SteppedClock, tmp_path: Path
) -> None:
    statement = tmp_path / "statement.csv"
    reconcile_fill.fill(database_url, 500, START.astimezone(UTC))
    reconcile_fill.write(statement, 500, START)
    wanted = Wanted(
        reconcile_fill.PROVIDER, statement, Layout(reconcile_fill.CURRENCY, ZONE), "bench"
    )
    taken = take_in(database, clock, wanted, quiet)
    reconciler = Reconciler(database, clock, ZONE, (), {})
    run = reconciler.run(Plan(DAY, reconcile_fill.PROVIDER, "bench"), quiet)
    with database.snapshot() as connection:
        found = Counter(one.kind for one in store.findings_of(connection, run.id, 100))
    assert (taken.first_day, taken.last_day, taken.line_count) == (DAY, DAY, 501)
    assert found == Counter(reconcile_fill.PLANTED)


def test_memory_is_judged_and_a_missed_finding_is_an_error() -> None:
    good = Reconciled(150.0, 60.0, 20.0, reconcile_fill.PLANTED)
    assert memory_row(good, 1_000).verdict == "met"
    assert memory_row(Reconciled(201.0, 1.0, 1.0, reconcile_fill.PLANTED), 1).verdict == "missed"
    blind = Reconciled(150.0, 1.0, 1.0, {})
    assert (memory_row(blind, 1).errors, len(misfound(blind))) == (4, 4)
