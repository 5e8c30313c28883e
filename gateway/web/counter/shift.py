"""The page of one shift: what its count came to, and what a manager makes of it."""

from collections.abc import Callable
from datetime import datetime
from http import HTTPStatus

from flask import Blueprint, Response, g, request
from sqlalchemy import Connection

from gateway.errors import BadInput
from gateway.outlets.listing import store as listing
from gateway.outlets.rights import are_one
from gateway.outlets.shifts.drawer import cash
from gateway.outlets.shifts.store import Shift, State
from gateway.people.staff.hands import actor_of
from gateway.people.staff.store import Member, Role
from gateway.web.counter import typed
from gateway.web.counter.parts import CounterParts
from gateway.web.counter.places import MANAGES
from gateway.web.counter.show import UNPROCESSABLE, shown
from gateway.web.pages.answers import sent_on, sentence
from gateway.web.pages.door import AT_COUNTER, allowed, deadline

Decide = Callable[[Connection, int, Member, int, str, datetime], Shift]
ROWS = 50
NO_COUNT = -1  # is none that anybody has seen


def routes(pages: Blueprint, parts: CounterParts) -> None:
    """`/counter/shifts/<number>` and what a manager decides there."""

    @pages.get("/shifts/<int:number>")
    @allowed(*AT_COUNTER)
    def shift(number: int) -> Response:
        """The result, once there is one."""
        return _page(parts, number)

    @pages.post("/shifts/<int:number>/accept")
    @allowed(*MANAGES)
    def accept(number: int) -> Response:
        """The variance is what it is; the till is closed."""
        return _decided(parts, number, parts.counter.accept)

    @pages.post("/shifts/<int:number>/recount")
    @allowed(*MANAGES)
    def recount(number: int) -> Response:
        """The cashier counts anew."""
        return _decided(parts, number, parts.counter.send_back)

    @pages.post("/shifts/<int:number>/count")
    @allowed(*MANAGES)
    def count_for(number: int) -> Response:
        """The drawer of a cashier who is not there is counted."""

        def count(
            c: Connection, shift: int, by: Member, seen: int, why: str, at: datetime
        ) -> Shift:
            found = cash(request.form.get("counted", ""))
            return parts.counter.count_for(c, shift, by, found, seen, why, at)

        return _decided(parts, number, count)


def _decided(parts: CounterParts, number: int, decide: Decide) -> Response:
    """What is decided is the count that they saw, and no other one."""
    member, now, reason = g.member, parts.clock.now(), request.form.get("reason", "")
    counts = typed.number(request.form.get("counts", ""))
    seen = NO_COUNT if counts is None else counts
    try:
        parts.database.run(
            lambda c: decide(c, number, member, seen, reason, now), deadline=deadline(), keyed=True
        )
    except BadInput as error:
        return _page(parts, number, sentence(str(error)))
    return sent_on(f"/counter/shifts/{number}")


def _page(parts: CounterParts, number: int, said: str = "") -> Response:
    before = typed.number(request.args.get("before", ""))
    with parts.database.snapshot() as connection:
        shift = parts.counter.shift(connection, number, g.member)
        is_own = shift.cashier_id == g.member.id
        rows = [] if is_own else listing.of_shift(connection, number, before, ROWS + 1)
    if shift.state == State.OPEN and is_own:
        return sent_on("/counter/today")  # before the count nothing says what it should be
    manages = g.member.role == Role.MANAGER and not is_own
    return shown(
        *(parts, "counter/shift.html", UNPROCESSABLE if said else HTTPStatus.OK),
        at="/counter/close" if is_own else "/counter/outlet",
        shift=shift,
        rows=rows[:ROWS],
        older=rows[ROWS - 1].id if len(rows) > ROWS else None,
        is_own=is_own,
        said=said,
        may_decide=manages and shift.state == State.COUNTED,
        may_count=manages and shift.state == State.OPEN,
        has_counted=shift.counted_by is not None and are_one(shift.counted_by, actor_of(g.member)),
        reason=request.form.get("reason", ""),
        counted=request.form.get("counted", ""),
    )
