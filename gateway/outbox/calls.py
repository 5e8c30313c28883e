"""A call to an aggregator with an end: one that drips its answer must not outlast a lease."""

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Generic, NoReturn, TypeVar

from gateway.errors import OutcomeUnknown, Unreachable

T = TypeVar("T")

CALL_SECONDS_MAX = 20.0  # an SDK bounds the gap between two bytes, not the whole call
ABANDONED_MAX = 4  # calls of one sender that may go on without anybody waiting for them


class BoundedCalls(Generic[T]):
    """Makes calls that end in time for whoever waits; one at a time."""

    def __init__(self, seconds_max: float = CALL_SECONDS_MAX) -> None:
        self._seconds_max = seconds_max
        self._abandoned: list[threading.Thread] = []

    def make(self, function: Callable[[], T]) -> T:
        """What `function` returns or raises.

        Raises `OutcomeUnknown` when it did not end in time: its thread lives on until it does.
        Raises `Unreachable`, without calling, while too many live on.
        """
        self._abandoned = [thread for thread in self._abandoned if thread.is_alive()]
        if len(self._abandoned) >= ABANDONED_MAX:
            raise Unreachable("earlier calls have not ended")
        ended: SimpleQueue[Callable[[], T]] = SimpleQueue()
        thread = threading.Thread(target=_run, args=(function, ended), daemon=True)
        thread.start()
        try:
            outcome = ended.get(timeout=self._seconds_max)
        except Empty:
            self._abandoned.append(thread)
            raise OutcomeUnknown(f"the call did not end in {self._seconds_max:g} s") from None
        return outcome()


def _run(function: Callable[[], T], ended: "SimpleQueue[Callable[[], T]]") -> None:
    try:
        value = function()
    except Exception as error:  # noqa: BLE001 - raised again by whoever waits
        ended.put(_raiser(error))
    else:
        ended.put(lambda: value)


def _raiser(error: Exception) -> Callable[[], NoReturn]:
    def fail() -> NoReturn:
        raise error

    return fail
