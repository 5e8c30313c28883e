"""Who may call a route: every view says so, and a test fails for one that does not."""

from collections.abc import Callable
from typing import Final, TypeVar

View = TypeVar("View", bound=Callable[..., object])

CALLERS: Final = ("aggregator", "provider", "partner", "person", "platform", "demo")


def callers(*who: str) -> Callable[[View], View]:
    """Mark a view with those who may call it, out of CALLERS; raises ValueError for others.

    >>> @callers("demo")
    ... def page() -> str:
    ...     return "a page"
    >>> vars(page)["callers"]
    ('demo',)
    >>> callers("anyone")
    Traceback (most recent call last):
    ValueError: not one of CALLERS: anyone
    """
    unknown = [name for name in who if name not in CALLERS]
    if unknown or not who:
        raise ValueError(f"not one of CALLERS: {', '.join(unknown) or 'nobody named'}")

    def mark(view: View) -> View:
        vars(view)["callers"] = who
        return view

    return mark
