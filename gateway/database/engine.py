"""The unit of work: one transaction, repeated as a whole, within a deadline."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import BoundedSemaphore
from typing import TypeVar

from sqlalchemy import Connection, Engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from gateway.clock import monotonic
from gateway.database import after, prepared, upgrade
from gateway.database.connections import (
    POOL_SECONDS_MAX,
    open_engine,
    refuse_late,
    wait_at_most,
)
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
# A racer's row can be read by the next attempt; one refused again and again is no race.
DUPLICATES_MAX = 4
PAUSE_SECONDS_MAX = 0.05  # the longest first pause between two attempts; doubles each time
POOL_SIZE = 16
UPGRADE_SECONDS_MAX = 3600.0  # a migration may rebuild a large table


class Deadline:
    """A point on the monotonic clock by which everything must be over."""

    def __init__(self, seconds: float) -> None:
        self._end = monotonic() + seconds

    def remaining(self) -> float:
        """Seconds left, at least zero."""
        return max(0.0, self._end - monotonic())


# The deadline of the unit of work this thread is in; connection events need to see it.
_deadline: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


class Database:
    """One database, SQLite or MariaDB, and the two ways to use it: `run` and `snapshot`."""

    def __init__(self, url: str, *, pool_size: int = POOL_SIZE) -> None:
        self.url = make_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.engine: Engine = open_engine(self.url, pool_size, _seconds_left)
        event.listen(self.engine, "before_cursor_execute", prepared.send_waiting)
        # The pool's own waiting knows one time-out for all; ours ends with the deadline.
        self._free = BoundedSemaphore(pool_size)

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
        failure: Exception = DeadlineExceeded("no time was left to begin")
        unknown, duplicates = False, 0
        for attempt in range(ATTEMPTS_MAX):
            if attempt:
                _pause(attempt, deadline)
            if deadline is not None and deadline.remaining() <= 0:
                break
            try:
                return self._attempt(work)
            except CommitUnknown as error:
                failure, unknown = error, True
                if not keyed:
                    break
            except DuplicateKey as error:
                failure, duplicates = error, duplicates + 1
                if duplicates == DUPLICATES_MAX:
                    break
            except (RaceLost, TryAgain) as error:
                failure = error
            except Exception as error:
                # A refusal is no proof of a rollback: it may be caused by what we did commit.
                if unknown:
                    raise CommitUnknown("no answer to COMMIT") from error
                raise
        if unknown:
            raise CommitUnknown("no answer to COMMIT") from failure
        if isinstance(failure, RaceLost):
            raise TryAgain(f"gave up after repeats: {failure}") from failure
        raise failure

    def _attempt(self, work: Callable[[Connection], T]) -> T:
        committing = False
        try:
            with (
                self._connection() as connection,
                prepared.gathering(),
                after.gathering() as waiting,
            ):
                result = work(connection)
                prepared.send_waiting(connection)
                refuse_late(_seconds_left())
                committing = True
                _commit(connection)
        except DBAPIError as error:
            raise _translated(error, committing) from error
        if waiting:
            after.done(waiting)
        return result

    @contextmanager
    def snapshot(self, deadline: Deadline | None = None) -> Iterator[Connection]:
        """A read-only transaction in which every statement sees the same instant.

        Raises `TryAgain` when the database cannot be read now.
        """
        token = _deadline.set(deadline)
        try:
            with self._connection() as connection:
                if self.is_sqlite:
                    connection.execution_options(gateway_reads=True)
                else:
                    # For the next transaction alone, so that nothing needs to be put back.
                    connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                    connection.exec_driver_sql(
                        "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"
                    )
                yield connection
        except DBAPIError as error:
            raise _translated(error, committing=False) from error
        finally:
            _deadline.reset(token)

    def upgrade(self) -> None:
        """Bring the schema to what this code needs."""
        self.run(upgrade.upgrade, deadline=Deadline(UPGRADE_SECONDS_MAX))

    def dispose(self) -> None:
        """Close every idle connection."""
        self.engine.dispose()

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        """A connection of the pool; given back rolled back, unless what it did was committed."""
        seconds = _seconds_left()
        if not self._free.acquire(timeout=POOL_SECONDS_MAX if seconds is None else seconds):
            raise TryAgain("no free database connection")
        try:
            with self.engine.connect() as connection:
                yield connection
        except PoolTimeout as error:
            raise TryAgain("no free database connection") from error
        finally:
            self._free.release()


def _seconds_left() -> float | None:
    deadline = _deadline.get()
    return None if deadline is None else deadline.remaining()


def _commit(connection: Connection) -> None:
    wait_at_most(connection.connection.dbapi_connection, _seconds_left())
    try:
        connection.commit()
    except DBAPIError:
        if not connection.invalidated:
            _abandon(connection)
        raise


def _abandon(connection: Connection) -> None:
    """End a transaction whose COMMIT failed: left alone, the next user of the connection would
    commit it. SQLAlchemy takes a failed COMMIT for the transaction's end and sends no ROLLBACK.
    """
    pooled = connection.connection
    try:
        pooled.rollback()
    except connection.dialect.loaded_dbapi.Error:
        connection.invalidate()


def _translated(error: DBAPIError, committing: bool) -> Exception:
    meaning = verdict(error)
    if meaning is Verdict.DUPLICATE:
        return DuplicateKey(duplicate_index(error))
    if committing and meaning is not Verdict.REPEAT and not isinstance(error, IntegrityError):
        return CommitUnknown(f"{meaning.value} at COMMIT")  # only a clear word is believed there
    if meaning is Verdict.BUG:
        return error
    seconds = _seconds_left()
    if seconds is not None and seconds <= 0:
        return DeadlineExceeded("the database did not answer in time")
    return TryAgain(f"{meaning.value}: {type(error.orig).__name__}")


def _pause(attempt: int, deadline: Deadline | None) -> None:
    longest = PAUSE_SECONDS_MAX * 2 ** min(attempt - 1, 4)
    seconds = random.uniform(0.2, 1.0) * longest
    if deadline is not None:
        seconds = min(seconds, deadline.remaining() / 2)
    time.sleep(seconds)
