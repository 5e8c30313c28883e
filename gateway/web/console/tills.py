"""The console's pages of tills: what one is owed, who is at it, and its float limit."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from flask import Blueprint, Response
from sqlalchemy import Connection

from gateway.audit.searched import store as audit
from gateway.audit.searched.store import Wanted
from gateway.errors import BadInput
from gateway.formats import money
from gateway.ledger import store as ledger
from gateway.ledger.operate import Deed
from gateway.outlets import manage, store
from gateway.outlets.shifts import store as shifts
from gateway.outlets.store import Status, Till, till_name
from gateway.people.staff.store import Role
from gateway.web.console import outlets
from gateway.web.console.doing import By, Mistake, done, has_done, seen_of, typed
from gateway.web.console.outlets import LINES_MAX, ROOT, may_set_up
from gateway.web.console.parts import ConsoleParts
from gateway.web.console.reading import number as number_of
from gateway.web.console.reading import read
from gateway.web.pages.answers import problem
from gateway.web.pages.door import AT_CONSOLE, allowed

STALE: Final = "a till was added meanwhile: look at the outlet again"


def routes(pages: Blueprint, parts: ConsoleParts) -> None:
    """`/console/outlets/<code>/tills` and what is below it."""

    @pages.post("/outlets/<code>/tills")
    @allowed(Role.ADMIN)
    def create_till(code: str) -> Response:
        """Add the next one; the form says after which, so that a repeat adds no second one."""

        def work(connection: Connection, by: By) -> str:
            limit, after = money.parse(typed("float_limit")), number_of(typed("after"))
            made = manage.create_till(
                connection, code, limit, parts.currency, by.actor, by.now, by.reason
            )
            if made.number - 1 != after:
                raise BadInput(STALE)
            return _way(made, "till-made")

        def was_done(connection: Connection, by: By) -> str | None:
            after = number_of(typed("after"))
            if after is None:
                return None
            name = till_name(code.upper(), after + 1)
            again = _has_limit(connection, name) and has_done(
                connection, by, manage.CREATE_TILL, name, fact=True
            )
            return _way_to(code, after + 1, "till-made") if again else None

        return done(
            parts, "till", work, lambda mistake: outlets.one(parts, code, mistake), was_done
        )

    @pages.get("/outlets/<code>/tills/<int:number>")
    @allowed(*AT_CONSOLE)
    def till(code: str, number: int) -> Response:
        """One of them."""
        return _one(parts, code, number)

    _deeds(pages, parts)


def _deeds(pages: Blueprint, parts: ConsoleParts) -> None:
    @pages.post("/outlets/<code>/tills/<int:number>/limit")
    @allowed(Role.ADMIN)
    def limit_till(code: str, number: int) -> Response:
        """Change what one shift may pay out."""

        def act(connection: Connection, name: str, deed: Deed) -> Till:
            limit, found = money.parse(typed("float_limit")), manage.known_till(connection, name)
            if found.float_limit == limit:  # it stands so, as after the same click
                return found
            return manage.limit_till(connection, name, limit, deed)

        return _do(parts, code, number, "limit", act, manage.LIMIT_TILL)

    @pages.post("/outlets/<code>/tills/<int:number>/freeze")
    @allowed(*AT_CONSOLE)
    def freeze_till(code: str, number: int) -> Response:
        """Let it pay nothing."""
        return _do(parts, code, number, "freeze", manage.freeze_till, manage.FREEZE_TILL)

    @pages.post("/outlets/<code>/tills/<int:number>/unfreeze")
    @allowed(*AT_CONSOLE)
    def unfreeze_till(code: str, number: int) -> Response:
        """Let it pay again."""
        return _do(parts, code, number, "unfreeze", manage.unfreeze_till, manage.UNFREEZE_TILL)

    @pages.post("/outlets/<code>/tills/<int:number>/close")
    @allowed(Role.ADMIN)
    def close_till(code: str, number: int) -> Response:
        """Close it for good."""
        return _do(parts, code, number, "close", manage.close_till, manage.CLOSE_TILL)


def _do(
    parts: ConsoleParts,
    code: str,
    number: int,
    form: str,
    act: Callable[[Connection, str, Deed], Till],
    action: str,
) -> Response:
    name = till_name(code.upper(), number)

    def work(connection: Connection, by: By) -> str:
        return _way(act(connection, name, Deed(by.actor, by.reason, by.now)), f"till-{form}")

    def was_done(connection: Connection, by: By) -> str | None:
        limits = form == "limit"
        again = has_done(connection, by, action, name, fact=limits)
        same = again and (not limits or _has_limit(connection, name))
        return _way_to(code, number, f"till-{form}") if same else None

    def again(mistake: Mistake) -> Response:
        return _one(parts, code, number, mistake)

    return done(parts, form, work, again, was_done, about=name)


def _has_limit(connection: Connection, name: str) -> bool:
    """Whether a till stands at the limit that the form has."""
    try:
        limit = money.parse(typed("float_limit"))
        return manage.known_till(connection, name).float_limit == limit
    except BadInput:
        return False


def _way(till: Till, word: str) -> str:
    return _way_to(till.outlet, till.number, word)


def _way_to(code: str, number: int, word: str) -> str:
    return f"{ROOT}/{code.upper()}/tills/{number}?done={word}"


def _one(parts: ConsoleParts, code: str, number: int, mistake: Mistake | None = None) -> Response:
    with parts.database.snapshot() as connection:
        outlet = store.by_code(connection, code.upper())
        tills = store.tills_of(connection, outlet.id) if outlet else []
        found = next((till for till in tills if till.number == number), None)
        if outlet is None or found is None:
            return problem(HTTPStatus.NOT_FOUND, "There is no till with this number.")
        trail = audit.page(connection, Wanted(subjects=[found.name]), None, LINES_MAX)
        values: dict[str, Any] = {
            "one": found,
            "outlet": outlet,
            "account": ledger.by_id(connection, found.account_id),
            "shift": shifts.at_till(connection, found.id),
            "trail": [line.record for line in trail],
            "seen": seen_of(connection, found.name),
        }
    values |= {"mistake": mistake, "may": _may(found), "currency": parts.currency}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if mistake else HTTPStatus.OK
    return read(parts, "console/till.html", status, **values)


def _may(till: Till) -> frozenset[str]:
    """Which forms a till's page has."""
    forms = {
        Status.OPEN: {"limit", "freeze", "close"},
        Status.FROZEN: {"limit", "unfreeze", "close"},
        Status.CLOSED: set[str](),
    }[till.stand]
    return frozenset(forms if may_set_up() else forms - {"limit", "close"})
