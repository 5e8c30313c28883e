"""The console's pages of tokens: found by serial or phone, with all that happened; never digits."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote

from flask import Blueprint, Response, request
from sqlalchemy import Connection

from gateway.disputes.listing import store as disputes
from gateway.disputes.store import open_reference
from gateway.errors import BadInput
from gateway.formats import msisdn
from gateway.ledger import store as ledger
from gateway.tokens import serials, store, suspend
from gateway.tokens.listing import store as listing
from gateway.tokens.listing.store import Side
from gateway.tokens.retire import shown_status
from gateway.tokens.store import LIVE, Status, Token
from gateway.web.console.doing import By, Mistake, done, has_done, seen_of, typed
from gateway.web.console.parts import ConsoleParts
from gateway.web.console.people import repeatable
from gateway.web.console.reading import number, page_of, read
from gateway.web.console.token_history import history, movements
from gateway.web.pages.answers import problem, sent_on
from gateway.web.pages.door import AT_CONSOLE, allowed

ROOT: Final = "/console/tokens"
TABS: Final = (
    (Side.RECEIVED.value, "To this phone", "Nobody has sent a token to this phone yet."),
    (Side.SENT.value, "From this phone", "This phone has sent no token yet."),
)
ROWS_MAX: Final = 100
NEITHER: Final = "That is neither a serial nor a phone number. Digits of a token are not searched."
# By the form: how the trail calls it.
ACTIONS: Final = {
    "suspend": "token.suspend",
    "resume": "token.resume",
    "cancel": "token.cancel",
    "reprint": "token.resend",
}
Act = Callable[[Connection, Token, By], None]


def routes(pages: Blueprint, parts: ConsoleParts) -> None:
    """`/console/tokens` and what is below it."""

    @pages.get("/tokens")
    @allowed(*AT_CONSOLE)
    def tokens() -> Response:
        """The search, or the tokens of a phone."""
        try:
            phone = msisdn.parse(request.args.get("phone", ""), parts.country)
        except msisdn.InvalidMsisdn:
            return read(parts, "console/tokens.html", wanted="", missed="")
        return _of_phone(parts, phone)

    @pages.post("/tokens")
    @allowed(*AT_CONSOLE)
    def find_token() -> Response:
        """Where the search leads.

        It is a form that is posted: if somebody enters a token's digits, no address keeps them.
        """
        wanted = typed("find")
        serial = serials.normalise(wanted)
        try:
            way = f"{ROOT}?phone={quote(msisdn.parse(wanted, parts.country))}"
        except msisdn.InvalidMsisdn:
            way = f"{ROOT}/{serial}" if serial else ""
        if way:
            return sent_on(way)
        values = {"wanted": repeatable(wanted), "missed": NEITHER}
        return read(parts, "console/tokens.html", HTTPStatus.UNPROCESSABLE_ENTITY, **values)

    @pages.get("/tokens/<serial>")
    @allowed(*AT_CONSOLE)
    def token(serial: str) -> Response:
        """One token."""
        return _one(parts, serial)

    _deeds(pages, parts)


def _deeds(pages: Blueprint, parts: ConsoleParts) -> None:
    acts: Mapping[str, Act] = {
        "suspend": lambda c, t, by: suspend.suspend(c, t, by.actor, by.reason, by.now),
        "resume": lambda c, t, by: suspend.resume(
            c, t, by.actor, by.reason, by.now, open_reference
        ),
        "cancel": lambda c, t, by: parts.retirer.cancel(c, t, by.actor, by.reason, by.now),
        "reprint": lambda c, t, by: parts.reprinter.resend(
            c, t, by.actor, by.now, by.reason, seen_reprints()
        ),
    }

    @pages.post("/tokens/<serial>/<form>")
    @allowed(*AT_CONSOLE)
    def do_to_token(serial: str, form: str) -> Response:
        """What one of the forms of a token's page asks for."""
        if form not in acts:
            return problem(HTTPStatus.NOT_FOUND)
        return _do(parts, serial, form, acts[form])


def _do(parts: ConsoleParts, serial: str, form: str, act: Act) -> Response:
    def work(connection: Connection, by: By) -> str:
        found = _find(connection, serial)
        if found is None:
            raise BadInput("there is no token with this serial")
        act(connection, found, by)
        return _way(found.serial, form)

    def was_done(connection: Connection, by: By) -> str | None:
        found = _find(connection, serial)
        if found is None or not has_done(connection, by, ACTIONS[form], found.serial):
            return None
        return _way(found.serial, form)

    again = _again(parts, serial)
    if form == "reprint":  # says itself how often it was sent when the page was made
        return done(parts, form, work, again, was_done)
    return done(parts, form, work, again, was_done, about=serials.normalise(serial) or "")


def _again(parts: ConsoleParts, serial: str) -> Callable[[Mistake], Response]:
    return lambda mistake: _one(parts, serial, mistake)


def seen_reprints() -> int:
    """How often the token was sent again when the form was made: the form's wish is spent once."""
    return number(typed("reprints")) or 0


def _way(serial: str, form: str) -> str:
    return f"{ROOT}/{serial}?done=token-{form}"


def _find(connection: Connection, serial: str) -> Token | None:
    wanted = serials.normalise(serial)
    return store.by_serial(connection, wanted) if wanted else None


def _of_phone(parts: ConsoleParts, phone: str) -> Response:
    tab = next((tab for tab in TABS if tab[0] == request.args.get("show")), TABS[0])
    with parts.database.snapshot() as connection:
        rows = page_of(
            lambda before, most: listing.page(connection, phone, Side(tab[0]), before, most),
            lambda one: one.id,
        )
    values: dict[str, Any] = {"tab": tab, "tabs": TABS, "page": rows, "phone": phone}
    values |= {"wanted": phone, "missed": "", "shown_status": shown_status}
    return read(parts, "console/tokens.html", **values)


def _one(parts: ConsoleParts, serial: str, mistake: Mistake | None = None) -> Response:
    with parts.database.snapshot() as connection:
        found = _find(connection, serial)
        if found is None:
            return problem(HTTPStatus.NOT_FOUND, "There is no token with this serial.")
        values: dict[str, Any] = {
            "token": found,
            "history": history(connection, found),
            "movements": movements(connection, found),
            "disputes": disputes.about(connection, found.serial, ROWS_MAX),
            "funder": ledger.by_id(connection, found.funder_id),
            "seen": seen_of(connection, found.serial),
        }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if mistake else HTTPStatus.OK
    values |= {"may": _may(parts, found), "mistake": mistake, "shown_status": shown_status}
    return read(parts, "console/token.html", status, **values)


def _may(parts: ConsoleParts, token: Token) -> frozenset[str]:
    """Which forms a token has; what else stands against one, it says when it is sent."""
    status = shown_status(token, parts.clock.now())
    forms = {"cancel"} if status in LIVE else set()
    if status == Status.ISSUED:
        forms |= {"suspend", "reprint"} if token.recipient else {"suspend"}
    elif status == Status.SUSPENDED:
        forms |= {"resume"}
    return frozenset(forms)
