"""Running chores each on its own, so that one that fails holds up none of the others."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import structlog

from gateway.errors import GatewayError

log = structlog.get_logger()

Chore = Callable[[], int]  # does one kind of housekeeping; how many things it did


@dataclass(frozen=True, slots=True)
class Done:
    """What became of the chores, by their names."""

    counts: Mapping[str, int]
    failed: Mapping[str, Exception]


def each(chores: Mapping[str, Chore]) -> Done:
    """Do every chore once; a failure is logged and told, and raised by none.

    >>> each({"one": lambda: 1}).counts
    {'one': 1}
    """
    counts: dict[str, int] = {}
    failed: dict[str, Exception] = {}
    for name, chore in chores.items():
        try:
            counts[name] = chore()
        except GatewayError as error:
            log.error("chore_failed", chore=name, error=str(error))
            failed[name] = error
        except Exception as error:
            log.exception("chore_failed", chore=name)
            failed[name] = error
    return Done(counts, failed)
