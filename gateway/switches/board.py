"""What is paused now, as a busy process asks for it: the database is read once a second at most."""

import threading
from collections.abc import Callable
from datetime import datetime

import structlog
from sqlalchemy import Connection

from gateway.clock import monotonic
from gateway.database.engine import Database
from gateway.errors import BadInput, TryAgain
from gateway.formats.digits import hidden
from gateway.switches import store

log = structlog.get_logger()

REDEEM = "redeem"  # every redemption by a caller
SENDS = "sends"  # people sending tokens to each other
PAYOUTS = "payouts"  # withdrawals leave us
SMS = "sms"  # every text message
PARTS = (REDEEM, SENDS, PAYOUTS, SMS)
PROVIDERS = ("airtelmoney", "mpesa", "selcom", "snippe", "tigopesa")
CHANNELS = ("africastalking", "kannel")  # of SMS
PROVIDER = "provider:"  # and the name of either: every call to it
FRESH_SECONDS = 1.0
REASON_MAX = 200


class Board:
    """The switches as this process knows them.

    What it says may be a second old. A switch stops what begins, not what is under way, so the
    second costs nothing that the moment before the switch would not have cost.
    """

    def __init__(self, database: Database, seconds: Callable[[], float] = monotonic) -> None:
        self._database = database
        self._seconds = seconds
        self._reading = threading.Lock()
        self._read_at: float | None = None
        self._paused: frozenset[str] = frozenset()

    def is_paused(self, what: str, connection: Connection | None = None) -> bool:
        """Whether operators have paused this part.

        Reads through `connection`, when a read is due and the caller is in a transaction anyway:
        a second connection for each turn would run a full pool dry. Without one, a database that
        cannot be read leaves the last known state.
        """
        if self._is_due():
            self._read(connection)
        return what in self._paused

    def _is_due(self) -> bool:
        read_at = self._read_at
        return read_at is None or self._seconds() - read_at >= FRESH_SECONDS

    def _read(self, connection: Connection | None) -> None:
        # Others go on with what is known; only at the very first nobody knows anything.
        if not self._reading.acquire(blocking=self._read_at is None):
            return
        try:
            if self._is_due():
                self._paused = self._found(connection)
                self._read_at = self._seconds()
        finally:
            self._reading.release()

    def _found(self, connection: Connection | None) -> frozenset[str]:
        if connection is not None:
            return store.paused(connection)
        try:
            with self._database.snapshot() as own:
                return store.paused(own)
        except TryAgain as error:
            log.warning("switches_not_read", error=str(error))
            return self._paused


def known(what: str) -> str:
    """The name of a switch; raises `BadInput` for one that would stop nothing.

    >>> known("Provider:MPESA "), known("redeem")
    ('provider:mpesa', 'redeem')
    >>> known("provider:nobody")
    Traceback (most recent call last):
    gateway.errors.BadInput: no such switch; the providers are airtelmoney, ..., kannel
    """
    name = what.strip().lower()
    outside = (*PROVIDERS, *CHANNELS)
    if name in PARTS or name in [f"{PROVIDER}{each}" for each in outside]:
        return name
    if name.startswith(PROVIDER):
        raise BadInput(f"no such switch; the providers are {', '.join(outside)}")
    raise BadInput(f"no such switch; they are {', '.join(PARTS)} and {PROVIDER}NAME")


def throw(
    connection: Connection, what: str, actor: str, reason: str, now: datetime, *, pause: bool
) -> str:
    """Pause or resume a part for every process; its name. The caller records it in the trail.

    Raises `BadInput` for an unknown part, and when it stands so already.
    """
    name = known(what)
    if not store.throw(connection, name, actor, hidden(reason)[:REASON_MAX], now, pause=pause):
        raise BadInput(f"{name} is {'paused' if pause else 'not paused'}")
    return name
