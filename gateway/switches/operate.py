"""Throwing a switch as an operator: stored for every process, and in the trail."""

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import Connection

from gateway.errors import BadInput
from gateway.switches import board
from gateway.switches.restores import store as restores

PAUSE, RESUME = "switch.pause", "switch.resume"  # in the trail; the switch's name is the subject

Record = Callable[[Connection, str, str, str, datetime, str], None]  # appends to the audit trail


def pause(
    connection: Connection, what: str, actor: str, reason: str, now: datetime, record: Record
) -> str:
    """Stop a part in every process; its name. Raises `BadInput`."""
    name = board.throw(connection, what, actor, reason, now, pause=True)
    record(connection, actor, PAUSE, name, now, reason)
    return name


def resume(
    connection: Connection, what: str, actor: str, reason: str, now: datetime, record: Record
) -> str:
    """Let a part go on that was paused; its name. Raises `BadInput`, also during a restore."""
    if restores.under_way(connection) is not None and board.known(what) in board.PARTS:
        raise BadInput("a restored backup is not reconciled yet: gateway restore end")
    name = board.throw(connection, what, actor, reason, now, pause=False)
    record(connection, actor, RESUME, name, now, reason)
    return name
