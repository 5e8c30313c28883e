"""A manager's outlet: its tills, the counts that wait, and what deserves a question."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from flask import Blueprint, Response, g, request
from sqlalchemy import Connection

from gateway.outlets import store as outlets
from gateway.outlets.reports import store as reports
from gateway.outlets.rights import NotAllowed
from gateway.outlets.shifts.store import Shift, State
from gateway.outlets.store import Outlet, Till
from gateway.people.staff.store import Member
from gateway.web.counter import typed
from gateway.web.counter.parts import CounterParts
from gateway.web.counter.places import MANAGES
from gateway.web.counter.show import shown
from gateway.web.pages.answers import home_of
from gateway.web.pages.door import allowed

ROWS = 20
LOOKED_BACK = timedelta(days=30)
RUNNING = (State.OPEN, State.COUNTED)


def routes(pages: Blueprint, parts: CounterParts) -> None:
    """`/counter/outlet` and the report."""

    @pages.get("/outlet")
    @allowed(*MANAGES)
    def outlet() -> Response:
        """The tills, the counts that wait, and the shifts that are closed."""
        before = typed.number(request.args.get("before", ""))
        with parts.database.snapshot() as connection:
            of = _outlet(parts, connection)
            tills = outlets.tills_of(connection, of.id)
            most, closes = len(tills), (State.CLOSED,)  # a till has one shift that is not closed
            shifts = parts.counter.shifts(connection, g.member, RUNNING, most)
            closed = parts.counter.shifts(connection, g.member, closes, ROWS + 1, before)
        older = closed[ROWS - 1].id if len(closed) > ROWS else None
        return shown(
            *(parts, "counter/outlet.html"),
            outlet=of,
            tills=_busy(tills, shifts),
            older=older,
            before=before,
            waiting=[shift for shift in shifts if shift.state == State.COUNTED],
            closed=closed[:ROWS],
        )

    @pages.get("/outlet/later")
    @allowed(*MANAGES)
    def later() -> Response:
        """Tokens that were looked up here, not paid, and redeemed afterwards."""
        since = parts.clock.now() - LOOKED_BACK
        before = typed.number(request.args.get("before", ""))
        with parts.database.snapshot() as connection:
            of = _outlet(parts, connection)
            rows = reports.redeemed_later(connection, since, ROWS + 1, of.id, before)
        older = rows[ROWS - 1].id if len(rows) > ROWS else None
        values: dict[str, Any] = {"outlet": of, "rows": rows[:ROWS], "older": older}
        return shown(parts, "counter/later.html", days=LOOKED_BACK.days, **values)


def landing(parts: CounterParts) -> Callable[[Member], str]:
    """Where somebody comes in: a manager without a till where counts may wait for them."""

    def way(member: Member) -> str:
        if member.role not in MANAGES:
            return home_of(member)
        with parts.database.snapshot() as connection:
            pays = parts.counter.shift_of(connection, member.id) is not None
            outlet = None if pays else parts.counter.outlet_of(connection, member)
        return "/counter/outlet" if outlet else "/counter"

    return way


def _outlet(parts: CounterParts, connection: Connection) -> Outlet:
    found = parts.counter.outlet_of(connection, g.member)
    if found is None:
        raise NotAllowed(f"your outlet “{g.member.outlet}” is not set up: ask an operator")
    return found


def _busy(tills: list[Till], shifts: list[Shift]) -> list[tuple[Till, Shift | None]]:
    """Each till with its shift that is not closed."""
    at = {shift.till_id: shift for shift in shifts if shift.state != State.CLOSED}
    return [(till, at.get(till.id)) for till in tills]
