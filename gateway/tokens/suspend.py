"""Suspending a token and resuming it: while suspended it neither redeems nor expires."""

from datetime import datetime

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.tokens import store
from gateway.tokens.retire import WrongState, current
from gateway.tokens.store import Status, Token


def suspend(connection: Connection, token: Token, actor: str, reason: str, now: datetime) -> None:
    """Stop an issued token. Raises `WrongState`."""
    changed = store.change_status(
        connection, token.id, (Status.ISSUED,), Status.SUSPENDED, now, expired_by_clock=False
    )
    if not changed:
        raise WrongState(current(connection, token.id, now))
    trail.record(connection, actor, "token.suspend", token.serial, now, reason)


def resume(connection: Connection, token: Token, actor: str, reason: str, now: datetime) -> None:
    """Let a suspended token be redeemed again, until its expiry. Raises `WrongState`."""
    if not store.change_status(connection, token.id, (Status.SUSPENDED,), Status.ISSUED, now):
        raise WrongState(current(connection, token.id, now))
    trail.record(connection, actor, "token.resume", token.serial, now, reason)
