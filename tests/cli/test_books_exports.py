"""What finance takes out of the books: balances of a past day, the journal, what is owed."""

import csv
import io
from decimal import Decimal

import pytest

from tests.cli.conftest import CommandLine
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, Wired


@pytest.fixture
def two_days(wired: Wired, clock: SteppedClock) -> Wired:
    """On 2 March one token is issued and redeemed; another is issued after midnight in Lagos."""
    wired.redeem(wired.issue("100.00").reveal())
    clock.advance(hours=14, minutes=30)
    wired.issue("7.50")
    return wired


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_balances_of_a_past_day_leave_out_what_came_later(
    command_line: CommandLine, two_days: Wired
) -> None:
    first = table(command_line.said("books", "balances", "--on", "2026-03-02"))
    assert {row["account"]: row["balance"] for row in first} == {
        "house": "-100.00",
        "wallet": "100.00",
    }
    second = table(command_line.said("books", "balances", "--on", "2026-03-03"))
    assert {row["account"]: row["balance"] for row in second} == {
        "house": "-107.50",
        "outstanding": "7.50",
        "wallet": "100.00",
    }


def test_every_days_balances_sum_to_zero(command_line: CommandLine, two_days: Wired) -> None:
    rows = table(command_line.said("books", "balances", "--on", "2026-03-03"))
    assert sum(Decimal(row["balance"]) for row in rows) == 0


def test_the_journal_holds_each_entry_of_its_days_once(
    command_line: CommandLine, two_days: Wired
) -> None:
    one_day = ("books", "journal", "--from", "2026-03-02", "--to", "2026-03-02")
    rows = table(command_line.said(*one_day))
    assert [row["kind"] for row in rows] == ["issue", "issue", "redeem", "redeem"]
    assert sum(Decimal(row["amount"]) for row in rows) == 0
    both = table(
        command_line.said("books", "journal", "--from", "2026-03-02", "--to", "2026-03-03")
    )
    assert len(both) == 6


def test_a_phone_in_an_export_is_no_formula(command_line: CommandLine, two_days: Wired) -> None:
    rows = table(command_line.said("books", "balances", "--on", "2026-03-03"))
    assert [row["owner"] for row in rows if row["account"] == "wallet"] == [f"'{ADA}"]


def test_what_is_owed_is_told_beside_what_is_kept(
    command_line: CommandLine, two_days: Wired
) -> None:
    assert command_line.json("books", "liabilities") == [
        {"currency": "NGN", "owed": "107.50", "kept": "0.00", "own": "-107.50"}
    ]
