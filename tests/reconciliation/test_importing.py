"""Importing a statement: checked as a whole, stored in steps, once; a broken one begins again."""

from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import func, select

from gateway.database.engine import Database
from gateway.errors import BadInput, TryAgain
from gateway.reconciliation.statements import store
from gateway.reconciliation.statements.importing import Wanted, drop, take_in
from gateway.reconciliation.statements.reading import BadStatement, Layout
from gateway.reconciliation.statements.store import IMPORTED, IMPORTING
from tests.support.clock import SteppedClock

LAYOUT = Layout("TZS", ZoneInfo("Africa/Dar_es_Salaam"))
HEADER = "txn_id,amount,at\n"


def quiet(_: str) -> None:
    """Nobody is told."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "statement.csv"
    rows = [f"SYN{n},{n}.00,2026-03-0{n % 2 + 1} 10:00:00\n" for n in range(1, 2_501)]
    path.write_text(HEADER + "".join(rows))
    return path


def wanted(path: Path) -> Wanted:
    return Wanted("mpesa", path, LAYOUT, "cli:ada", Decimal("1.00"))


def count_lines(database: Database) -> int:
    query = select(func.count()).select_from(store.statement_lines)
    return database.run(lambda c: int(c.execute(query).scalar_one()))


def test_a_file_is_imported_with_its_days(
    database: Database, clock: SteppedClock, file: Path
) -> None:
    statement = take_in(database, clock, wanted(file), quiet)
    assert (statement.state, statement.line_count, count_lines(database)) == (
        IMPORTED,
        2_500,
        2_500,
    )
    assert (str(statement.first_day), str(statement.last_day)) == ("2026-03-01", "2026-03-02")


def test_the_same_file_again_adds_nothing(
    database: Database, clock: SteppedClock, file: Path
) -> None:
    first = take_in(database, clock, wanted(file), quiet)
    told: list[str] = []
    assert take_in(database, clock, wanted(file), told.append) == first
    assert told == [f"this file was imported before, as statement {first.id}"]
    assert count_lines(database) == 2_500


def test_a_bad_line_far_down_changes_nothing(
    database: Database, clock: SteppedClock, file: Path
) -> None:
    with file.open("a") as more:
        more.write("SYN9999,x,2026-03-02 10:00:00\n")
    with pytest.raises(BadStatement, match="line 2502: amount"):
        take_in(database, clock, wanted(file), quiet)
    assert count_lines(database) == 0


def test_an_import_that_broke_off_begins_again(
    database: Database, clock: SteppedClock, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = store.add_lines, []

    def breaks(*arguments: object) -> None:
        calls.append(arguments)
        if len(calls) == 2:
            raise TryAgain("the database went away")
        real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "add_lines", breaks)
    monkeypatch.setattr("gateway.database.engine.ATTEMPTS_MAX", 1)
    with pytest.raises(TryAgain):
        take_in(database, clock, wanted(file), quiet)
    assert 0 < count_lines(database) < 2_500
    monkeypatch.setattr(store, "add_lines", real)
    monkeypatch.setattr("gateway.database.engine.ATTEMPTS_MAX", 8)
    broken = database.run(lambda c: c.execute(select(store.statements.c.state)).scalars().all())
    assert broken == [IMPORTING]
    statement = take_in(database, clock, wanted(file), quiet)
    assert (statement.state, count_lines(database)) == (IMPORTED, 2_500)


def test_a_line_of_a_day_to_come_is_refused_before_anything_is_stored(
    database: Database, clock: SteppedClock, tmp_path: Path
) -> None:
    path = tmp_path / "mistyped.csv"
    path.write_text("txn_id,amount,at\nA,1.00,2031-01-01 10:00:00\n")
    with pytest.raises(BadStatement, match="2031-01-01 has not begun yet"):
        take_in(database, clock, wanted(path), quiet)
    assert count_lines(database) == 0


def test_another_currency_in_the_file_is_refused(
    database: Database, clock: SteppedClock, tmp_path: Path
) -> None:
    path = tmp_path / "mixed.csv"
    path.write_text("txn_id,amount,at,currency\nA,1.00,2026-03-01 10:00:00,KES\n")
    with pytest.raises(BadStatement, match="currency is not TZS"):
        take_in(database, clock, wanted(path), quiet)


@pytest.mark.parametrize(
    "content", [b"", b"txn_id,amount,at\n", b"\xff\xfe\x00", b'txn_id,amount,at\n"A']
)
def test_a_file_that_is_no_statement_is_refused(
    database: Database, clock: SteppedClock, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "odd.csv"
    path.write_bytes(content)
    with pytest.raises(BadStatement):
        take_in(database, clock, wanted(path), quiet)
    assert count_lines(database) == 0


def test_a_file_that_is_not_there_is_named_as_such(
    database: Database, clock: SteppedClock, tmp_path: Path
) -> None:
    with pytest.raises(BadStatement, match="No such file"):
        take_in(database, clock, wanted(tmp_path / "none.csv"), quiet)


def test_a_statement_imported_by_mistake_is_dropped_and_can_come_again(
    database: Database, clock: SteppedClock, file: Path
) -> None:
    first = take_in(database, clock, wanted(file), quiet)
    told: list[int] = []
    drop(database, first.id, lambda _, found: told.append(found.id))
    assert (told, count_lines(database)) == ([first.id], 0)
    assert database.run(lambda c: store.covering(c, "mpesa", first.last_day)) is None
    assert take_in(database, clock, wanted(file), quiet).line_count == 2_500


def test_a_statement_that_is_not_there_cannot_be_dropped(database: Database) -> None:
    with pytest.raises(BadInput, match="no statement 7"):
        drop(database, 7, lambda *_: None)
