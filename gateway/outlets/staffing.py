"""Where cashiers and managers work: an outlet that there is, and another one when they move."""

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.errors import BadInput, RaceLost
from gateway.formats.facts import fact
from gateway.ledger.operate import Deed
from gateway.outlets import store
from gateway.outlets.rights import PAYERS
from gateway.outlets.shifts import store as shifts
from gateway.outlets.store import Outlet, Status
from gateway.people.staff import store as staff
from gateway.people.staff.store import Member
from gateway.people.staff.workplaces import store as workplaces

MOVE = "staff.move"  # in the trail, about a phone
SHOWN_MAX = 10  # codes in a refusal


def insist_workplace(connection: Connection, role: str, outlet: str | None) -> str | None:
    """Where somebody is taken on to work: the outlet's code. Raises `BadInput`.

    Before the first outlet is set up any name will do, as will none.
    """
    every = store.every(connection)
    if not every or (not outlet and role not in PAYERS):
        return outlet
    if not outlet:
        raise BadInput(f"a {role} works at an outlet: {_named(every)}")
    return _working(every, outlet).code


def move(connection: Connection, msisdn: str, outlet: str, deed: Deed) -> Member:
    """Let a cashier or manager work at another outlet, while they have no till open.

    One that they open at this moment is opened first, or at the new place. Raises `BadInput`.
    """
    found = staff.by_msisdn(connection, msisdn)
    if found is None:
        raise BadInput("this phone is nobody's of the staff")
    workplaces.lock(connection, found.id)
    member = staff.by_id(connection, found.id) or found
    if member.role not in PAYERS:
        raise BadInput(f"{member.name} is {member.role}, and works at no outlet")
    to = _working(store.every(connection), outlet)
    if member.outlet == to.code:
        raise BadInput(f"{member.name} works at {to.code} already")
    shift = shifts.of_cashier(connection, member.id)
    if shift is not None:
        raise BadInput(f"{member.name} has till {shift.till} open: close it first")
    if not workplaces.move(connection, member.id, member.outlet, to.code):
        raise RaceLost("they were moved meanwhile")
    why = trail.worded(deed.reason)
    said = fact("{old} to {new}", old=member.outlet or "no outlet", new=to.code)
    trail.record(connection, deed.actor, MOVE, msisdn, deed.now, why, said)
    return staff.by_id(connection, member.id) or member


def _working(every: list[Outlet], code: str) -> Outlet:
    """The outlet with this code, where somebody can work. Raises `BadInput`."""
    wanted = code.strip().upper()
    found = next((outlet for outlet in every if outlet.code == wanted), None)
    if found is None:
        raise BadInput(f"there is no outlet with this code: there is {_named(every)}")
    if found.stand is Status.CLOSED:
        raise BadInput(f"outlet {found.code} is closed for good")
    return found


def _named(every: list[Outlet]) -> str:
    """The outlets to choose from.

    >>> _named([])
    'none yet'
    """
    codes = [outlet.code for outlet in every if outlet.stand is not Status.CLOSED]
    shown = ", ".join(codes[:SHOWN_MAX])
    return f"{shown}, …" if len(codes) > SHOWN_MAX else shown or "none yet"
