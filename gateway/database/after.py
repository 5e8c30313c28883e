"""What is done once a unit of work is committed, and never for one that was rolled back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import structlog

log = structlog.get_logger()

Action = Callable[[], object]

# What waits for the COMMIT of the attempt this thread is in; None outside of one.
_waiting: ContextVar[list[Action] | None] = ContextVar("waiting_for_commit", default=None)


def commit(action: Action) -> None:
    """Do this when the unit of work under way is committed; outside of one, do it now.

    For counting alone: an answer to COMMIT that is lost loses it too, and what it raises is
    logged and changes nothing.

    >>> commit(lambda: print("counted"))
    counted
    """
    waiting = _waiting.get()
    if waiting is None:
        _do(action)
    else:
        waiting.append(action)


@contextmanager
def gathering() -> Iterator[list[Action]]:
    """One attempt of a unit of work: what waits for its COMMIT dies with it."""
    waiting: list[Action] = []
    token = _waiting.set(waiting)
    try:
        yield waiting
    finally:
        _waiting.reset(token)


def done(waiting: list[Action]) -> None:
    """The COMMIT has returned: do what waited for it."""
    for action in waiting:
        _do(action)


def _do(action: Action) -> None:
    try:
        action()
    except Exception:  # what is committed stays so, counted or not
        log.exception("not_counted")
