"""One process at a time for a job that takes long; a killed process lets go at once.

On MariaDB the lock is the server's (GET_LOCK) and dies with its connection; on SQLite it is a lock
on a file beside the database and dies with its process. Neither leaves anything stale behind. On a
Galera cluster GET_LOCK is local to a node: send all writes to one.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from gateway.database.engine import Database
from gateway.errors import GatewayError, TryAgain


class Busy(GatewayError):
    """Another process is at the same job now."""


class Alone(Protocol):
    """Proof of being alone, as long as `insist` does not raise."""

    def insist(self) -> None:
        """Raise `Busy` when the lock was lost; asked now and then, it keeps the line open."""


@contextmanager
def alone(database: Database, job: str) -> Iterator[Alone]:
    """Do a job that no other process does meanwhile. Raises `Busy` at once if one does."""
    if database.is_sqlite:
        with _file_lock(f"{database.url.database}.{job}.lock"):
            yield _Held()
        return
    with ExitStack() as line:
        try:
            connection = line.enter_context(database.engine.connect())
            name = f"gateway {job} {database.url.database}"[:64]
            is_ours = _asked(connection, "SELECT GET_LOCK(%s, 0)", name) == 1
        except DBAPIError as error:
            kind = type(error.orig).__name__
            raise TryAgain(f"the lock for {job} cannot be had: {kind}") from error
        if not is_ours:
            raise Busy(f"another process is at it: {job}")
        try:
            yield _ServerLock(connection, name)
        finally:
            with suppress(DBAPIError):  # a lost line has let go of it
                if not connection.invalidated:
                    _asked(connection, "SELECT RELEASE_LOCK(%s)", name)


@contextmanager
def _file_lock(path: str) -> Iterator[None]:
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Busy("another process is at it") from None
        yield
    finally:
        os.close(descriptor)


@dataclass(frozen=True, slots=True)
class _Held:
    def insist(self) -> None:
        """A file's lock cannot be lost while the process lives."""


@dataclass(frozen=True, slots=True)
class _ServerLock:
    connection: Connection
    name: str

    def insist(self) -> None:
        """Ask the server whether the lock is still this connection's."""
        try:
            held = _asked(self.connection, "SELECT IS_USED_LOCK(%s) = CONNECTION_ID()", self.name)
        except DBAPIError:
            held = None
        if held != 1:
            raise Busy("the lock was lost with its connection")


def _asked(connection: Connection, query: str, name: str) -> object:
    found: object = connection.exec_driver_sql(query, (name,)).scalar()
    connection.rollback()
    return found
