"""Triggers that make a table append-only, on both databases."""

import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

log = structlog.get_logger()

NEEDS_SUPER = 1419  # ER_BINLOG_CREATE_ROUTINE_NEED_SUPER: refused while the binary log is on
APPEND_ONLY = ("movements", "entries", "audit_trail")
EVENTS = ("update", "delete")


def make_append_only(connection: Connection, table: str) -> None:
    """Refuse every UPDATE and DELETE of a table's rows.

    Where the server refuses triggers (binary log on, no SUPER), the application's database user
    must lack these two grants instead; `gateway doctor` tells when neither is so.
    """
    for event in EVENTS:
        try:
            connection.exec_driver_sql(_statement(connection.dialect.name, table, event))
        except DBAPIError as error:
            if error.orig is None or error.orig.args[0] != NEEDS_SUPER:
                raise
            log.warning("trigger_refused", table=table, advice="revoke UPDATE and DELETE on it")
            return


def names(connection: Connection) -> set[str]:
    """The triggers the database has."""
    query = (
        "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        if connection.dialect.name == "sqlite"
        else "SELECT trigger_name FROM information_schema.triggers"
        " WHERE trigger_schema = DATABASE()"
    )
    return set(connection.exec_driver_sql(query).scalars())


def expected() -> set[str]:
    """The triggers the schema needs."""
    return {_name(table, event) for table in APPEND_ONLY for event in EVENTS}


def _name(table: str, event: str) -> str:
    return f"tr_{table}_no_{event}"


def _statement(dialect: str, table: str, event: str) -> str:
    head = f"CREATE TRIGGER {_name(table, event)} BEFORE {event.upper()} ON {table} FOR EACH ROW"
    refusal = f"{table} is append-only"
    if dialect == "sqlite":
        return f"{head} BEGIN SELECT RAISE(ABORT, '{refusal}'); END"
    return f"{head} SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = '{refusal}'"
