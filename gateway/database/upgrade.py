"""Bringing a database to the newest schema, and telling which schema it has.

Alembic is imported where it is used: that takes a sixth of the time in which a command or a web
process starts, and few of them ask for it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from gateway.database import triggers
from gateway.errors import TryAgain

if TYPE_CHECKING:
    from alembic.config import Config

MIGRATIONS = Path(__file__).parent / "migrations"
NEWEST = "head"
LOCK_SECONDS = 30  # how long one attempt waits for another process's migrations


def upgrade(connection: Connection, revision: str = NEWEST) -> None:
    """Run every migration that the database lacks, one process at a time.

    MariaDB commits each statement of a migration by itself. A migration cut off in the middle
    is run again, so each of them makes only what is not there yet.
    """
    from alembic import command

    config = _config()
    config.attributes["connection"] = connection
    with _alone(connection):
        command.upgrade(config, revision)
        if revision == NEWEST:
            triggers.make_missing(connection)
        connection.commit()


@contextmanager
def _alone(connection: Connection) -> Iterator[None]:
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("SELECT 1")  # BEGIN IMMEDIATE takes the one write lock
        yield
        return
    name = "CONCAT('gateway upgrade ', DATABASE())"
    taken = connection.exec_driver_sql(f"SELECT GET_LOCK({name}, {LOCK_SECONDS})").scalar()
    if taken != 1:
        raise TryAgain("another process is upgrading the schema")
    try:
        yield
    finally:
        if not connection.invalidated:
            connection.rollback()  # after a refused statement nothing else would be let through
            connection.exec_driver_sql(f"DO RELEASE_LOCK({name})")


def current(connection: Connection) -> str | None:
    """The revision the database is at, None for an empty one."""
    from alembic.runtime.migration import MigrationContext

    return MigrationContext.configure(connection).get_current_revision()


def newest() -> str:
    """The revision this code needs."""
    from alembic.script import ScriptDirectory

    head = ScriptDirectory.from_config(_config()).get_current_head()
    if head is None:
        raise RuntimeError("the migrations are missing from this installation")
    return head


def _config() -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    return config
