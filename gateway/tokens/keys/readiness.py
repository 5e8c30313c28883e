"""Why a process should not be sent callers: its schema, or a key of live tokens that it lacks."""

from functools import partial

import structlog
from sqlalchemy import Connection

from gateway.database import upgrade
from gateway.database.engine import Database, Deadline
from gateway.errors import CommitUnknown, TryAgain
from gateway.tokens.keys import rotation
from gateway.tokens.keys.rings import KeyRings

log = structlog.get_logger()

READY_SECONDS = 2.0


def obstacles(database: Database, rings: KeyRings) -> list[str]:
    """What stands in the way, in plain words; empty when the process is ready."""
    try:
        return database.run(partial(_found, rings), deadline=Deadline(READY_SECONDS))
    except (TryAgain, CommitUnknown) as error:
        return [f"database: {error}"]
    except Exception as error:  # whatever it is (no rights, no such database): not ready
        log.info("readiness_unknown", exc_info=True)
        return [f"database: {type(error).__name__}"]


def _found(rings: KeyRings, connection: Connection) -> list[str]:
    at, needed = upgrade.current(connection), upgrade.newest()
    if at != needed:
        return [f"schema: at {at or 'nothing'}, needs {needed}: run gateway db upgrade first"]
    return [f"key missing: {kid}" for kid in rotation.missing(connection, rings)]
