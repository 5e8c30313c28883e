"""The console's pages of people: a phone's wallet, what went through it, and what is done to it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote

from flask import Blueprint, Response, request
from sqlalchemy import Connection

from gateway.audit.listing import store as asked
from gateway.audit.moves import store as moves
from gateway.formats import msisdn
from gateway.ledger import operate
from gateway.ledger.listing import store as ledger
from gateway.ledger.listing.caps import caps
from gateway.ledger.operate import Deed
from gateway.ledger.store import ACTIVE, CLOSED, FROZEN, Account
from gateway.ledger.wallets import MOVE, MOVED, RECEIVED, RESET_PIN
from gateway.people.listing import store as people
from gateway.people.listing.store import Person
from gateway.tokens.retire import shown_status
from gateway.web.console.doing import By, Mistake, done, has_asked, has_done, seen_of, typed
from gateway.web.console.parts import ConsoleParts
from gateway.web.console.person_lists import TABS, rows_of
from gateway.web.console.reading import Page, read
from gateway.web.pages.answers import problem, sent_on
from gateway.web.pages.door import AT_CONSOLE, allowed

ROOT: Final = "/console/people"
# By the form: how the trail calls what is done at once, or the kind of request that it makes.
ACTIONS: Final = {
    "freeze": operate.FREEZE,
    "unfreeze": operate.UNFREEZE,
    "tier": operate.TIER,
    "verify": operate.VERIFY,
}
ASKS: Final = {"move": MOVE, "pin": RESET_PIN}
MOVES_MAX: Final = 10  # of a wallet, from and to a number
NOT_A_PHONE: Final = "That is no phone number."
TOKEN_DIGITS_MIN: Final = 11  # so many digits may be a token's, which no page repeats
# Does it; what it answers matters to nobody here.
Act = Callable[[Connection, str, Deed], object]


def routes(pages: Blueprint, parts: ConsoleParts) -> None:
    """`/console/people` and what is below it.

    The phone stands in the query, which no access log keeps, never in the path.
    """

    @pages.get("/people")
    @allowed(*AT_CONSOLE)
    def people_page() -> Response:
        """The search, or somebody."""
        wanted = request.args.get("phone", "").strip()
        if not wanted:
            return read(parts, "console/people.html", wanted="", missed="")
        try:
            return _somebody(parts, msisdn.parse(wanted, parts.country))
        except msisdn.InvalidMsisdn:
            return _missed(parts, wanted)

    @pages.post("/people")
    @allowed(*AT_CONSOLE)
    def find_person() -> Response:
        """Where the search leads: if somebody enters a token's digits, no address keeps them."""
        try:
            return sent_on(f"{ROOT}?phone={quote(msisdn.parse(typed('phone'), parts.country))}")
        except msisdn.InvalidMsisdn:
            return _missed(parts, typed("phone"))

    _deeds(pages, parts)


def _missed(parts: ConsoleParts, wanted: str) -> Response:
    values = {"wanted": repeatable(wanted), "missed": NOT_A_PHONE}
    return read(parts, "console/people.html", HTTPStatus.UNPROCESSABLE_ENTITY, **values)


def _deeds(pages: Blueprint, parts: ConsoleParts) -> None:
    wallets = parts.wallets

    def move(connection: Connection, phone: str, deed: Deed) -> object:
        to = msisdn.parse(typed("to"), parts.country)
        return wallets.ask_move(connection, phone, to, deed)

    acts: Mapping[str, Act] = {
        "freeze": wallets.freeze,
        "unfreeze": wallets.unfreeze,
        "verify": wallets.verify,
        "tier": lambda c, phone, deed: wallets.set_tier(c, phone, typed("tier"), deed),
        "move": move,
        "pin": wallets.ask_new_pin,
    }

    @pages.post("/people/<form>")
    @allowed(*AT_CONSOLE)
    def do_to_wallet(form: str) -> Response:
        """What one of the forms of somebody's page asks for."""
        if form not in acts:
            return problem(HTTPStatus.NOT_FOUND)
        try:
            phone = msisdn.parse(typed("phone"), parts.country)
        except msisdn.InvalidMsisdn:
            return problem(HTTPStatus.BAD_REQUEST)
        return _do(parts, phone, form, acts[form])


