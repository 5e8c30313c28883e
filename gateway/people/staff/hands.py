"""In whose hands the PIN of a member of the staff is: whoever set it can act as them."""

from sqlalchemy import Connection

from gateway.errors import BadInput
from gateway.people.staff import store
from gateway.people.staff.store import Member

PREFIX = "staff"
DEMO = "demo"  # who sets the PINs that the demo prints: they are nobody's secret


def actor_of(member: Member) -> str:
    """How the trail names somebody of the staff."""
    return f"{PREFIX}:{member.id}:{member.name}"


def behind(connection: Connection, actor: str) -> Member | None:
    """Who of the staff stands behind an actor's name; None: nobody does."""
    kind, _, rest = actor.partition(":")
    number = rest.partition(":")[0]
    is_number = kind == PREFIX and number.isascii() and number.isdigit()
    return store.by_id(connection, int(number)) if is_number else None


def setter(member: Member) -> str | None:
    """Who else can know the PIN, as an actor; None once its owner has set it.

    A founder's counts as their own: somebody has to set the first two. One that was set anew
    never does.
    """
    by = member.pin_set_by
    if by is not None and member.pin_once:
        return by
    if by in (None, DEMO) or member.founder is not None or by.startswith(f"{PREFIX}:{member.id}:"):
        return None
    return by


def insist_own_pin(connection: Connection, actor: str) -> None:
    """Else whoever set it could make accomplices in another's name. Raises `BadInput`."""
    member = behind(connection, actor)
    if member is not None and setter(member) is not None:
        way = "with gateway staff pin or under Change PIN"
        raise BadInput(f"your PIN was set by somebody else: change it first, {way}")
