"""Where a dialogue stands between two turns, as the journal keeps it."""

from dataclasses import dataclass, field
from typing import Any

from gateway.ussd.screens import HOME_SCREEN

TRAIL_MAX = 8  # screens that `0` can go back over; the row must not grow with the dialogue
Stop = tuple[str, dict[str, str]]  # a screen and the values it was given


@dataclass(slots=True)
class Place:
    """A place is stored as JSON: it never holds what was typed as a token."""

    screen: str = HOME_SCREEN
    given: dict[str, str] = field(default_factory=dict)  # what the way here brought along
    found: dict[str, str] = field(default_factory=dict)  # what arriving here looked up
    listed: list[tuple[str, str]] = field(default_factory=list)  # label and value of each number
    trail: list[Stop] = field(default_factory=list)
    pages: list[int] = field(default_factory=lambda: [0])  # first line of each page gone through
    more: int | None = None  # the line that the next page begins with
    resume: dict[str, Any] | None = None  # an interrupted dialogue that `9 Continue` picks up

    @property
    def values(self) -> dict[str, str]:
        """The values of the screen's text."""
        return {**self.given, **self.found}

    def came_from(self, stop: Stop) -> None:
        """Remember the way back."""
        self.trail = [*self.trail, stop][-TRAIL_MAX:]

    def stored(self) -> dict[str, Any]:
        """This place for the journal."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def restored(cls, stored: dict[str, Any]) -> "Place":
        """A place out of the journal, also one that another version of the program has put there.

        >>> Place.restored({"screen": "tokens", "later": 1, "listed": [["a", "b"]]}).listed
        [('a', 'b')]
        """
        known = {name: stored[name] for name in cls.__slots__ if name in stored}
        for name in ("listed", "trail"):
            known[name] = [(one, other) for one, other in known.get(name, [])]
        return cls(**known)
