"""Paying a token: the till that is opened, the one big field, and the look-up behind it."""

from dataclasses import replace
from http import HTTPStatus

from flask import Blueprint, Response, g, request
from sqlalchemy import Connection

from gateway.errors import BadInput
from gateway.outlets.counter import COUNTER
from gateway.outlets.payments.answers import Shown, Stop
from gateway.outlets.shifts.drawer import cash
from gateway.outlets.shifts.opening import OpenedSince
from gateway.outlets.shifts.store import State, last_at
from gateway.tokens.tills.pay import Answer
from gateway.web.counter import typed
from gateway.web.counter.parts import CounterParts
from gateway.web.counter.show import UNPROCESSABLE, reader, shown
from gateway.web.counter.words import ASK_PHONE, WORDS, Said, mistyped
from gateway.web.pages.answers import sent_on, sentence
from gateway.web.pages.door import AT_COUNTER, allowed, deadline

HOME = "/counter"


def routes(pages: Blueprint, parts: CounterParts) -> None:
    """`/counter` and the forms on it."""

    @pages.get("")
    @allowed(*AT_COUNTER)
    def pay() -> Response:
        """The field, or the form that opens a till."""
        return _front(parts)

    @pages.post("/shifts")
    @allowed(*AT_COUNTER)
    def open_till() -> Response:
        """A till of the cashier's outlet is theirs until it is closed."""
        form = request.form
        problems: dict[str, str] = {}
        try:
            opening_cash = cash(form.get("cash", ""))
        except BadInput as error:
            problems["cash"] = sentence(str(error))
        till = typed.number(form.get("till", ""))
        if till is None:
            problems["till"] = "Choose a till."
        if till is None or problems:
            return _front(parts, UNPROCESSABLE, problems=problems)
        now, member = parts.clock.now(), g.member
        after = typed.number(form.get(f"after-{till}", "")) or 0
        try:
            parts.database.run(
                lambda c: parts.counter.open_shift(c, member, till, opening_cash, now, after),
                deadline=deadline(),
                keyed=True,
            )
        except OpenedSince as error:
            problems = {"cash": sentence(str(error))}
            return _front(parts, UNPROCESSABLE, problems=problems, is_stale=True)
        except BadInput as error:
            return _front(parts, UNPROCESSABLE, problems={"till": sentence(str(error))})
        return sent_on(HOME)

    _looking_up(pages, parts)


def _looking_up(pages: Blueprint, parts: CounterParts) -> None:
    @pages.post("/payments")
    @allowed(*AT_COUNTER)
    def look_up() -> Response:
        """What a token is: it has a page of its own, which can be reloaded."""
        entry = request.form.get("entry", "")
        try:
            customer = typed.phone(request.form.get("customer", ""), parts.country)
        except BadInput as error:
            problems = {"customer": sentence(str(error))}
            return _front(parts, UNPROCESSABLE, problems=problems, asks_phone=True)
        found = _looked_up(parts, entry, customer)
        if found.payment is None:
            said = _said(parts, found, entry)
            return _front(parts, UNPROCESSABLE, said=said, asks_phone=found.asks_phone)
        again = "?again" if found.answer is Answer.REDEEMED else ""
        return sent_on(f"{HOME}/payments/{found.payment.reference}{again}")


def _front(
    parts: CounterParts,
    status: HTTPStatus = HTTPStatus.OK,
    said: Said | None = None,
    problems: dict[str, str] | None = None,
    asks_phone: bool = False,
    is_stale: bool = False,  # the cash that was typed is of another time
) -> Response:
    member = g.member
    with parts.database.snapshot() as connection:
        shift = parts.counter.shift_of(connection, member.id)
        outlet = parts.counter.outlet_of(connection, member) if shift is None else None
        tills = parts.counter.tills_free(connection, outlet) if outlet else []
        after = last_at(connection, [till.id for till in tills])
        last = parts.counter.last(connection, shift) if shift else []
    if shift is None:
        form = request.form
        counted = "" if is_stale else form.get("cash", "")
        values = {"till": form.get("till", ""), "cash": counted}
        return shown(
            *(parts, "counter/open.html", status),
            outlet=outlet,
            tills=tills,
            after=after,
            values=values,
            problems=problems or {},
            said=said,
        )
    if shift.state != State.OPEN and said is None:
        return sent_on(f"{HOME}/shifts/{shift.id}")
    return shown(
        *(parts, "counter/pay.html", status),
        shift=shift,
        last=last,
        said=said,
        problems=problems or {},
        asks_phone=asks_phone,
    )


def _looked_up(parts: CounterParts, entry: str, customer: str) -> Shown:
    member, now = g.member, parts.clock.now()

    def work(connection: Connection) -> Shown:
        shift = parts.counter.shift_of(connection, member.id)
        if shift is None:
            return Shown(Stop.SHIFT_CLOSED)
        return parts.counter.show(connection, shift, entry, member, COUNTER, now, customer)

    return parts.database.run(work, deadline=deadline(), keyed=True)


def _said(parts: CounterParts, found: Shown, entry: str) -> Said:
    said = WORDS[found.answer]
    if found.answer is Answer.MISTYPED:
        return replace(said, advice=mistyped(found.wrong, entry))
    if found.asks_phone:
        return replace(said, advice=ASK_PHONE)
    if found.until is not None:
        at = reader(parts).when(found.until)
        return replace(said, advice=f"You can look tokens up again at {at}. {said.advice}")
    return said
