"""What each database error means for the unit of work it broke."""

import sqlite3

import pymysql
import pytest
from sqlalchemy.exc import DBAPIError

from gateway.database.faults import Verdict, duplicate_index, verdict

MARIADB: tuple[tuple[int, Verdict], ...] = (
    (1020, Verdict.REPEAT),  # innodb_snapshot_isolation=ON, the default from MariaDB 11.6.2
    (1205, Verdict.REPEAT),
    (1213, Verdict.REPEAT),
    (1047, Verdict.REPEAT),
    (2006, Verdict.LOST),
    (2013, Verdict.LOST),
    (2055, Verdict.LOST),
    (1927, Verdict.LOST),
    (1053, Verdict.LOST),
    (1160, Verdict.LOST),
    (0, Verdict.LOST),
    (1062, Verdict.DUPLICATE),
    (1040, Verdict.UNAVAILABLE),
    (1203, Verdict.UNAVAILABLE),
    (1290, Verdict.UNAVAILABLE),
    (1021, Verdict.UNAVAILABLE),
    (1969, Verdict.UNAVAILABLE),
    (2002, Verdict.UNAVAILABLE),
    (2003, Verdict.UNAVAILABLE),
    (1064, Verdict.BUG),
    (1146, Verdict.BUG),
    (1452, Verdict.BUG),  # a foreign key is no duplicate, though SQLAlchemy names both alike
    (4025, Verdict.BUG),
    (1264, Verdict.BUG),
    (1644, Verdict.BUG),
)
SQLITE: tuple[tuple[int, Verdict], ...] = (
    (sqlite3.SQLITE_BUSY, Verdict.REPEAT),
    (sqlite3.SQLITE_BUSY_SNAPSHOT, Verdict.REPEAT),
    (sqlite3.SQLITE_BUSY_RECOVERY, Verdict.REPEAT),
    (sqlite3.SQLITE_LOCKED, Verdict.REPEAT),
    (sqlite3.SQLITE_CONSTRAINT_UNIQUE, Verdict.DUPLICATE),
    (sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, Verdict.DUPLICATE),
    (sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY, Verdict.BUG),
    (sqlite3.SQLITE_CONSTRAINT_CHECK, Verdict.BUG),
    (sqlite3.SQLITE_CONSTRAINT_TRIGGER, Verdict.BUG),
    (sqlite3.SQLITE_FULL, Verdict.UNAVAILABLE),
    (sqlite3.SQLITE_IOERR_WRITE, Verdict.UNAVAILABLE),
    (sqlite3.SQLITE_CANTOPEN, Verdict.UNAVAILABLE),
    (sqlite3.SQLITE_READONLY, Verdict.UNAVAILABLE),
    (sqlite3.SQLITE_ERROR, Verdict.BUG),
)
# What the server says, with a value that a partner chose, and the index it is about.
DUPLICATES: tuple[tuple[str, str], ...] = (
    ("Duplicate entry 'k1' for key 'uq_movements_operation_key'", "uq_movements_operation_key"),
    ("Duplicate entry '1' for key 'PRIMARY'", "PRIMARY"),
    ("Duplicate entry 'k1' for key 'tokens.uq_tokens_serial'", "uq_tokens_serial"),
    ("Duplicate entry 'a' for key 'b' for key 'uq_tokens_serial'", "uq_tokens_serial"),
    ("Duplicate entry 'a' for key 'secret", "unknown"),
    ("nothing of the kind", "unknown"),
)


def wrapped(cause: Exception) -> DBAPIError:
    """The error as SQLAlchemy hands it on."""
    return DBAPIError("INSERT", {}, cause)


@pytest.mark.parametrize(("number", "meaning"), MARIADB)
def test_a_mariadb_error_has_one_meaning(number: int, meaning: Verdict) -> None:
    assert verdict(wrapped(pymysql.err.OperationalError(number, "said so"))) is meaning


@pytest.mark.parametrize(("code", "meaning"), SQLITE)
def test_a_sqlite_error_has_one_meaning(code: int, meaning: Verdict) -> None:
    cause = sqlite3.OperationalError("said so")
    cause.sqlite_errorcode = code
    assert verdict(wrapped(cause)) is meaning


def test_an_error_without_a_number_is_a_fault_of_ours() -> None:
    assert verdict(wrapped(pymysql.err.InternalError("Packet sequence number wrong"))) is (
        Verdict.BUG
    )
    assert verdict(wrapped(pymysql.err.ProgrammingError())) is Verdict.BUG


@pytest.mark.parametrize(("text", "index"), DUPLICATES)
def test_a_duplicate_names_its_index_and_never_the_value(text: str, index: str) -> None:
    assert duplicate_index(wrapped(pymysql.err.IntegrityError(1062, text))) == index


def test_a_duplicate_on_sqlite_names_its_columns() -> None:
    cause = sqlite3.IntegrityError("UNIQUE constraint failed: accounts.kind, accounts.owner")
    assert duplicate_index(wrapped(cause)) == "accounts.kind, accounts.owner"
