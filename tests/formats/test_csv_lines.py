"""What a spreadsheet makes of an export: every cell as it was, and none that it runs."""

import csv
import io
from decimal import Decimal

import pytest

from gateway.formats.csv_lines import FORMULA_STARTS, lines


def read_back(*cells: str | int | Decimal | None) -> list[str]:
    """A row as it comes out of the file again."""
    text = "".join(lines(["a"] * len(cells), [cells]))
    return list(csv.reader(io.StringIO(text, newline="")))[1]


@pytest.mark.parametrize(
    "name", ["=1+1", "@SUM(1)", "\tx", "\rx", "=cmd|' /C calc'!A0", "-2+3", "+254700000001"]
)
def test_a_text_that_would_run_is_led_by_an_apostrophe_and_is_read_back_whole(name: str) -> None:
    (cell,) = read_back(name)
    assert cell == f"'{name}"
    assert not cell.startswith(FORMULA_STARTS)


@pytest.mark.parametrize("separator", [";", "\t"])
@pytest.mark.parametrize("inner", [";=1+1", ';"=1+1', ";+1", ";@SUM(1)", "\t-1+2", "\n=1+1"])
def test_nothing_runs_where_other_separators_part_the_cells(separator: str, inner: str) -> None:
    """Quotes do not help: behind another cell they are not at a cell's beginning."""
    text = "".join(lines(["a", "b"], [[f"x{inner}", "y"], ["y", f"x{inner}"]]))
    cells = [c for row in csv.reader(io.StringIO(text), delimiter=separator) for c in row]
    assert not [cell for cell in cells if cell.startswith(FORMULA_STARTS)]


@pytest.mark.parametrize("amount", ["-5.00", "0.00", "1250.50"])
def test_an_amount_stays_a_plain_number(amount: str) -> None:
    assert read_back(Decimal(amount), 3) == [amount, "3"]


@pytest.mark.parametrize("text", ['a "quoted" one', "a, b; c", "two\nlines", "two\r\nlines", ""])
def test_quotes_commas_and_line_ends_survive_a_round_trip(text: str) -> None:
    assert read_back(text, "next") == [text, "next"]
