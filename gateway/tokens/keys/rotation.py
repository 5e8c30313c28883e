"""Which key new rows are written with, who holds it, and when that may change (T2)."""

import os
import platform
import secrets
from datetime import datetime, timedelta
from functools import cache

from sqlalchemy import Connection

from gateway.errors import BadInput, RaceLost
from gateway.tokens.keys import store
from gateway.tokens.keys.rings import PURPOSES, KeyRings, Ring

REPORT_SECONDS = 20  # how often a process says which keys it holds
REPORT_VALID = timedelta(seconds=90)  # a process silent for longer is taken for gone


class RotationRefused(BadInput):
    """A running process does not hold the key yet; the text names the processes."""


def write_kid(
    connection: Connection, rings: KeyRings, purpose: str, now: datetime, *, held: bool = False
) -> str:
    """The key id that new rows are written with, as the database names it.

    The first process names its newest key. `held`: it stays so until this transaction ends, and a
    rotation waits. Raises `KeyMissing` when this process lacks the key, `KeyDiffers` when it holds
    another one under that id.
    """
    ring = rings.ring(purpose)
    named = store.writing(connection, purpose, held=held)
    if named is None:
        _remember(connection, ring, ring.newest, now)
        store.name_write_kid(connection, purpose, ring.newest, now)
        return ring.newest
    ring.check(named.kid, named.fingerprint)
    if named.fingerprint is None:
        _remember(connection, ring, named.kid, now)
    return named.kid


def _remember(connection: Connection, ring: Ring, kid: str, now: datetime) -> None:
    """Keep which key the id stands for; raises `KeyMissing`, `KeyDiffers`, before any write."""
    known = store.written(connection, ring.purpose)
    ring.check(kid, known.get(kid))
    fingerprint = ring.fingerprint(kid)
    if kid not in known:
        store.remember(connection, ring.purpose, kid, fingerprint, now)
    elif known[kid] is None and not store.say_which(connection, ring.purpose, kid, fingerprint):
        raise RaceLost("another process has said which key the id stands for")


def process_name() -> str:
    """This process among all that serve the gateway.

    Containers may share a host name, and each then numbers its processes alike.
    """
    pid = os.getpid()
    return f"{platform.node()}:{pid}:{_mark(pid)}"


@cache  # by process: one forked from another has its own
def _mark(pid: int) -> str:
    return secrets.token_hex(4)


def report(connection: Connection, rings: KeyRings, role: str, now: datetime) -> None:
    """Say which keys this process holds: a rotation waits until every running one has the new.

    Key ids written with before fingerprints were kept get theirs from the first that reports.
    """
    for ring in (rings.generate, rings.lookup):
        for kid, written in store.written(connection, ring.purpose).items():
            if not ring.agrees(kid, written):
                _retire_unneeded(connection, rings, ring.purpose, kid, now)
            elif written is None:
                store.say_which(connection, ring.purpose, kid, ring.fingerprint(kid))
    store.report_keys(
        connection,
        process_name(),
        role,
        ",".join(rings.generate.prints),
        ",".join(rings.lookup.prints),
        now,
    )


def is_needed(connection: Connection, rings: KeyRings, purpose: str, kid: str) -> bool:
    """Whether a live token, or anything else that is kept, needs this key."""
    by_others = rings.others_need(connection, purpose, kid)
    return by_others or store.is_needed(connection, purpose, kid)


def _retire_unneeded(
    connection: Connection, rings: KeyRings, purpose: str, kid: str, now: datetime
) -> None:
    """Strike a key off that this process lacks and nothing needs.

    Not soon after a rotation: a transaction begun before it may still write with the old key.
    """
    named = store.writing(connection, purpose)
    if (
        named is not None
        and named.kid != kid
        and named.changed_at < now - REPORT_VALID
        and not is_needed(connection, rings, purpose, kid)
    ):
        store.retire(connection, purpose, kid)


def insist_on_all(connection: Connection, ring: Ring) -> None:
    """Raise `KeyMissing` or `KeyDiffers` when the ring lacks a key that may be needed.

    For the moment before a token, or a repeated request, is called unknown: this process may be the
    one that is wrong.
    """
    for kid, written in store.written(connection, ring.purpose).items():
        ring.check(kid, written)


def sign_off(connection: Connection) -> None:
    """Say that this process is gone, so that a rotation need not wait for its report to age."""
    store.forget(connection, process_name())


def missing(connection: Connection, rings: KeyRings) -> list[str]:
    """The keys that are needed, and the write keys, that this process lacks, as `purpose:kid`;
    as `purpose:kid differs` where it holds another key under the id.

    Tables are asked only about keys that are not in the ring, which is rare: a probe is cheap.
    """
    return sorted(
        f"{purpose}:{kid} differs" if kid in rings.ring(purpose) else f"{purpose}:{kid}"
        for purpose in PURPOSES
        for kid, written in store.written(connection, purpose).items()
        if not rings.ring(purpose).agrees(kid, written)
        and (
            kid == store.write_kid(connection, purpose)
            or is_needed(connection, rings, purpose, kid)
        )
    )


def rotate(connection: Connection, rings: KeyRings, purpose: str, kid: str, now: datetime) -> None:
    """Write with `kid` from now on; refused until every running process has reported it.

    Raises `KeyMissing`, `KeyDiffers` or `RotationRefused`. The old key stays in the rings
    until nothing needs it: `missing` keeps a process without it from being ready.
    """
    ring = rings.ring(purpose)
    wanted = f"{kid}:{ring.fingerprint(kid)}"
    # By key, not by id: the same id may stand for another key in a process's settings.
    lacking = [
        f"{process} (has another key as {kid})" if f",{kid}:" in f",{held}" else process
        for process, held in store.reported(connection, purpose, now - REPORT_VALID)
        if wanted not in held.split(",")
    ]
    if lacking:
        raise RotationRefused(f"these processes do not hold {kid} yet: {', '.join(lacking)}")
    _remember(connection, ring, kid, now)
    if not store.change_write_kid(connection, purpose, kid, now):
        store.name_write_kid(connection, purpose, kid, now)
