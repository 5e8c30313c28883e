"""A statement's file is read by an explicit rule for every column, and its faults are all told."""

from datetime import UTC, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from gateway.reconciliation.statements.reading import BadStatement, Layout, lines
from gateway.reconciliation.statements.store import IN, OUT, Line

LAYOUT = Layout("TZS", ZoneInfo("Africa/Dar_es_Salaam"))
HEADER = "txn_id,amount,at,reference,fee,direction"


def read(*rows: str, header: str = HEADER, layout: Layout = LAYOUT) -> list[Line]:
    return list(lines([header, *rows], layout))


def fault(*rows: str, header: str = HEADER) -> str:
    with pytest.raises(BadStatement) as raised:
        read(*rows, header=header)
    return str(raised.value)


def test_a_line_is_read_with_its_local_time_in_utc() -> None:
    (line,) = read("SYN1,15000.00,2025-12-31 23:59:30,ORD1,300.00,in")
    assert line == Line(
        2,
        IN,
        "SYN1",
        "ORD1",
        Decimal("15000.00"),
        Decimal("300.00"),
        "TZS",
        datetime(2025, 12, 31, 20, 59, 30, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    ("written", "amount"),
    [("1500", "1500.00"), ("1,500.00", "1500.00"), ("0.5", "0.50"), ("1,234,567.89", "1234567.89")],
)
def test_an_amount_may_be_grouped_by_thousands(written: str, amount: str) -> None:
    (line,) = read(f'SYN1,"{written}",2025-12-31 23:59:30')
    assert line.amount == Decimal(amount)


@pytest.mark.parametrize(
    "written", ["", "NaN", "1e3", "1_000", "1,50.00", "1.005", "+5", "(5.00)", "\uff11", "0.00"]
)
def test_what_is_no_amount_is_a_fault_with_its_line(written: str) -> None:
    assert fault(f'SYN1,"{written}",2025-12-31 23:59:30').startswith("line 2: amount")


def test_money_that_left_is_told_by_its_sign_or_its_direction() -> None:
    signed, named = read("A,-5.00,2025-12-31 23:59:30", "B,5.00,2025-12-31 23:59:30,,,Debit")
    assert (signed.direction, signed.amount) == (OUT, Decimal("5.00"))
    assert named.direction == OUT


@pytest.mark.parametrize(
    "written",
    ["2025-12-31T20:59:30Z", "2025-12-31T23:59:30+03:00", "31/12/2025 23:59:30", "20251231235930"],
)
def test_a_time_is_the_same_instant_in_every_shape(written: str) -> None:
    (line,) = read(f"A,5.00,{written}")
    assert line.at == datetime(2025, 12, 31, 20, 59, 30, tzinfo=UTC)


@pytest.mark.parametrize("written", ["", "2026-02-31 10:00:00", "yesterday", "2025-12-31T+Z"])
def test_what_is_no_time_is_a_fault_with_its_line(written: str) -> None:
    assert fault(f"A,5.00,{written}").startswith("line 2: at is no time such as")


def test_a_providers_own_names_of_columns_can_be_given() -> None:
    named = Layout("TZS", LAYOUT.zone, {"txn_id": "Receipt No.", "amount": "Paid In", "at": "Time"})
    (line,) = read("SYN1,5.00,2025-12-31 23:59:30", header="Receipt No.,Paid In,Time", layout=named)
    assert line.txn_id == "SYN1"


def test_columns_that_are_missing_are_named() -> None:
    assert fault(header="txn_id,at") == "line 1: the columns lack amount"


def test_semicolons_and_tabs_part_columns_too() -> None:
    for mark in (";", "\t"):
        header = HEADER.replace(",", mark)
        (line,) = read(f"A{mark}1,500.00{mark}31/12/2025 23:59", header=header)
        assert (line.txn_id, line.amount) == ("A", Decimal("1500.00"))


def test_a_byte_order_mark_and_blank_lines_do_not_count() -> None:
    assert len(read("", "A,5.00,2025-12-31 23:59:30", "", header="\ufeff" + HEADER)) == 1


def test_every_fault_is_told_at_once() -> None:
    told = fault("A,x,2025-12-31 23:59:30", "B,5.00,2025-12-31 23:59:30", ",5.00,x")
    assert told.startswith("line 2: amount")
    assert "line 4: txn_id" in told


def test_no_more_than_twenty_faults_are_told() -> None:
    assert fault(*["A,x,x"] * 50).count("line ") == 20


def test_ids_that_differ_in_case_or_a_blank_are_kept_apart() -> None:
    assert [line.txn_id for line in read(*(f"{i},1,20251231235930" for i in ("Qk7", "qK7")))] == [
        "Qk7",
        "qK7",
    ]
