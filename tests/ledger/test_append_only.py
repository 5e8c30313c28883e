"""Rows of books, audit trail and what was said of payouts are never changed and never deleted."""

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from gateway.audit import trail
from gateway.database.engine import Database
from gateway.database.triggers import APPEND_ONLY
from gateway.withdrawals.events import store as events
from gateway.withdrawals.events.store import Event
from tests.support.clock import START
from tests.support.money_rows import funded

CHANGES = (
    "UPDATE {} SET id = id + 100",
    "UPDATE {} SET id = id",
    "DELETE FROM {}",
    "REPLACE INTO {} SELECT * FROM {}",
)


def rows(connection: Connection, table: str) -> list[tuple[object, ...]]:
    """The whole table."""
    return [tuple(row) for row in connection.exec_driver_sql(f"SELECT * FROM {table}")]


@pytest.fixture
def filled(database: Database) -> Database:
    """A database with rows in every append-only table."""
    funded(database)
    database.run(lambda c: trail.record(c, "cli:test", "test", "subject", START))
    said = Event("K7M29QXDWMH4", START, "test", "paid", "applied")
    database.run(lambda c: events.add(c, said))
    return database


@pytest.mark.parametrize("table", APPEND_ONLY)
@pytest.mark.parametrize("change", CHANGES)
def test_a_row_of_an_append_only_table_stays_as_it_is(
    filled: Database, table: str, change: str
) -> None:
    before = filled.run(lambda c: rows(c, table))
    assert before
    with pytest.raises(DBAPIError):
        filled.run(lambda c: c.exec_driver_sql(change.format(table, table)))
    assert filled.run(lambda c: rows(c, table)) == before


def test_the_refusal_says_what_the_table_is(filled: Database) -> None:
    with pytest.raises(DBAPIError, match="movements is append-only"):
        filled.run(lambda c: c.exec_driver_sql("DELETE FROM movements WHERE id > 0"))
