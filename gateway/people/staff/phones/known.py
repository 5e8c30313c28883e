"""Whose phone is one of the staff's, for a busy process: the database is read once a second."""

from collections.abc import Callable, Sequence

from sqlalchemy import Connection

from gateway.clock import monotonic
from gateway.people.staff.phones import store
from gateway.people.staff.store import Role

FRESH_SECONDS = 1.0


class Phones:
    """The phones of active staff in some roles, as this process knows them.

    For what a menu offers, not for what somebody may do: it may be a second old. A look-up of its
    own would cost every caller's first screen a statement, and hardly any caller is of the staff.
    """

    def __init__(self, roles: Sequence[Role], seconds: Callable[[], float] = monotonic) -> None:
        self._roles = roles
        self._seconds = seconds
        self._read_at: float | None = None
        self._phones: frozenset[str] = frozenset()

    def has(self, connection: Connection, msisdn: str) -> bool:
        """Whether this (E.164) is one of them; reads through the caller's transaction."""
        now, read_at = self._seconds(), self._read_at
        if read_at is None or now - read_at >= FRESH_SECONDS:
            self._phones = store.active(connection, self._roles)
            self._read_at = now
        return msisdn in self._phones
