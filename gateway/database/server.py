"""Questions about the database server itself, for the doctor."""

from datetime import UTC, datetime

from sqlalchemy import Connection

from gateway.database import triggers
from gateway.errors import GatewayError

ISOLATION = "READ-COMMITTED"


def version(connection: Connection) -> str:
    """The database and its version."""
    if _is_sqlite(connection):
        return f"SQLite {connection.exec_driver_sql('SELECT sqlite_version()').scalar()}"
    return f"MariaDB {connection.exec_driver_sql('SELECT version()').scalar()}"


def isolation(connection: Connection) -> str:
    """How transactions are kept apart; raises `GatewayError` when not as we need it."""
    if _is_sqlite(connection):
        mode = connection.exec_driver_sql("PRAGMA journal_mode").scalar()
        if mode != "wal":
            raise GatewayError(f"journal_mode is {mode}, not wal")
        return "WAL, BEGIN IMMEDIATE"
    # `tx_isolation` before MariaDB 11.1.
    names = "('transaction_isolation', 'tx_isolation')"
    shown = connection.exec_driver_sql(f"SHOW SESSION VARIABLES WHERE Variable_name IN {names}")
    found = str(shown.all()[0][1])
    if found != ISOLATION:
        raise GatewayError(f"transaction isolation is {found}, not {ISOLATION}")
    return found


def durability(connection: Connection) -> str:
    """Whether a COMMIT that returned survives a power cut; raises `GatewayError` if not."""
    if _is_sqlite(connection):
        level = connection.exec_driver_sql("PRAGMA synchronous").scalar()
        if level != 2:
            raise GatewayError("synchronous is not FULL")
        return "synchronous = FULL"
    level = connection.exec_driver_sql("SELECT @@innodb_flush_log_at_trx_commit").scalar()
    if level != 1:
        raise GatewayError(f"innodb_flush_log_at_trx_commit is {level}: 1 keeps every COMMIT")
    return "innodb_flush_log_at_trx_commit = 1"


def now(connection: Connection) -> datetime:
    """The server's clock."""
    if _is_sqlite(connection):
        text = connection.exec_driver_sql("SELECT strftime('%Y-%m-%d %H:%M:%f', 'now')").scalar()
        return datetime.fromisoformat(str(text)).replace(tzinfo=UTC)
    found = connection.exec_driver_sql("SELECT UTC_TIMESTAMP(6)").scalar_one()
    stamp: datetime = found
    return stamp.replace(tzinfo=UTC)


def missing_triggers(connection: Connection) -> list[str]:
    """The append-only triggers the database lacks and no missing grant makes up for."""
    return sorted(triggers.unguarded(connection))


def _is_sqlite(connection: Connection) -> bool:
    return connection.dialect.name == "sqlite"
