"""The console's pages of partners and their floats, and of our own."""

from http import HTTPStatus
from typing import Any, Final

from flask import Blueprint, Response
from sqlalchemy import Connection

from gateway.api.batches import store as batches
from gateway.api.batches import views
from gateway.audit.decisions.store import Approval
from gateway.audit.searched import store as audit
from gateway.audit.searched.store import Wanted
from gateway.errors import BadInput
from gateway.formats import money
from gateway.ledger import floats
from gateway.ledger.listing import store as ledger
from gateway.ledger.store import FLOAT, HOUSE
from gateway.partners import profiles, store, testing
from gateway.partners.endpoints import store as endpoints
from gateway.partners.endpoints.waiting import store as webhooks
from gateway.partners.funding import APPROVAL
from gateway.partners.places import store as places
from gateway.partners.store import ACTIVE
from gateway.partners.terms import store as terms
from gateway.web.console.doing import By, Mistake, done, has_asked, has_done, seen_of, typed
from gateway.web.console.parts import ConsoleParts
from gateway.web.console.reading import page_of, read
from gateway.web.pages.answers import problem
from gateway.web.pages.door import AT_CONSOLE, allowed

ROOT: Final = "/console/partners"
WAITING_MAX: Final = 200  # approvals looked through for those about floats
ACCOUNTS_MAX: Final = 1_000
LINES_MAX: Final = 100
FILES_MAX: Final = 20
FAILURES_MAX: Final = 5  # of an endpoint's webhooks, the latest
KINDS: Final = {
    "fund": "Funded",
    "issue": "Token issued",
    "cancel": "Cancelled",
    "expire": "Expired",
    "surplus": "Came back beyond the advance",
}


def routes(pages: Blueprint, parts: ConsoleParts) -> None:
    """`/console/partners` and what is below it."""

    @pages.get("/partners")
    @allowed(*AT_CONSOLE)
    def partners() -> Response:
        """All of them, and the house."""
        return _list(parts)

    @pages.post("/partners")
    @allowed(*AT_CONSOLE)
    def create_partner() -> Response:
        """A new one."""

        def work(connection: Connection, by: By) -> str:
            name, code = typed("name"), typed("code")
            made = profiles.create(connection, name, code, by.actor, by.now, by.reason)
            return _way(made.code, "partner-made")

        def was_done(connection: Connection, by: By) -> str | None:
            code = typed("code") or profiles.code_from(typed("name"))
            made = store.by_code(connection, code)
            if made is None or made.name != " ".join(typed("name").split()):
                return None
            again = has_done(connection, by, profiles.CREATE, code)
            return _way(code, "partner-made") if again else None

        return done(parts, "create", work, lambda mistake: _list(parts, mistake), was_done)

    @pages.get("/partners/<code>")
    @allowed(*AT_CONSOLE)
    def partner(code: str) -> Response:
        """One of them, its float and what it was used for."""
        return _one(parts, code)

    _deeds(pages, parts)


def _deeds(pages: Blueprint, parts: ConsoleParts) -> None:
    @pages.post("/partners/<code>/fund")
    @allowed(*AT_CONSOLE)
    def fund_partner(code: str) -> Response:
        """Ask for money that reached the bank to be put on the float."""

        def work(connection: Connection, by: By) -> str:
            amount, reference = money.parse(typed("amount")), typed("reference")
            of = (code, amount, parts.currency, reference)
            parts.funding.ask(connection, parts.approvals, *of, by.actor, by.reason, by.now)
            return _way(code, "asked")

        def was_done(connection: Connection, by: By) -> str | None:
            waits = has_asked(connection, by, APPROVAL, typed("reference"))
            same = waits is not None and _is_same(waits, code, parts.currency)
            return _way(code, "asked") if same else None

        return done(parts, "fund", work, lambda mistake: _one(parts, code, mistake), was_done)

    @pages.post("/partners/<code>/suspend")
    @allowed(*AT_CONSOLE)
    def suspend_partner(code: str) -> Response:
        """Let nothing be issued for it."""
        return _switch(parts, code, "suspend")

    @pages.post("/partners/<code>/resume")
    @allowed(*AT_CONSOLE)
    def resume_partner(code: str) -> Response:
        """Let it issue again."""
        return _switch(parts, code, "resume")


