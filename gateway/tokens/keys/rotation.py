"""Which key new rows are written with, who holds it, and when that may change (T2)."""

import os
import platform
from datetime import datetime, timedelta

from sqlalchemy import Connection

from gateway.errors import BadInput, KeyMissing
from gateway.tokens.keys import store
from gateway.tokens.keys.rings import PURPOSES, KeyRings

REPORT_SECONDS = 20  # how often a process says which keys it holds
REPORT_VALID = timedelta(seconds=90)  # a process silent for longer is taken for gone


class RotationRefused(BadInput):
    """A running process does not hold the key yet; the text names the processes."""


def write_kid(connection: Connection, rings: KeyRings, purpose: str, now: datetime) -> str:
    """The key id that new rows are written with, as the database names it.

    The first process names its newest key. Raises `KeyMissing` when this process lacks the key.
    """
    kid = store.write_kid(connection, purpose)
    if kid is None:
        kid = rings.ring(purpose).newest
        store.name_write_kid(connection, purpose, kid, now)
    if kid not in rings.ring(purpose):
        raise KeyMissing(purpose, kid)
    return kid


def process_name() -> str:
    """This process among all that serve the gateway."""
    return f"{platform.node()}:{os.getpid()}"


def report(connection: Connection, rings: KeyRings, role: str, now: datetime) -> None:
    """Say which keys this process holds: a rotation waits until every running one has the new."""
    store.report_keys(
        connection,
        process_name(),
        role,
        ",".join(rings.generate.kids),
        ",".join(rings.lookup.kids),
        now,
    )


def sign_off(connection: Connection) -> None:
    """Say that this process is gone, so that a rotation need not wait for its report to age."""
    store.forget(connection, process_name())


def missing(connection: Connection, rings: KeyRings) -> list[str]:
    """The keys of live tokens, and the write keys, that this process lacks, as `purpose:kid`.

    Tokens are asked only about ids that are not in the ring, which is rare: a probe is cheap.
    """
    return sorted(
        f"{purpose}:{kid}"
        for purpose in PURPOSES
        for kid in store.written(connection, purpose)
        if kid not in rings.ring(purpose)
        and (
            kid == store.write_kid(connection, purpose) or store.is_needed(connection, purpose, kid)
        )
    )


def rotate(connection: Connection, rings: KeyRings, purpose: str, kid: str, now: datetime) -> None:
    """Write with `kid` from now on; refused until every running process has reported it.

    Raises `KeyMissing` or `RotationRefused`. The old key stays in the rings until no live token
    needs it: `missing` keeps a process without it from being ready.
    """
    if kid not in rings.ring(purpose):
        raise KeyMissing(purpose, kid)
    lacking = [
        process
        for process, kids in store.reported(connection, purpose, now - REPORT_VALID)
        if kid not in kids.split(",")
    ]
    if lacking:
        raise RotationRefused(f"these processes do not hold {kid} yet: {', '.join(lacking)}")
    if not store.change_write_kid(connection, purpose, kid, now):
        store.name_write_kid(connection, purpose, kid, now)
