"""The console's form that holds a till's or a partner's money, to be paid to its bank."""

from http import HTTPStatus
from typing import Final

from flask import Blueprint, Response
from sqlalchemy import Connection

from gateway.formats import money
from gateway.reconciliation.waiting import asked_for
from gateway.web.console.doing import By, Mistake, done, typed
from gateway.web.console.parts import ConsoleParts
from gateway.web.console.reading import read
from gateway.web.pages.door import AT_CONSOLE, allowed
from gateway.withdrawals.settlements import KINDS, Wanted, new_intent

KIND_WORDS: Final = tuple((kind, f"a {kind}") for kind in KINDS)


def routes(pages: Blueprint, parts: ConsoleParts) -> None:
    """`/console/withdrawals/settle`."""

    @pages.get("/withdrawals/settle")
    @allowed(*AT_CONSOLE)
    def new_settlement() -> Response:
        """The form, with the name that it is done under once."""
        return _form(parts)

    @pages.post("/withdrawals/settle")
    @allowed(*AT_CONSOLE)
    def settle() -> Response:
        """Hold the money; a repeat is answered with what the first one held."""

        def work(connection: Connection, by: By) -> str:
            amount, intent = money.parse(typed("amount")), typed("intent")
            who, to = (typed("kind"), typed("owner")), typed("destination")
            wanted = Wanted(*who, amount, to, intent, by.actor, by.reason)
            held = parts.settlements.ask(connection, wanted, by.now)
            return f"/console/withdrawals/{held.reference}?done=held"

        return done(parts, "settle", work, lambda mistake: _form(parts, mistake), keyed=True)


def _form(parts: ConsoleParts, mistake: Mistake | None = None) -> Response:
    status = HTTPStatus.UNPROCESSABLE_ENTITY if mistake else HTTPStatus.OK
    now = parts.clock.now()
    run = asked_for(parts.reconciler, now, now).words
    values = {"run": run, "kinds": KIND_WORDS, "intent": new_intent(), "currency": parts.currency}
    return read(parts, "console/withdrawal_settle.html", status, mistake=mistake, **values)
