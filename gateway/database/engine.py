"""Connections and the unit of work: one transaction, repeated as a whole, within a deadline."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from gateway.clock import monotonic
from gateway.database import upgrade
from gateway.database.faults import Verdict, duplicate_index, verdict
from gateway.errors import (
    CommitUnknown,
    DeadlineExceeded,
    DuplicateKey,
    RaceLost,
    TryAgain,
)

T = TypeVar("T")

ATTEMPTS_MAX = 8
PAUSE_SECONDS_MAX = 0.05  # the longest first pause between two attempts; doubles each time
CONNECT_SECONDS_MAX = 5.0
STATEMENT_SECONDS_MAX = 60.0  # without a deadline (workers, command line)
LOCK_WAIT_SECONDS = 2  # innodb_lock_wait_timeout; a turn's own deadline is shorter still
POOL_SIZE = 16
RECYCLE_SECONDS = 240  # below any sensible wait_timeout


class Deadline:
    """A point on the monotonic clock by which everything must be over."""

    def __init__(self, seconds: float) -> None:
        self._end = monotonic() + seconds

    def remaining(self) -> float:
        """Seconds left, at most zero when it has passed."""
        return max(0.0, self._end - monotonic())


# The deadline of the unit of work this thread is in; connection events need to see it.
_deadline: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


class Database:
    """One database, SQLite or MariaDB, and the two ways to use it: `run` and `snapshot`."""

    def __init__(self, url: str, *, pool_size: int = POOL_SIZE) -> None:
        self.url = make_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        options = _sqlite_options() if self.is_sqlite else _mariadb_options()
        self.engine: Engine = create_engine(
            self.url,
            pool_size=pool_size,
            max_overflow=0,
            pool_timeout=CONNECT_SECONDS_MAX / 5,
            pool_reset_on_return=None,  # every unit of work commits or rolls back itself
            hide_parameters=True,
            **options,
        )
        if self.is_sqlite:
            _listen_sqlite(self.engine)
        else:
            _listen_mariadb(self.engine)

    def run(
        self,
        work: Callable[[Connection], T],
        *,
        deadline: Deadline | None = None,
        keyed: bool = False,
    ) -> T:
        """Do `work` in one transaction; what it returns is true once this returns.

        A lost race, deadlock, lock time-out or lost connection repeats the whole of it, at most
        `ATTEMPTS_MAX` times with jitter. `keyed` says that a unique row written by `work` makes
        it safe to repeat after a COMMIT whose answer was lost.

        Raises `TryAgain` (rolled back), `CommitUnknown`, `DuplicateKey` (a unique index refused
        even a repeat) and whatever `work` raises, always after a rollback.
        """
        token = _deadline.set(deadline)
        try:
            return self._repeat(work, deadline, keyed)
        finally:
            _deadline.reset(token)

    def _repeat(self, work: Callable[[Connection], T], deadline: Deadline | None, keyed: bool) -> T:
        failure: Exception = TryAgain("no attempt was made")
        commit_unknown = False
        for attempt in range(ATTEMPTS_MAX):
            if attempt:
                _pause(attempt, deadline)
            if deadline is not None and deadline.remaining() <= 0:
                break
            try:
                return self._attempt(work)
            except (RaceLost, DuplicateKey, TryAgain) as error:
                failure = error
                if isinstance(error, DeadlineExceeded):
                    break
            except CommitUnknown as error:
                failure, commit_unknown = error, True
                if not keyed:
                    break
        if commit_unknown:
            raise CommitUnknown("no answer to COMMIT") from failure
        if isinstance(failure, (DuplicateKey, TryAgain)):
            raise failure
        raise TryAgain(f"gave up after repeats: {failure}") from failure

    def _attempt(self, work: Callable[[Connection], T]) -> T:
        committing = False
        try:
            with self.engine.connect() as connection:
                result = work(connection)
                _check_deadline(connection)
                committing = True
                connection.commit()
                return result
        except PoolTimeout as error:
            raise TryAgain("no free database connection") from error
        except DBAPIError as error:
            raise _translated(error, committing) from error

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A read-only transaction in which every statement sees the same instant."""
        with self.engine.connect() as connection:
            if self.is_sqlite:
                yield connection.execution_options(gateway_reads=True)
            else:
                reads = connection.execution_options(isolation_level="REPEATABLE READ")
                reads.exec_driver_sql("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
                yield reads
            connection.rollback()

    def upgrade(self) -> None:
        """Bring the schema to what this code needs."""
        self.run(upgrade.upgrade)

    def dispose(self) -> None:
        """Close every idle connection."""
        self.engine.dispose()


def _translated(error: DBAPIError, committing: bool) -> Exception:
    meaning = verdict(error)
    if meaning is Verdict.DUPLICATE:
        return DuplicateKey(duplicate_index(error))
    if meaning is Verdict.LOST and committing:
        return CommitUnknown("connection lost at COMMIT")
    if meaning is Verdict.BUG:
        return error
    remaining = _deadline.get()
    if remaining is not None and remaining.remaining() <= 0:
        return DeadlineExceeded("the database did not answer in time")
    return TryAgain(f"{meaning.value}: {type(error.orig).__name__}")


def _pause(attempt: int, deadline: Deadline | None) -> None:
    longest = PAUSE_SECONDS_MAX * 2 ** min(attempt - 1, 4)
    seconds = random.uniform(0.2, 1.0) * longest
    if deadline is not None:
        seconds = min(seconds, deadline.remaining())
    time.sleep(seconds)


def _check_deadline(connection: Connection) -> None:
    """Before each statement and before COMMIT: no time left means nothing more is sent."""
    deadline = _deadline.get()
    raw: Any = connection.connection.dbapi_connection
    seconds = STATEMENT_SECONDS_MAX
    if deadline is not None:
        seconds = deadline.remaining()
        if seconds <= 0:
            raise DeadlineExceeded("the time for this unit of work ran out")
    if hasattr(raw, "_read_timeout"):
        # PyMySQL reads this before each packet; it has no public way to change it per statement.
        raw._read_timeout = seconds


def _mariadb_options() -> dict[str, Any]:
    return {
        "isolation_level": "READ COMMITTED",
        "pool_recycle": RECYCLE_SECONDS,
        "connect_args": {
            "charset": "utf8mb4",
            "connect_timeout": CONNECT_SECONDS_MAX,
            "read_timeout": CONNECT_SECONDS_MAX,
            "write_timeout": CONNECT_SECONDS_MAX,
            "init_command": (
                "SET SESSION time_zone = '+00:00', sql_mode = 'TRADITIONAL',"
                f" innodb_lock_wait_timeout = {LOCK_WAIT_SECONDS}"
            ),
        },
    }


def _listen_mariadb(engine: Engine) -> None:
    def before_cursor_execute(connection: Connection, *_: Any) -> None:
        _check_deadline(connection)

    def do_connect(_dialect: Any, _record: Any, _args: Any, parameters: dict[str, Any]) -> None:
        deadline = _deadline.get()
        if deadline is not None:
            # A server that accepts and then says nothing must not outlast the turn either.
            seconds = max(0.05, deadline.remaining())
            parameters.update(connect_timeout=seconds, read_timeout=seconds)

    event.listen(engine, "before_cursor_execute", before_cursor_execute)
    event.listen(engine, "do_connect", do_connect)


def _sqlite_options() -> dict[str, Any]:
    return {"connect_args": {"check_same_thread": False, "timeout": CONNECT_SECONDS_MAX}}


def _listen_sqlite(engine: Engine) -> None:
    def connect(raw: Any, _record: Any) -> None:
        # The driver must not begin transactions by itself: BEGIN IMMEDIATE below does.
        raw.isolation_level = None
        for pragma in ("journal_mode = WAL", "foreign_keys = ON", "synchronous = FULL"):
            raw.execute(f"PRAGMA {pragma}")

    def begin(connection: Connection) -> None:
        deadline = _deadline.get()
        seconds = CONNECT_SECONDS_MAX if deadline is None else deadline.remaining()
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {max(1, round(seconds * 1000))}")
        reads = connection.get_execution_options().get("gateway_reads", False)
        # A deferred BEGIN that turns into a write fails at once when another writer is there.
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    def before_cursor_execute(connection: Connection, *_: Any) -> None:
        deadline = _deadline.get()
        if deadline is not None and deadline.remaining() <= 0:
            raise DeadlineExceeded("the time for this unit of work ran out")

    event.listen(engine, "connect", connect)
    event.listen(engine, "begin", begin)
    event.listen(engine, "before_cursor_execute", before_cursor_execute)
