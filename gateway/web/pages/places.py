"""The pages that the bar on top leads to, for whom it shows each."""

from collections.abc import Sequence
from dataclasses import dataclass

from gateway.people.staff.store import Member, Role


@dataclass(frozen=True, slots=True)
class Place:
    """One way in the bar."""

    path: str
    label: str
    roles: tuple[Role, ...]


def seen_by(member: Member | None, places: Sequence[Place]) -> list[Place]:
    """Those that somebody may go to."""
    return [place for place in places if member is not None and member.role in place.roles]


def here(path: str, places: Sequence[Place]) -> str:
    """The place that a path belongs to: the longest one that it begins with; empty for none.

    >>> tokens = Place("/console/tokens", "Tokens", ())
    >>> here("/console/tokens/K7M29QXD", [Place("/console", "Now", ()), tokens])
    '/console/tokens'
    >>> here("/elsewhere", [tokens])
    ''
    """
    inside = [p.path for p in places if path == p.path or path.startswith(f"{p.path}/")]
    return max(inside, key=len, default="")