def _do(parts: ConsoleParts, phone: str, form: str, act: Act) -> Response:
    word = "asked" if form in ASKS else f"wallet-{form}"
    way = f"{ROOT}?phone={quote(phone)}&done={word}"

    def work(connection: Connection, by: By) -> str:
        act(connection, phone, Deed(by.actor, by.reason, by.now))
        return way

    def was_done(connection: Connection, by: By) -> str | None:
        return way if _is_repeated(parts, connection, phone, form, by) else None

    def again(mistake: Mistake) -> Response:
        return _somebody(parts, phone, mistake)

    return done(parts, form, work, again, was_done, about=phone)


def _is_repeated(
    parts: ConsoleParts, connection: Connection, phone: str, form: str, by: By
) -> bool:
    """Whether this very person has just done, or asked for, this very thing."""
    if form not in ASKS:
        words = f"{typed('tier')}: {by.reason}" if form == "tier" else by.reason
        return has_done(connection, replace(by, reason=words), ACTIONS[form], phone)
    waits = has_asked(connection, by, ASKS[form], phone)
    if waits is None:
        return False
    try:
        return form != "move" or waits.details["to"] == msisdn.parse(typed("to"), parts.country)
    except msisdn.InvalidMsisdn:
        return False


def _somebody(parts: ConsoleParts, phone: str, mistake: Mistake | None = None) -> Response:
    now = parts.clock.now()
    tab = next((tab for tab in TABS if tab[0] == request.args.get("show")), TABS[0])
    with parts.database.snapshot() as connection:
        found = ledger.wallets_of(connection, phone)
        person = people.person(connection, phone, now)
        page = rows_of(connection, tab[0], phone, found)
        values: dict[str, Any] = {
            "person": person,
            "seen": seen_of(connection, phone),
            "page": Page(page.rows) if mistake else page,  # the form's address has no other pages
            "waits": asked.waiting_about(connection, tuple(ASKS.values()), phone),
            "moves": moves.moves_of(connection, phone, MOVED, RECEIVED, MOVES_MAX),
        }
    wallet = next((one for one in found if _is_theirs(one, phone, parts.currency)), None)
    values |= {
        "phone": phone,
        "moved_away": MOVED,
        "wallets": [(one, caps(parts.books.limits, one, now)) for one in found],
        "wallet": wallet,
        "is_verified": wallet is None or parts.wallets.is_verified(wallet, now),
        "may": _may(parts, wallet, person),
        "tiers": [(name, name) for name in parts.wallets.tiers],
        "tabs": TABS,
        "tab": tab,
        "mistake": mistake,
        "shown_status": shown_status,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if mistake else HTTPStatus.OK
    return read(parts, "console/person.html", status, **values)


def _is_theirs(wallet: Account, phone: str, currency: str) -> bool:
    return (wallet.owner, wallet.currency) == (phone, currency)


def _may(parts: ConsoleParts, wallet: Account | None, person: Person) -> frozenset[str]:
    """Which forms the page has; what else stands against one, it says when it is sent."""
    forms = {"pin"} if person.pin_set_at else set()
    if wallet is None or wallet.status == CLOSED:
        return frozenset(forms)
    forms |= {"verify", "move"}
    forms |= {"freeze"} if wallet.status == ACTIVE else set()
    forms |= {"unfreeze"} if wallet.status == FROZEN else set()
    forms |= {"tier"} if len(parts.wallets.tiers) > 1 else set()
    return frozenset(forms)


def named(entry: str) -> str:
    """The same within a sentence.

    >>> named("K7M29Q"), named("9021 0000 0000 000014")
    ('called K7M29Q', 'like that')
    """
    return f"called {entry}" if repeatable(entry) else "like that"


def repeatable(entry: str) -> str:
    """What somebody typed, to be corrected; empty when it may hold the digits of a token.

    >>> repeatable("0803 12"), repeatable("9021 0000 0000 000014"), repeatable("K7M29Q")
    ('0803 12', '', 'K7M29Q')
    """
    return "" if sum(map(str.isdigit, entry)) >= TOKEN_DIGITS_MIN else entry
