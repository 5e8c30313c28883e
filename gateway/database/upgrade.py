"""Bringing a database to the newest schema, and telling which schema it has."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

MIGRATIONS = Path(__file__).parent / "migrations"


def upgrade(connection: Connection) -> None:
    """Run every migration that the database lacks."""
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def current(connection: Connection) -> str | None:
    """The revision the database is at, None for an empty one."""
    return MigrationContext.configure(connection).get_current_revision()


def newest() -> str:
    """The revision this code needs."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    if head is None:
        raise RuntimeError("the migrations are missing from this installation")
    return head


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    return config
