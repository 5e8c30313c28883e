"""Kills a process between any two statements of what it does, and looks at what is left."""

import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from gateway.clock import Clock
from gateway.database.types import metadata
from tests.support.wired import Wired

Act = Callable[[Wired], object]
Makes = Callable[[str, Clock], Wired]
Rows = Mapping[str, Sequence[tuple[Any, ...]]]
SETTLE_SECONDS_MAX = 10.0  # until a server has rolled a killed client back
KILLED = -signal.SIGKILL


@dataclass(frozen=True)
class Movement:
    """`prepare` makes the state and gives the act that is cut off in it."""

    name: str
    prepare: Callable[[Wired], Act]
    make: Makes = Wired  # the gateway over a database


def rows(wired: Wired) -> Rows:
    """Every row of every table."""
    with wired.gateway.database.snapshot() as connection:
        return {
            table.name: sorted(map(tuple, connection.execute(select(table))), key=repr)
            for table in metadata.sorted_tables
        }


def killed_before(number: int, wired: Wired, act: Act) -> bool:
    """Do `act` in a process that is killed just before its n-th statement or COMMIT.

    False when it came to its end before that. The child has what the parent had made and learnt,
    as a process has that lived for a while, but none of its lines to the database.
    """
    wired.close()
    child = os.fork()
    if child == 0:
        _live_and_die(number, wired, act)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, KILLED), f"the act failed by itself: {code}"
    return code == KILLED


def _live_and_die(number: int, wired: Wired, act: Act) -> None:
    """The child: nothing of the parent's is run down in it, whatever happens."""
    from sqlalchemy import event

    left = [number]

    def count(*_: object) -> None:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    try:
        engine = wired.gateway.database.engine
        event.listen(engine, "before_cursor_execute", count)
        event.listen(engine, "commit", count)
        act(wired)
        os._exit(0)
    finally:
        os._exit(3)


def settled(wired: Wired, before: Rows) -> bool:
    """Whether every row is as before, once the server has noticed that its client is gone."""
    end = time.monotonic() + SETTLE_SECONDS_MAX
    while time.monotonic() < end:
        if rows(wired) == before:
            return True
        time.sleep(0.05)
    return False
