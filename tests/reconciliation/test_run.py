"""The nightly run: recorded, alone, repeatable; it finds what disagrees and repairs nothing."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import Connection

from gateway.database.alone import Busy, alone
from gateway.errors import BadInput
from gateway.ledger.books import Leg
from gateway.ledger.store import HOUSE, SETTLEMENT
from gateway.partners.funding import Funding
from gateway.reconciliation.run import JOB, Asked, Asker, Plan, Reconciler
from gateway.reconciliation.runs import store
from gateway.reconciliation.runs.store import Finding, Run
from gateway.reconciliation.statements.importing import Tell, Wanted, take_in
from gateway.reconciliation.statements.reading import Layout
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, Wired

ZONE = ZoneInfo("Africa/Lagos")
TODAY = date(2026, 3, 2)
NIGHTLY = Plan(TODAY, "", "cli:ada")


def quiet(_: str) -> None:
    """Nobody is told."""


def reconciler(wired: Wired, **askers: Asker) -> Reconciler:
    parts = wired.gateway.parts()
    return Reconciler(wired.gateway.database, wired.clock, ZONE, parts.invariants, askers)


def night(wired: Wired, **askers: Asker) -> Run:
    return reconciler(wired, **askers).run(NIGHTLY, quiet)


def found(wired: Wired, run: Run) -> list[Finding]:
    return wired.run(lambda c: store.findings_of(c, run.id, 100))


@pytest.fixture
def funded(wired: Wired) -> Wired:
    """The bank holds 1,000.00 for the house, and its statement says so."""
    details = {"owner": "house", "amount": "1000.00", "currency": "NGN"}
    now = wired.clock.now()
    wired.run(lambda c: Funding(wired.gateway.books).fund(c, "BANK-1", details, now))
    return wired


def statement(wired: Wired, folder: Path, *rows: str, closing: str = "1000.00") -> None:
    path = folder / "bank.csv"
    path.write_text("txn_id,amount,at\n" + "".join(f"{row}\n" for row in rows))
    file = Wanted("bank", path, Layout("NGN", ZONE), "cli:ada", Decimal(closing))
    take_in(wired.gateway.database, wired.clock, file, quiet)


def test_a_day_on_which_nothing_happened_is_clean(wired: Wired) -> None:
    run = night(wired)
    assert (run.state, run.findings, run.day) == ("clean", 0, TODAY)
    assert run.finished_at is not None


def test_a_day_that_the_banks_statement_confirms_is_clean(funded: Wired, tmp_path: Path) -> None:
    statement(funded, tmp_path, "BANK-1,1000.00,2026-03-02 11:00:00")
    funded.redeem(funded.issue("100.00").reveal())
    assert night(funded).state == "clean"


def test_a_statement_that_is_missing_is_a_finding(funded: Wired) -> None:
    (finding,) = found(funded, night(funded))
    assert (finding.kind, finding.provider) == ("no_statement", "bank")


def test_a_closing_balance_that_differs_by_a_cent_is_found(funded: Wired, tmp_path: Path) -> None:
    statement(funded, tmp_path, "BANK-1,1000.00,2026-03-02 11:00:00", closing="999.99")
    (finding,) = found(funded, night(funded))
    assert (finding.kind, finding.ours, finding.theirs) == (
        "trust_account",
        Decimal("1000.00"),
        Decimal("999.99"),
    )


def test_what_is_owed_beyond_what_is_kept_is_found(wired: Wired) -> None:
    wired.issue("100.00")
    (finding,) = found(wired, night(wired))
    assert (finding.kind, finding.ours, finding.theirs) == (
        "uncovered",
        Decimal("100.00"),
        Decimal("0.00"),
    )


def test_a_planted_cent_is_found(funded: Wired, tmp_path: Path) -> None:
    statement(funded, tmp_path, "BANK-1,1000.00,2026-03-02 11:00:00")
    funded.redeem(funded.issue("100.00").reveal())

    def plant(connection: Connection) -> None:
        connection.exec_driver_sql(PLANTED[connection.dialect.name])

    funded.run(plant)
    (finding,) = found(funded, night(funded))
    assert finding.kind == "books"
    assert finding.note.startswith("balance_is_ledger_sum")
    assert ADA not in finding.note


PLANTED = {
    "sqlite": "UPDATE accounts SET balance = balance + 1 WHERE kind = 'wallet'",
    "mysql": "UPDATE accounts SET balance = balance + 0.01 WHERE kind = 'wallet'",
}


def test_what_the_providers_could_not_tell_is_reported(wired: Wired) -> None:
    def ask(provider: str, before: datetime, _: Tell) -> Asked:
        assert provider == ""
        assert (wired.clock.now() - before).total_seconds() == 1_800
        return Asked(3, 2, [Finding("unknown", "selcom", reference="W1", ours=Decimal("60.00"))])

    run = night(wired, withdrawals=ask)
    assert (run.asked, run.settled, run.state) == (3, 2, "findings")
    assert found(wired, run)[0].reference == "W1"


def test_a_run_can_be_repeated_and_the_last_one_counts(
    funded: Wired, clock: SteppedClock, tmp_path: Path
) -> None:
    both, asked_at = reconciler(funded), funded.clock.now()
    clock.advance(hours=15)
    assert both.run(NIGHTLY, quiet).state == "findings"
    assert not funded.run(lambda c: both.is_released(c, asked_at))
    statement(funded, tmp_path, "BANK-1,1000.00,2026-03-02 11:00:00")
    assert both.run(NIGHTLY, quiet).state == "clean"
    assert funded.run(lambda c: both.is_released(c, asked_at))
    assert len(funded.run(lambda c: store.latest(c, 10))) == 2


def test_a_clean_run_of_one_provider_releases_nothing(wired: Wired) -> None:
    both = reconciler(wired)
    assert both.run(Plan(TODAY, "mpesa", "cli:ada"), quiet).findings == 1
    assert not wired.run(lambda c: both.is_released(c, wired.clock.now()))


def test_a_clean_run_of_a_day_that_is_not_over_releases_nothing(
    wired: Wired, clock: SteppedClock
) -> None:
    both, asked_at = reconciler(wired), wired.clock.now()
    assert both.run(NIGHTLY, quiet).state == "clean"
    clock.advance(hours=20)
    assert not wired.run(lambda c: both.is_released(c, asked_at))
    assert both.run(NIGHTLY, quiet).state == "clean"
    assert wired.run(lambda c: both.is_released(c, asked_at))


def test_a_day_to_come_cannot_be_reconciled(wired: Wired) -> None:
    with pytest.raises(BadInput, match="has not begun"):
        reconciler(wired).run(Plan(TODAY + timedelta(days=1), "", "cli:ada"), quiet)


def test_a_run_repairs_nothing(funded: Wired) -> None:
    now = funded.clock.now()

    def lose(connection: Connection) -> None:
        books = funded.gateway.books
        bank = books.system(connection, SETTLEMENT, "NGN", now, "bank")
        house = books.system(connection, HOUSE, "NGN", now)
        legs = (Leg(bank, Decimal("5.00")), Leg(house, Decimal("-5.00")))
        books.post(connection, "settle:odd", "settle", "odd", legs, now)

    funded.run(lose)
    before = funded.run(lambda c: c.exec_driver_sql("SELECT COUNT(*) FROM entries").scalar())
    night(funded)
    assert (
        funded.run(lambda c: c.exec_driver_sql("SELECT COUNT(*) FROM entries").scalar()) == before
    )


def count_entries(wired: Wired) -> int:
    count = "SELECT COUNT(*) FROM entries"
    return wired.run(lambda c: int(c.exec_driver_sql(count).scalar_one()))


def test_a_second_run_is_refused_while_the_first_lives(wired: Wired) -> None:
    with alone(wired.gateway.database, JOB), pytest.raises(Busy):
        night(wired)
    assert night(wired).state == "clean"


HANGS = """
import sys, time
from datetime import date
from zoneinfo import ZoneInfo
from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.reconciliation.run import Plan, Reconciler
def hang(*_):
    print("asking", flush=True)
    time.sleep(60)
zone = ZoneInfo("Africa/Lagos")
made = Reconciler(Database(sys.argv[1]), Clock(), zone, (), {"hangs": hang})
made.run(Plan(date(2026, 3, 2), "", "cli:ada"), lambda _: None)
"""


def test_after_a_killed_run_the_next_one_completes_the_day(wired: Wired, database_url: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HANGS, database_url],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "asking\n"
        with pytest.raises(Busy):
            night(wired)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    run = until_free(lambda: night(wired))
    assert run.state == "clean"
    states = [run.state for run in wired.run(lambda c: store.latest(c, 10))]
    assert states == ["clean", "broken"]


def until_free(act: Callable[[], Run]) -> Run:
    for _ in range(200):
        try:
            return act()
        except Busy:  # the server notices the cut line a moment later
            continue
    raise AssertionError("the lock outlived its process")


def test_yesterday_is_a_local_day(wired: Wired, clock: SteppedClock) -> None:
    clock.advance(hours=14, minutes=30)
    assert reconciler(wired).yesterday() == TODAY
