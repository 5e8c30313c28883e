"""Triggers that make a table append-only, on both databases."""

import sqlalchemy as sa
import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

log = structlog.get_logger()

DENIED = 1142  # ER_TABLEACCESS_DENIED_ERROR
REFUSED = {
    1419,  # ER_BINLOG_CREATE_ROUTINE_NEED_SUPER: the binary log is on, the user lacks SUPER
    DENIED,  # the user lacks TRIGGER
    1227,  # ER_SPECIFIC_ACCESS_DENIED_ERROR
}
APPEND_ONLY = ("movements", "entries", "audit_trail", "payout_events")
EVENTS = ("update", "delete")


def make_append_only(connection: Connection, table: str) -> None:
    """Refuse every UPDATE and DELETE of a table's rows.

    Where the server refuses triggers (binary log on, no SUPER), the application's database user
    must lack these two grants instead; `gateway doctor` tells when neither is so. A trigger that
    is there already stays.
    """
    for event in EVENTS:
        try:
            connection.exec_driver_sql(_statement(connection.dialect.name, table, event))
        except DBAPIError as error:
            if error.orig is None or error.orig.args[0] not in REFUSED:
                raise
            log.warning("trigger_refused", table=table, advice="revoke UPDATE and DELETE on it")
            return


def make_missing(connection: Connection) -> None:
    """Make the triggers the schema needs and lacks: one was refused once, or lost in a rebuild."""
    found = names(connection)
    for table in APPEND_ONLY:
        if any(_name(table, event) not in found for event in EVENTS):
            make_append_only(connection, table)


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


def unguarded(connection: Connection) -> set[str]:
    """The expected triggers that are missing where no missing grant makes up for them."""
    found = names(connection)
    return {
        _name(table, event)
        for table in APPEND_ONLY
        for event in EVENTS
        if _name(table, event) not in found and _may(connection, table, event)
    }


def _may(connection: Connection, table: str, event: str) -> bool:
    """Whether the database user may change a table's rows; asks with a change of no row."""
    rows = sa.table(table, sa.column("id"))
    change = sa.update(rows).values(id=rows.c.id) if event == "update" else sa.delete(rows)
    try:
        connection.execute(change.where(sa.false()))
    except DBAPIError as error:
        if error.orig is not None and error.orig.args[0] == DENIED:
            return False
        raise
    return True


def _name(table: str, event: str) -> str:
    return f"tr_{table}_no_{event}"


def _statement(dialect: str, table: str, event: str) -> str:
    name, action = _name(table, event), event.upper()
    head = f"CREATE TRIGGER IF NOT EXISTS {name} BEFORE {action} ON {table} FOR EACH ROW"
    refusal = f"{table} is append-only"
    if dialect == "sqlite":
        return f"{head} BEGIN SELECT RAISE(ABORT, '{refusal}'); END"
    return f"{head} SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = '{refusal}'"
