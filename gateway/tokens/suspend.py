"""Suspending a token and resuming it: while suspended it neither redeems nor expires."""

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.errors import Disputed
from gateway.tokens import store, witness
from gateway.tokens.retire import WrongState, current, insist_let_go
from gateway.tokens.store import Holder, Status, Token

# The reference of the open dispute about a token's serial or a withdrawal's reference, if any.
OpenDispute = Callable[[Connection, str], str | None]


def suspend(
    connection: Connection,
    token: Token,
    actor: str,
    reason: str,
    now: datetime,
    *,
    by: Holder = Holder.OPERATOR,
    overdue: bool = False,
) -> None:
    """Stop an issued token, until `by` lets it go; an `overdue` one too if asked.

    Raises `WrongState`.
    """
    witness.leaves(token.serial, Status.SUSPENDED)
    in_time = None if overdue else False
    changed = store.change_status(
        connection,
        token.id,
        (Status.ISSUED,),
        Status.SUSPENDED,
        now,
        expired_by_clock=in_time,
        holder=by,
    )
    if not changed:
        raise WrongState(current(connection, token.id, now))
    trail.record(connection, actor, "token.suspend", token.serial, now, reason)


def resume(
    connection: Connection,
    token: Token,
    actor: str,
    reason: str,
    now: datetime,
    open_dispute: OpenDispute,
    by: Holder = Holder.OPERATOR,
) -> None:
    """Let a suspended token be redeemed again, until its expiry.

    Raises `WrongState`, also `Held`, `BadInput` for a restore's without a reason, `Disputed`.
    Whoever opens a dispute locks the token too: either it is seen here, or it finds the token
    resumed and suspends it.
    """
    found = store.locked(connection, token.id)
    disputed = open_dispute(connection, token.serial)
    if disputed is not None:
        raise Disputed(disputed)
    insist_let_go(found, by, reason)
    if not store.change_status(connection, token.id, (Status.SUSPENDED,), Status.ISSUED, now):
        raise WrongState(current(connection, token.id, now))
    trail.record(connection, actor, "token.resume", token.serial, now, reason)
