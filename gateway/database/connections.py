"""Opening connections: what each engine must be told once, and time-outs that follow a deadline."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import URL, Connection, Engine, ExceptionContext, create_engine, event

from gateway.database.driver import RememberingConnection
from gateway.errors import DeadlineExceeded

CONNECT_SECONDS_MAX = 5.0
STATEMENT_SECONDS_MAX = 60.0  # without a deadline (workers, command line)
ROLLBACK_SECONDS_MIN = 0.1  # what a rollback gets after the deadline, before the line is cut
POOL_SECONDS_MAX = 1.0  # waiting for a free connection without a deadline
# innodb_lock_wait_timeout and lock_wait_timeout: a turn's own deadline is shorter still, but a
# statement that nobody waits for any more stands in the server's queue until this is over.
LOCK_WAIT_SECONDS = 2
RECYCLE_SECONDS = 240  # below any sensible wait_timeout
# Time-outs this close to the deadline are left as they are: each change costs a system call.
SLACK_SECONDS = 0.1

# Seconds until the deadline of the unit of work under way, None without one.
SecondsLeft = Callable[[], float | None]


def open_engine(url: URL, pool_size: int, seconds_left: SecondsLeft) -> Engine:
    """An engine whose connections are fit for money, and never wait beyond the deadline."""
    is_sqlite = url.get_backend_name() == "sqlite"
    engine = create_engine(
        url,
        pool_size=pool_size,
        max_overflow=0,
        pool_timeout=POOL_SECONDS_MAX,
        pool_reset_on_return=None,  # every unit of work commits or rolls back itself
        hide_parameters=True,
        **(_SQLITE_OPTIONS if is_sqlite else _MARIADB_OPTIONS),
    )
    listen = _listen_sqlite if is_sqlite else _listen_mariadb
    listen(engine, seconds_left)
    return engine


def refuse_late(seconds_left: float | None) -> None:
    """Nothing more is sent once the time is over."""
    if seconds_left is not None and seconds_left <= 0:
        raise DeadlineExceeded("the time for this unit of work ran out")


def wait_at_most(raw: Any, seconds: float | None) -> None:
    """Let the driver wait this long for the server's next packet; SQLite has no packets."""
    current = getattr(raw, "_read_timeout", None)
    if current is None:
        return
    wanted = STATEMENT_SECONDS_MAX if seconds is None else seconds
    if not wanted <= current <= wanted + SLACK_SECONDS:
        # PyMySQL reads both before each packet; it has no public way to change them per statement.
        raw._read_timeout = raw._write_timeout = wanted


_MARIADB_OPTIONS: dict[str, Any] = {
    "isolation_level": "READ COMMITTED",
    "pool_recycle": RECYCLE_SECONDS,
    "connect_args": {
        "charset": "utf8mb4",
        "connect_timeout": CONNECT_SECONDS_MAX,
        "read_timeout": CONNECT_SECONDS_MAX,
        "write_timeout": CONNECT_SECONDS_MAX,
        "init_command": (
            "SET SESSION time_zone = '+00:00', sql_mode = 'TRADITIONAL',"
            f" innodb_lock_wait_timeout = {LOCK_WAIT_SECONDS},"
            f" lock_wait_timeout = {LOCK_WAIT_SECONDS}"
        ),
    },
}
_SQLITE_OPTIONS: dict[str, Any] = {
    "connect_args": {"check_same_thread": False, "timeout": CONNECT_SECONDS_MAX}
}
_SQLITE_PRAGMAS = (
    "journal_mode = WAL",
    "foreign_keys = ON",
    "synchronous = FULL",
    "recursive_triggers = ON",  # without it a REPLACE deletes rows past the append-only triggers
)


def _listen_mariadb(engine: Engine, seconds_left: SecondsLeft) -> None:
    def before_cursor_execute(_: Connection, cursor: Any, *__: Any) -> None:
        seconds = seconds_left()
        refuse_late(seconds)
        wait_at_most(cursor.connection, seconds)

    def rollback(connection: Connection) -> None:
        seconds = seconds_left()
        if seconds is not None and not connection.invalidated:
            raw = connection.connection.dbapi_connection
            wait_at_most(raw, max(ROLLBACK_SECONDS_MIN, seconds))

    def handle_error(context: ExceptionContext) -> None:
        # A line cut by our own deadline says nothing of the others: replacing the whole pool
        # each time would be a storm of connections just when the server is slow.
        if seconds_left() == 0:
            context.invalidate_pool_on_disconnect = False

    def do_connect(_dialect: Any, _record: Any, args: Any, parameters: dict[str, Any]) -> Any:
        # A server that accepts and then says nothing must not outlast the turn either.
        seconds = _connect_seconds(seconds_left())
        parameters.update(connect_timeout=seconds, read_timeout=seconds, write_timeout=seconds)
        return RememberingConnection(*args, **parameters)

    event.listen(engine, "before_cursor_execute", before_cursor_execute)
    event.listen(engine, "rollback", rollback)
    event.listen(engine, "handle_error", handle_error)
    event.listen(engine, "do_connect", do_connect)


def _listen_sqlite(engine: Engine, seconds_left: SecondsLeft) -> None:
    def do_connect(_dialect: Any, _record: Any, _args: Any, parameters: dict[str, Any]) -> None:
        parameters["timeout"] = _connect_seconds(seconds_left())

    def connect(raw: Any, _record: Any) -> None:
        # The driver must not begin transactions by itself: BEGIN IMMEDIATE below does.
        raw.isolation_level = None
        for pragma in _SQLITE_PRAGMAS:
            raw.execute(f"PRAGMA {pragma}")

    def begin(connection: Connection) -> None:
        raw: Any = connection.connection.dbapi_connection
        milliseconds = round(_connect_seconds(seconds_left()) * 1000)
        raw.execute(f"PRAGMA busy_timeout = {milliseconds}")
        reads = connection.get_execution_options().get("gateway_reads", False)
        # A deferred BEGIN that turns into a write fails at once when another writer is there.
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    def before_cursor_execute(*_: Any) -> None:
        refuse_late(seconds_left())

    event.listen(engine, "do_connect", do_connect)
    event.listen(engine, "connect", connect)
    event.listen(engine, "begin", begin)
    event.listen(engine, "before_cursor_execute", before_cursor_execute)


def _connect_seconds(seconds_left: float | None) -> float:
    if seconds_left is None:
        return CONNECT_SECONDS_MAX
    return min(CONNECT_SECONDS_MAX, max(0.05, seconds_left))
