"""The series of one metric: bound once, few, and of words that can hold nobody's data."""

import re
from collections.abc import Sequence
from typing import Any, Final, Generic, TypeVar

from prometheus_client.metrics import MetricWrapperBase

M = TypeVar("M", bound=MetricWrapperBase)

CHILDREN_MAX: Final = 300
OTHER: Final = "other"
# Words of our own code: a name, a route's rule or a status. Six digits could be part of a token,
# and a word from outside is no word of ours.
_SAFE: Final = re.compile(r"(?!.*[0-9]{4})[A-Za-z0-9/][A-Za-z0-9_:./<>-]{0,63}", re.ASCII)


def is_safe(word: str) -> bool:
    """Whether a word may be a label's value.

    >>> is_safe("already_yours"), is_safe("/ussd/<channel>/<secret>"), is_safe("404")
    (True, True, True)
    >>> is_safe("+2348030000001"), is_safe("902100000000000014"), is_safe("a b"), is_safe("")
    (False, False, False, False)
    """
    return _SAFE.fullmatch(word) is not None


class Children(Generic[M]):
    """The children of a metric by their labels' values; those beyond the bound count as others."""

    def __init__(self, metric: M, most: int = CHILDREN_MAX) -> None:
        self._metric = metric
        self._names: Sequence[str] = metric._labelnames
        self._most = most
        self._bound: dict[tuple[str, ...], M] = {}

    def of(self, *words: str) -> M:
        """The child with these values, in the order of the labels."""
        found = self._bound.get(words)
        return self._bind(words) if found is None else found

    def _bind(self, words: tuple[str, ...]) -> M:
        if not all(map(is_safe, words)):
            words = tuple(word if is_safe(word) else OTHER for word in words)
        if words not in self._bound and len(self._bound) >= self._most:
            words = (OTHER,) * len(words)
        bound: Any = self._metric.labels(*words)
        self._bound[words] = bound
        child: M = bound
        return child
