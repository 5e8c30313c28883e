"""Starts the same call on several threads at one moment."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

START_SECONDS_MAX = 30.0


def race(n: int, function: Callable[[int], T]) -> list[T | Exception]:
    """Call `function(0)` … `function(n - 1)` at once, each on a thread of its own.

    Returns what each call returned or raised, in that order.

    >>> race(3, lambda number: 6 // number)
    [ZeroDivisionError('integer division or modulo by zero'), 6, 3]
    """
    barrier = threading.Barrier(n)

    def run(number: int) -> T | Exception:
        barrier.wait(START_SECONDS_MAX)
        try:
            return function(number)
        except Exception as error:  # noqa: BLE001 - the test looks at whatever was raised
            return error

    with ThreadPoolExecutor(n) as threads:
        return list(threads.map(run, range(n)))
