"""`gateway books check` passes over sound books, and shows the rows of each planted fault."""

import pytest
from sqlalchemy import Connection

from tests.cli.conftest import CommandLine
from tests.support.wired import Wired

# What falsifies the books and gets past the schema's own checks.
PLANTED: tuple[str, ...] = (
    "UPDATE accounts SET balance = balance + 1 WHERE kind = 'wallet'",
    "UPDATE accounts SET held = held + 1 WHERE kind = 'wallet'",
    "UPDATE tokens SET amount = amount + 1",
    "UPDATE tokens SET status = 'cancelled' WHERE status = 'issued'",
    "UPDATE tokens SET status = 'expired' WHERE status = 'issued'",
)


@pytest.fixture
def traded(wired: Wired) -> Wired:
    """One token is redeemed, one is live."""
    wired.redeem(wired.issue().reveal())
    wired.issue("7.50")
    return wired


def test_sound_books_pass(command_line: CommandLine, traded: Wired) -> None:
    assert command_line.json("books", "check") == []
    assert "invariants hold" in command_line.said("books", "check")


@pytest.mark.parametrize("statement", PLANTED)
def test_falsified_books_fail_and_the_rows_are_shown(
    command_line: CommandLine, traded: Wired, statement: str
) -> None:
    def falsify(connection: Connection) -> None:
        connection.exec_driver_sql(statement)

    traded.run(falsify)
    rows = command_line.json("books", "check", code=1)
    assert rows
    assert all(set(row) == {"invariant", "row"} and row["row"] for row in rows)
    shown = command_line.run("books", "check")
    assert shown.exit_code == 1
    assert rows[0]["invariant"] in shown.stdout
