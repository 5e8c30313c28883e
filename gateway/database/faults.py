"""What a database error means for the unit of work it broke, on both databases."""

import re
import sqlite3
from enum import Enum

from sqlalchemy.exc import DBAPIError


class Verdict(Enum):
    """What is known after a statement failed."""

    REPEAT = "repeat"  # rolled back (or to be rolled back): the same work may succeed now
    LOST = "lost"  # the connection is gone; before COMMIT that is a rollback too
    DUPLICATE = "duplicate"  # a unique index refused a row
    UNAVAILABLE = "unavailable"  # the server cannot serve: not a fault of the statement
    BUG = "bug"  # the statement itself is wrong


# MariaDB error numbers, https://mariadb.com/kb/en/mariadb-error-codes/
REPEATABLE = {
    1020,  # ER_CHECKREAD: record changed since last read (innodb_snapshot_isolation)
    1205,  # ER_LOCK_WAIT_TIMEOUT: rolls back only the statement, so we roll back the rest
    1213,  # ER_LOCK_DEADLOCK, also Galera's certification failure at COMMIT
    1047,  # ER_UNKNOWN_COM_ERROR: a Galera node that is not ready
}
CONNECTION_LOST = {
    2006,  # CR_SERVER_GONE_ERROR
    2013,  # CR_SERVER_LOST, also PyMySQL's read time-out
    2055,  # CR_SERVER_LOST_EXTENDED
    1927,  # ER_CONNECTION_KILLED
    1053,  # ER_SERVER_SHUTDOWN
    1158,  # ER_NET_READ_ERROR
    1159,  # ER_NET_READ_INTERRUPTED
    1160,  # ER_NET_ERROR_ON_WRITE
    1161,  # ER_NET_WRITE_INTERRUPTED
    0,  # PyMySQL's InterfaceError on a socket it has closed itself
}
SERVER_UNAVAILABLE = {
    1040,  # ER_CON_COUNT_ERROR: too many connections
    1203,  # ER_TOO_MANY_USER_CONNECTIONS
    1226,  # ER_USER_LIMIT_REACHED
    1290,  # ER_OPTION_PREVENTS_STATEMENT: read-only while failing over
    1021,  # ER_DISK_FULL
    1114,  # ER_RECORD_FILE_FULL
    1317,  # ER_QUERY_INTERRUPTED
    1969,  # ER_STATEMENT_TIMEOUT
    2002,  # CR_CONNECTION_ERROR
    2003,  # CR_CONN_HOST_ERROR
    2005,  # CR_UNKNOWN_HOST
}
DUPLICATE_ENTRY = 1062
# At the end of the text: the value quoted before it may be anything a partner sent.
_INDEX_NAME = re.compile(r"for key '(?:[^'.]*\.)?([^'.]+)'$")


def verdict(error: DBAPIError) -> Verdict:
    """What `error` means for its transaction."""
    cause = error.orig
    if isinstance(cause, sqlite3.Error):
        return _sqlite_verdict(cause)
    number = cause.args[0] if cause is not None and cause.args else None
    if number == DUPLICATE_ENTRY:
        return Verdict.DUPLICATE
    if number in REPEATABLE:
        return Verdict.REPEAT
    if number in CONNECTION_LOST or error.connection_invalidated:
        return Verdict.LOST
    return Verdict.UNAVAILABLE if number in SERVER_UNAVAILABLE else Verdict.BUG


def duplicate_index(error: DBAPIError) -> str:
    """The name of the index (MariaDB) or its `table.column` list (SQLite); never the values."""
    text = str(error.orig.args[-1]) if error.orig is not None and error.orig.args else ""
    if isinstance(error.orig, sqlite3.Error):
        return text.partition("UNIQUE constraint failed: ")[2] or "unknown"
    found = _INDEX_NAME.search(text)
    return found.group(1) if found else "unknown"


def _sqlite_verdict(cause: sqlite3.Error) -> Verdict:
    code = getattr(cause, "sqlite_errorcode", None) or 0
    if code in (sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY):
        return Verdict.DUPLICATE
    primary = code & 0xFF
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Verdict.REPEAT
    if primary in (
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_READONLY,
    ):
        return Verdict.UNAVAILABLE
    return Verdict.BUG
