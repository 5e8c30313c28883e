"""Who of the staff may do what at an outlet, as the database says at this moment."""

from typing import Final

from sqlalchemy import Connection

from gateway.errors import BadInput
from gateway.people.staff import store
from gateway.people.staff.hands import PREFIX, setter
from gateway.people.staff.store import Member, Role, Status

PAYERS: Final = (Role.CASHIER, Role.MANAGER)
ONCE: Final = "This manager must choose a PIN of their own first."


class NotAllowed(BadInput):
    """It is not theirs to do or to see."""


def insist_payer(connection: Connection, member: Member, outlet: str) -> Member:
    """Raise unless somebody may pay at an outlet now. Raises `NotAllowed`."""
    return _insist(connection, member, outlet, PAYERS, "pays at this outlet")


def insist_manager(connection: Connection, member: Member, outlet: str, cashier_id: int) -> Member:
    """Raise unless somebody manages an outlet now, and is not the cashier.

    Raises `NotAllowed`, and `BadInput` while somebody else, perhaps the cashier, has their PIN.
    """
    if member.id == cashier_id:
        raise NotAllowed("nobody decides over their own till: another manager must")
    fresh = _insist(connection, member, outlet, (Role.MANAGER,), "manages this outlet")
    if setter(fresh) is not None:
        raise BadInput(ONCE)
    return fresh


def are_one(actor: str, other: str) -> bool:
    """Whether two actors are the same person, also under another name.

    >>> are_one("staff:7:Ada", "staff:7:Ada Obi"), are_one("cli:ops", "cli:ops")
    (True, True)
    >>> are_one("staff:7:Ada", "staff:70:Ada"), are_one("cli:ops", "cli:root")
    (False, False)
    """
    (kind, _, rest), (other_kind, _, other_rest) = actor.partition(":"), other.partition(":")
    if kind != PREFIX or other_kind != PREFIX:
        return actor == other
    return rest.partition(":")[0] == other_rest.partition(":")[0]


def _insist(
    connection: Connection, member: Member, outlet: str, roles: tuple[Role, ...], what: str
) -> Member:
    """Read afresh: a session or a PIN that was proved may be older than a dismissal."""
    fresh = store.by_id(connection, member.id)
    active = fresh is not None and fresh.status == Status.ACTIVE
    if fresh is None or not active or fresh.role not in roles or fresh.outlet != outlet:
        raise NotAllowed(f"only an active member of the staff {what}")
    return fresh
