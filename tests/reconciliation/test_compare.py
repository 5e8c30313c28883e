"""Statement lines against our bookings: four classes, on whatever side of midnight they lie."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import insert

from gateway.database.engine import Database
from gateway.deposits.store import deposits
from gateway.reconciliation.compare.store import Window
from gateway.reconciliation.run import MIDNIGHT, compared
from gateway.reconciliation.runs.store import Finding
from gateway.reconciliation.statements.importing import Wanted, take_in
from gateway.reconciliation.statements.reading import Layout
from tests.support.clock import SteppedClock

ZONE = ZoneInfo("Africa/Dar_es_Salaam")
NOON = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
START = datetime(2026, 2, 28, 21, 0, tzinfo=UTC)
END = START + timedelta(days=1)


class Day:
    """1 March 2026 in Dar es Salaam, with deposits of ours and lines of theirs."""

    def __init__(self, database: Database, clock: SteppedClock, folder: Path) -> None:
        self._database = database
        self._clock = clock
        self._folder = folder
        self._count = 0

    def ours(
        self, txn_id: str | None, amount: str = "10.00", at: datetime = NOON, **more: Any
    ) -> None:
        self._count += 1
        values = {
            "reference": f"ORD{self._count}",
            "origin": "order",
            "provider": "mpesa",
            "txn_id": txn_id,
            "msisdn": "",
            "amount": Decimal(amount),
            "fee": Decimal("0.00"),
            "currency": "TZS",
            "state": "completed",
            "created_at": at,
            "changed_at": at,
            "completed_at": at,
            **more,
        }
        self._database.run(lambda c: c.execute(insert(deposits).values(**values)))

    def theirs(self, *rows: str) -> None:
        path = self._folder / f"{len(list(self._folder.iterdir()))}.csv"
        path.write_text("txn_id,amount,at,reference\n" + "\n".join(rows) + "\n")
        wanted = Wanted("mpesa", path, Layout("TZS", ZONE), "cli:ada")
        take_in(self._database, self._clock, wanted, lambda _: None)

    def found(self, looks_back: timedelta = MIDNIGHT) -> list[Finding]:
        with self._database.snapshot() as connection:
            return list(compared(connection, Window("mpesa", START, END), looks_back))

    def kinds(self) -> list[tuple[str, str]]:
        return [(finding.kind, finding.txn_id) for finding in self.found()]


@pytest.fixture
def day(database: Database, clock: SteppedClock, tmp_path: Path) -> Day:
    folder = tmp_path / "statements"
    folder.mkdir()
    return Day(database, clock, folder)


def test_a_day_on_which_all_agrees_has_no_findings(day: Day) -> None:
    day.ours("A")
    day.theirs("A,10.00,2026-03-01 12:00:00")
    assert day.found() == []


def test_each_of_the_four_classes_is_told_apart(day: Day) -> None:
    day.ours("ours")
    day.ours("differs", "10.00")
    day.ours("twice")
    day.theirs(
        "theirs,7.00,2026-03-01 12:00:00",
        "differs,10.01,2026-03-01 12:00:00",
        "twice,10.00,2026-03-01 12:00:00",
        "twice,10.00,2026-03-01 12:00:00",
    )
    assert sorted(day.kinds()) == [
        ("amounts_differ", "differs"),
        ("duplicate", "twice"),
        ("ours_only", "ours"),
        ("theirs_only", "theirs"),
    ]
    (differs,) = (finding for finding in day.found() if finding.kind == "amounts_differ")
    assert (differs.ours, differs.theirs) == (Decimal("10.00"), Decimal("10.01"))


def test_theirs_before_midnight_and_ours_after_it_are_one(day: Day) -> None:
    day.ours("A", at=END + timedelta(seconds=1))
    day.theirs("A,10.00,2026-03-01 23:59:59")
    assert day.found() == []


def test_ours_before_midnight_waits_for_the_next_days_statement(day: Day) -> None:
    day.ours("A", at=END - timedelta(seconds=1))
    day.theirs("B,10.00,2026-03-01 12:00:00")
    assert day.kinds() == [("theirs_only", "B")]


def test_ours_of_the_evening_before_is_looked_at_again(day: Day) -> None:
    day.ours("A", at=START - timedelta(minutes=5))
    day.theirs("B,10.00,2026-03-01 12:00:00")
    assert ("ours_only", "A") in day.kinds()


def test_a_credit_without_the_carriers_id_is_matched_by_our_reference(day: Day) -> None:
    day.ours(None)
    day.theirs("CARRIER1,10.00,2026-03-01 12:00:00,ORD1")
    assert day.found() == []


def test_a_pending_deposit_is_not_ours_yet(day: Day) -> None:
    day.ours("A", state="pending", completed_at=None)
    day.theirs("A,10.00,2026-03-01 12:00:00")
    assert day.kinds() == [("theirs_only", "A")]


@pytest.mark.parametrize("other", ["qK7", "Qk7 x", "QK7"])
def test_ids_that_look_alike_are_not_the_same(day: Day, other: str) -> None:
    day.ours("Qk7")
    day.theirs(f"{other},10.00,2026-03-01 12:00:00")
    assert sorted(kind for kind, _ in day.kinds()) == ["ours_only", "theirs_only"]


def test_the_same_line_in_two_files_is_no_duplicate(day: Day) -> None:
    day.ours("A")
    day.theirs("A,10.00,2026-03-01 12:00:00")
    day.theirs("A,10.00,2026-03-01 12:00:00", "B,1.00,2026-02-28 12:00:00")
    assert day.found() == []


def test_money_that_left_is_not_taken_for_money_that_came(day: Day) -> None:
    day.ours("A")
    day.theirs("A,-10.00,2026-03-01 12:00:00")
    assert sorted(day.kinds()) == [("ours_only", "A"), ("theirs_only", "A")]


def test_the_steps_of_a_day_leave_no_instant_out(day: Day) -> None:
    steps = list(Window("mpesa", START, END).steps())
    assert (steps[0].since, steps[-1].before) == (START, END)
    assert [step.before for step in steps[:-1]] == [step.since for step in steps[1:]]
    for number, step in enumerate(steps[:-1]):
        day.ours(f"O{number}", at=step.before)
        day.ours(f"P{number}", at=NOON, occurred_at=step.before)
    edges = [step.since + timedelta(hours=3) for step in steps]  # as the provider's zone writes it
    day.theirs(*(f"T{n},1.00,{at:%Y-%m-%d %H:%M:%S}" for n, at in enumerate(edges)))
    kinds = [kind for kind, _ in day.kinds()]
    assert (kinds.count("ours_only"), kinds.count("theirs_only")) == (46, 24)


def test_an_id_that_stands_thrice_is_told_once_with_its_number(day: Day) -> None:
    day.ours("A")
    day.theirs(*(f"A,10.00,2026-03-01 {hour}:00:00" for hour in ("02", "12", "22")))
    (duplicate,) = day.found()
    assert (duplicate.kind, duplicate.note) == ("duplicate", "stands 3 times in the file")
