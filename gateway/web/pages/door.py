"""Who may see a page: the session behind the cookie, the role, and the form's own key."""

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, TypeVar
from urllib.parse import quote
from zoneinfo import ZoneInfo

import structlog
from flask import Blueprint, Response, g, request
from sqlalchemy import Connection

from gateway.clock import Clock
from gateway.database.engine import Database, Deadline
from gateway.errors import BadInput, CommitUnknown, DuplicateKey, TryAgain
from gateway.people.pins.hashing import Busy
from gateway.people.staff.hands import setter
from gateway.people.staff.roster import Roster
from gateway.people.staff.sessions.sessions import Sessions
from gateway.people.staff.store import Member, Role
from gateway.people.staff.tries.places import place_of
from gateway.web.access import callers
from gateway.web.pages.answers import area_of, home_of, problem, sent_on, sentence

log = structlog.get_logger()

COOKIE: Final = "gateway_staff"
HOST_PREFIX: Final = "__Host-"  # browsers then take it from this host alone, over TLS (RFC 6265bis)
REQUEST_SECONDS: Final = 8.0  # a person waits before the page
PATH_MAX: Final = 400  # of an address that one comes back to
AT_COUNTER: Final = (Role.CASHIER, Role.MANAGER)
AT_CONSOLE: Final = (Role.OPERATOR, Role.ADMIN)
BUSY: Final = "Many people log in just now. Try again in a moment."
STALE_FORM: Final = "This form was not from this session. Open the page again and repeat it there."
View = TypeVar("View", bound=Callable[..., Response])


@dataclass(frozen=True, slots=True)
class Door:
    """What every page of the staff stands behind."""

    database: Database
    clock: Clock
    sessions: Sessions
    roster: Roster
    zone: ZoneInfo
    country: str  # ISO 3166: whose numbers are typed without a prefix
    secure: bool  # whether the cookie travels over TLS alone; not in the demo, which has none

    @property
    def cookie(self) -> str:
        """The name of the cookie."""
        return HOST_PREFIX + COOKIE if self.secure else COOKIE


def allowed(*roles: Role) -> Callable[[View], View]:
    """Mark a view with the roles that may see it; without any, whoever comes (the login)."""

    def mark(view: View) -> View:
        vars(view)["roles"] = roles
        return callers("person")(view)

    return mark


def guard(pages: Blueprint, door: Door) -> None:
    """Let nobody into these pages who may not see them, and take no form from elsewhere."""
    views: list[Mapping[str, Callable[..., object]]] = []
    pages.record(lambda setup: views.append(setup.app.view_functions))

    @pages.before_request
    def enter() -> Response | None:
        value = request.cookies.get(door.cookie, "")
        # A value that we never gave out is not one: nobody can choose another's.
        g.visit = value if door.sessions.is_ours(value) else door.sessions.new_value()
        g.is_new = g.visit != value
        g.csrf = door.sessions.form_key(g.visit)
        view, g.is_ours = views[0].get(request.endpoint or ""), _is_ours()
        # Known before anything can fail: what is said of such a form is said at another address.
        g.pin_form = getattr(view, "pin_form", None)
        g.member = None if g.is_new else _member(door, g.visit)
        if not g.is_ours:
            return problem(HTTPStatus.FORBIDDEN, STALE_FORM)
        refusal = _refusal(g.member, getattr(view, "roles", None))
        g.pin_form = None if refusal else g.pin_form
        return refusal

    @pages.after_request
    def carry(response: Response) -> Response:
        if g.get("is_new"):
            keep(response, door, g.visit)
        return response

    _errors(pages)


def _errors(pages: Blueprint) -> None:
    """What a view let pass: it is said in a page, and nothing was changed."""

    @pages.errorhandler(TryAgain)
    @pages.errorhandler(CommitUnknown)
    def away(error: Exception) -> Response:
        log.warning("page_not_answered", error=type(error).__name__)
        return problem(HTTPStatus.SERVICE_UNAVAILABLE)

    @pages.errorhandler(Busy)
    def busy(_: Exception) -> Response:
        return problem(HTTPStatus.SERVICE_UNAVAILABLE, BUSY)

    @pages.errorhandler(BadInput)
    def refused(error: BadInput) -> Response:
        return problem(HTTPStatus.UNPROCESSABLE_ENTITY, sentence(str(error)))

    @pages.errorhandler(DuplicateKey)
    def same(_: Exception) -> Response:
        return problem(HTTPStatus.CONFLICT)


def keep(response: Response, door: Door, value: str) -> None:
    """Give the browser a value to carry."""
    response.set_cookie(door.cookie, value, httponly=True, samesite="Strict", secure=door.secure)


def forget(response: Response, door: Door) -> None:
    """Have the browser carry nothing any more."""
    response.delete_cookie(door.cookie, httponly=True, samesite="Strict", secure=door.secure)


def deadline() -> Deadline:
    """How long the database may take for one page."""
    return Deadline(REQUEST_SECONDS)


def place() -> str:
    """Where whoever asks for the page sits, as their tries at a PIN are counted."""
    return place_of(request.remote_addr or "")


def _member(door: Door, value: str) -> Member | None:
    def work(connection: Connection) -> Member | None:
        return door.sessions.find(connection, value, door.clock.now())

    return door.database.run(work, deadline=deadline())


def _is_ours() -> bool:
    """Whether it is no form, or one of this browser."""
    if request.method != "POST":
        return True
    given = request.form.get("csrf", "")
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), g.csrf.encode())


def _refusal(member: Member | None, roles: tuple[Role, ...] | None) -> Response | None:
    """Why the one who looks may not: to the login without a session, 403 with the wrong role.

    Whose PIN somebody else has set chooses their own first: until then it is not they who act.
    A view that does not say who may see it is seen by nobody.
    """
    if roles == ():
        return None
    if member is None:
        area = area_of(request.path)
        # After a form, its page is where to go on; a GET comes back to where it was.
        back = f"?next={quote(_here(), safe='/')}" if request.method == "GET" else ""
        return sent_on(f"{area}/login{back}")
    if setter(member) is not None:
        return sent_on(f"{home_of(member)}/pin")
    if roles is None or member.role not in roles:
        return problem(HTTPStatus.FORBIDDEN)
    return None


def _here() -> str:
    """The path that was asked for, as it was written, with its query; empty for a longer one."""
    query = request.query_string.decode("latin-1")
    path = quote(request.path) + (f"?{query}" if query else "")
    return path if len(path) <= PATH_MAX else ""