def _switch(parts: ConsoleParts, code: str, form: str) -> Response:
    change, action = {
        "suspend": (profiles.suspend, "partner.suspended"),
        "resume": (profiles.resume, "partner.active"),
    }[form]
    path = _way(code, f"partner-{form}")

    def work(connection: Connection, by: By) -> str:
        change(connection, code, by.actor, by.reason, by.now)
        return path

    def was_done(connection: Connection, by: By) -> str | None:
        return path if has_done(connection, by, action, code) else None

    def again(mistake: Mistake) -> Response:
        return _one(parts, code, mistake)

    return done(parts, form, work, again, was_done, about=code)


def _is_same(waits: Approval, code: str, currency: str) -> bool:
    """Whether what waits puts just the money of the form on this float."""
    try:
        amount = money.plain(money.parse(typed("amount")))
    except BadInput:
        return False
    asked = (waits.details["owner"], waits.details["amount"], waits.details["currency"])
    return asked == (code, amount, currency)


def _way(code: str, word: str) -> str:
    return f"{ROOT}/{code}?done={word}"


def _list(parts: ConsoleParts, mistake: Mistake | None = None) -> Response:
    with parts.database.snapshot() as connection:
        everyone = store.everyone(connection)
        held = ledger.of_kind(connection, FLOAT, parts.currency, ACCOUNTS_MAX)
        waits = _waiting(parts, connection)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if mistake else HTTPStatus.OK
    values: dict[str, Any] = {"partners": everyone, "held": held, "house": HOUSE}
    values |= {"waits": waits, "currency": parts.currency, "mistake": mistake}
    return read(parts, "console/partners.html", status, **values)


def _one(parts: ConsoleParts, code: str, mistake: Mistake | None = None) -> Response:
    with parts.database.snapshot() as connection:
        found = store.by_code(connection, code)
        if found is None and code != HOUSE:
            return problem(HTTPStatus.NOT_FOUND, "There is no partner with this code.")
        account = floats.find(connection, code, parts.currency)
        agreed, files = terms.of(connection, code), _files(connection, code)
        told = _told(connection, code)
        waits = [one for one in _waiting(parts, connection) if one.details["owner"] == code]
        trail = audit.page(connection, Wanted(subjects=[code]), None, LINES_MAX)
        rows = page_of(
            lambda before, most: (
                ledger.entries_of(connection, account.id, before, most) if account else []
            ),
            lambda entry: entry.id,
        )
        pays_at = places.of_partner(connection, found.id) if found else []
        seen = seen_of(connection, code)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if mistake else HTTPStatus.OK
    values: dict[str, Any] = {"one": found, "code": code, "account": account, "page": rows}
    values |= {"waits": waits, "trail": [line.record for line in trail], "kinds": KINDS}
    values |= {"pays_at": pays_at, "active": ACTIVE, "currency": parts.currency, "mistake": mistake}
    values |= {"agreed": agreed, "files": files, "told": told, "seen": seen}
    return read(parts, "console/partner.html", status, **values)


def _files(connection: Connection, code: str) -> list[dict[str, Any]]:
    """The latest batches of a partner, and how far each is."""
    found = batches.latest(connection, code, None, FILES_MAX)
    return [{"one": one, **views.counts(batches.tallies(connection, one.id))} for one in found]


def _told(connection: Connection, code: str) -> list[dict[str, Any]]:
    """Where the partner's webhooks go, and what of them was not taken at once lately."""
    owners = (code, testing.owner(code))
    found = [endpoints.of_owner(connection, owner) for owner in owners]
    return [
        {"one": one, "failures": webhooks.troubled(connection, one.owner, FAILURES_MAX)}
        for one in found
        if one is not None
    ]


def _waiting(parts: ConsoleParts, connection: Connection) -> list[Approval]:
    """The fundings that wait for a second operator."""
    found = parts.approvals.waiting(connection, parts.clock.now(), None, WAITING_MAX)
    return [one for one in found if one.kind == APPROVAL]
