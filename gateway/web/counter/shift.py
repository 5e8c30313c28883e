"""The page of one shift: what its count came to, and what a manager makes of it."""

from collections.abc import Callable
from datetime import datetime
from http import HTTPStatus

from flask import Blueprint, Response, g, request
from sqlalchemy import Connection

from gateway.errors import BadInput
from gateway.outlets.shifts.store import Shift, State
from gateway.people.staff.store import Member, Role
from gateway.web.counter.parts import CounterParts
from gateway.web.counter.places import MANAGES
from gateway.web.counter.show import UNPROCESSABLE, shown
from gateway.web.pages.answers import sent_on, sentence
from gateway.web.pages.door import AT_COUNTER, allowed, deadline

Decide = Callable[[Connection, int, Member, str, datetime], Shift]


def routes(pages: Blueprint, parts: CounterParts) -> None:
    """`/counter/shifts/<number>` and what a manager decides there."""

    @pages.get("/shifts/<int(max=999999999999999999):number>")
    @allowed(*AT_COUNTER)
    def shift(number: int) -> Response:
        """The result, once there is one."""
        return _page(parts, number)

    @pages.post("/shifts/<int(max=999999999999999999):number>/accept")
    @allowed(*MANAGES)
    def accept(number: int) -> Response:
        """The variance is what it is; the till is closed."""
        return _decided(parts, number, parts.counter.accept)

    @pages.post("/shifts/<int(max=999999999999999999):number>/recount")
    @allowed(*MANAGES)
    def recount(number: int) -> Response:
        """The cashier counts anew."""
        return _decided(parts, number, parts.counter.send_back)


def _decided(parts: CounterParts, number: int, decide: Decide) -> Response:
    member, now, reason = g.member, parts.clock.now(), request.form.get("reason", "")
    try:
        parts.database.run(
            lambda c: decide(c, number, member, reason, now), deadline=deadline(), keyed=True
        )
    except BadInput as error:
        return _page(parts, number, sentence(str(error)))
    return sent_on(f"/counter/shifts/{number}")


def _page(parts: CounterParts, number: int, said: str = "") -> Response:
    with parts.database.snapshot() as connection:
        shift = parts.counter.shift(connection, number, g.member)
        is_own = shift.cashier_id == g.member.id
        rows = [] if is_own else parts.counter.today(connection, shift, parts.clock.now())
    if shift.state == State.OPEN and is_own:
        return sent_on("/counter/today")  # before the count nothing says what it should be
    return shown(
        *(parts, "counter/shift.html", UNPROCESSABLE if said else HTTPStatus.OK),
        at="/counter/close" if is_own else "/counter/outlet",
        shift=shift,
        rows=rows,
        is_own=is_own,
        said=said,
        may_decide=g.member.role == Role.MANAGER and not is_own and shift.state == State.COUNTED,
        reason=request.form.get("reason", ""),
    )
