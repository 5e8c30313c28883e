"""Closing a till: its cash is counted blind, nothing here says what it should come to."""

from http import HTTPStatus

from flask import Blueprint, Response, g, request

from gateway.errors import BadInput
from gateway.outlets.shifts.drawer import cash
from gateway.outlets.shifts.store import Shift, State
from gateway.web.counter import typed
from gateway.web.counter.parts import CounterParts
from gateway.web.counter.show import UNPROCESSABLE, shown
from gateway.web.pages.answers import problem, sent_on, sentence
from gateway.web.pages.door import AT_COUNTER, allowed, deadline


def routes(pages: Blueprint, parts: CounterParts) -> None:
    """`/counter/close`."""

    @pages.get("/close")
    @allowed(*AT_COUNTER)
    def close() -> Response:
        """The form for the count; or what the last count came to."""
        shift = _own(parts)
        if shift is not None and shift.state != State.OPEN:
            return sent_on(f"/counter/shifts/{shift.id}")
        return shown(parts, "counter/close.html", shift=shift, counted="", said="")

    @pages.post("/close")
    @allowed(*AT_COUNTER)
    def count() -> Response:
        """The count stands; sent again, its result is shown again."""
        number = typed.number(request.form.get("shift", ""))
        seen = typed.number(request.form.get("counts", ""))
        if number is None or seen is None:
            return problem(HTTPStatus.BAD_REQUEST)
        member, now = g.member, parts.clock.now()
        try:
            counted = cash(request.form.get("counted", ""))
            parts.database.run(
                lambda c: parts.counter.count(c, number, member, counted, seen, now),
                deadline=deadline(),
                keyed=True,
            )
        except BadInput as error:
            return _again(parts, number, sentence(str(error)))
        return sent_on(f"/counter/shifts/{number}")


def _again(parts: CounterParts, number: int, said: str) -> Response:
    shift = _own(parts)
    if shift is None or shift.id != number or shift.state != State.OPEN:
        return sent_on(f"/counter/shifts/{number}")  # counted meanwhile: there it says as what
    counted = request.form.get("counted", "")
    status = UNPROCESSABLE
    return shown(parts, "counter/close.html", status, shift=shift, counted=counted, said=said)


def _own(parts: CounterParts) -> Shift | None:
    with parts.database.snapshot() as connection:
        return parts.counter.shift_of(connection, g.member.id)
