"""Coming and going: the login of an area, the way out, and a PIN of one's own."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote
from zoneinfo import ZoneInfo

from flask import Blueprint, Response, g, request
from sqlalchemy import Connection

from gateway.errors import BadInput
from gateway.formats import msisdn
from gateway.people.pins.hashing import Busy
from gateway.people.staff.entrance import Crowded, Locked, PinOnce, Wrong
from gateway.people.staff.hands import setter
from gateway.people.staff.store import Member
from gateway.web.pages import refused
from gateway.web.pages.answers import (
    AREAS,
    CAME_IN,
    IN,
    area_of,
    home_of,
    page,
    problem,
    sent_on,
    sentence,
)
from gateway.web.pages.door import (
    AT_CONSOLE,
    AT_COUNTER,
    PATH_MAX,
    Door,
    allowed,
    deadline,
    forget,
    keep,
    place,
)
from gateway.web.pages.door import BUSY as BUSY
from gateway.web.pages.refused import PinForm, Refusal, carries_pin

NO_MATCH: Final = "This phone and PIN do not match."
ONCE: Final = "This PIN is good for one thing: choosing your own. Do it here, and you are in."
FOREIGN: Final = "Somebody else has set your PIN and can act in your name: choose your own first."
OUT: Final = "You were logged out."
CROWDED: Final = "Too many wrong entries from your network."
NOT_A_PHONE: Final = "That is no phone number."
TWO_PINS: Final = "The two new PINs are not the same."
_ROLES = {"/counter": AT_COUNTER, "/console": AT_CONSOLE}


Landing = Callable[[Member], str]  # the first page of somebody who comes in


def _login_page() -> str:
    area, wanted = _area(), _next()
    return f"{area}/login" + (f"?next={quote(wanted, safe='/')}" if wanted != area else "")


def _pin_page() -> str:
    return f"{_area()}/pin"


FOR_ONCE: Final = PinForm("once", _pin_page, ("phone",))  # where the login of a PIN for once leads


def routes(pages: Blueprint, door: Door, landing: Landing = home_of) -> None:
    """`login`, `logout` and `pin` of a blueprint's area."""
    _ways_in_and_out(pages, door, landing)
    _own_pin(pages, door, landing)
    refused.hooks(pages, door)

    @pages.after_request
    def said(response: Response) -> Response:
        """What a page has told somebody once is not told again."""
        if g.get("told"):
            _mark(response, door, IN if g.member else "")
        return response


def _ways_in_and_out(pages: Blueprint, door: Door, landing: Landing) -> None:

    @pages.get("/login")
    @allowed()
    def login() -> Response:
        """The form; whoever is in already goes on."""
        told = refused.heard(door)
        if told is None and g.member is not None and g.member.role in _ROLES[_area()]:
            return sent_on(_way_on(g.member, landing))
        # The same for whoever was let go: why is not for strangers at their browser.
        g.told = g.member is None and CAME_IN in request.cookies
        return _form("login.html", told, way_on=_next(), out=OUT if g.told else "")

    @pages.post("/login")
    @allowed()
    @carries_pin("login", _login_page, "phone")
    def enter() -> Response:
        """Phone and PIN; the try is counted before it is judged."""
        try:
            member = _proved(door)
        except PinOnce:
            return refused.refused(door, FOR_ONCE, "", HTTPStatus.UNPROCESSABLE_ENTITY)
        except (BadInput, Busy) as error:
            return _refused(door, error)
        home = home_of(member)
        if home != _area():
            said = f"You work at the {AREAS[home].lower()}: log in at {home}/login."
            return problem(HTTPStatus.UNPROCESSABLE_ENTITY, said)
        answer = sent_on(_way_on(member, landing))
        try:
            _begin(door, member, answer)
        except BadInput as error:
            return _refused(door, error)
        return answer

    @pages.post("/logout")
    @allowed()
    def leave() -> Response:
        """The session is over for whoever holds its cookie."""
        door.database.run(lambda c: door.sessions.end(c, g.visit), deadline=deadline())
        answer = sent_on(f"{_area()}/login")
        forget(answer, door)
        _mark(answer, door, "")
        return answer


def _own_pin(pages: Blueprint, door: Door, landing: Landing) -> None:
    @pages.get("/pin")
    @allowed()
    def pin() -> Response:
        """Choosing a PIN of one's own; also for whoever cannot log in without one."""
        told = refused.heard(door)
        why = ONCE if told is not None and told.form == FOR_ONCE.name else ""
        if g.member is None:
            return _form("pin.html", told, why=why, must=False)
        must = setter(g.member) is not None
        return _form("pin.html", told, g.member.msisdn, why=FOREIGN if must else why, must=must)

    @pages.post("/pin")
    @allowed()
    @carries_pin("pin", _pin_page, "phone")
    def change() -> Response:
        """The old PIN is proved as ever; then one is in."""
        try:
            member = _changed(door)
        except (BadInput, Busy) as error:
            return _refused(door, error)
        answer = sent_on(landing(member))
        _begin(door, member, answer)
        return answer


def _proved(door: Door) -> Member:
    number = _number(door)
    return door.roster.entrance.entered(number, request.form.get("pin", ""), deadline(), place())


def _changed(door: Door) -> Member:
    form = request.form
    if form.get("new", "") != form.get("again", ""):
        raise BadInput(TWO_PINS)
    number = _number(door)
    old, new = form.get("pin", ""), form.get("new", "")
    return door.roster.change_pin(number, old, new, deadline(), place())


def _number(door: Door) -> str:
    try:
        return msisdn.parse(request.form.get("phone", ""), door.country)
    except msisdn.InvalidMsisdn:
        raise BadInput(NOT_A_PHONE) from None


def _refused(door: Door, error: Exception) -> Response:
    """Why somebody is not in, as they read it."""
    if isinstance(error, Locked):
        return problem(HTTPStatus.TOO_MANY_REQUESTS, refusal(error, door.zone))
    said = BUSY if isinstance(error, Busy) else refusal(error, door.zone)
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, said)


def refusal(error: Exception, zone: ZoneInfo) -> str:
    """The same, of whoever's PIN it was, in local time."""
    if isinstance(error, Locked) and error.until is not None:
        what = CROWDED if isinstance(error, Crowded) else "Too many wrong PINs."
        return f"{what} Try again after {error.until.astimezone(zone):%H:%M}."
    return NO_MATCH if isinstance(error, Wrong) else sentence(str(error))


def _begin(door: Door, member: Member, answer: Response) -> None:
    """A new value from now on: one that was planted before is worth nothing."""

    def work(connection: Connection) -> str:
        door.sessions.end(connection, g.visit)
        return door.sessions.begin(connection, member, door.clock.now())

    value = door.database.run(work, deadline=deadline())
    g.is_new = False
    keep(answer, door, value)
    _mark(answer, door, IN)


def _mark(answer: Response, door: Door, how: str) -> None:
    """Note in the browser that somebody is in; "" that nobody is any more.

    It opens nothing: without the session it says no more than that there was one.
    """
    more: dict[str, Any] = {"httponly": True, "samesite": "Strict", "secure": door.secure}
    if how:
        answer.set_cookie(CAME_IN, how, **more)
    else:
        answer.delete_cookie(CAME_IN, **more)


def _form(template: str, told: Refusal | None, phone: str = "", **values: Any) -> Response:
    """The form; once more with what was wrong, if it was just sent. PINs are never sent back."""
    if told is None:
        return page(template, phone=phone, problem="", **values)
    values |= {"phone": told.typed.get("phone", ""), "problem": told.said}
    return page(template, told.status, **values)


def _area() -> str:
    return area_of(request.path)


def _next() -> str:
    """The page of this area that was asked for, never another site; else its first one."""
    area, wanted = _area(), request.values.get("next", "")
    return wanted if is_page(wanted, area) else area


def _way_on(member: Member, landing: Landing) -> str:
    wanted = _next()
    return landing(member) if wanted == _area() else wanted


def is_page(path: str, area: str) -> bool:
    """Whether a path, as it stands in an address, leads to a page of the area and to no other.

    >>> is_page("/counter/today?page=2", "/counter")
    True
    >>> is_page("//elsewhere.example", "/counter"), is_page("/counter/../phone", "/counter")
    (False, False)
    """
    bare = path.partition("?")[0]
    if len(path) > PATH_MAX or not (bare == area or bare.startswith(f"{area}/")):
        return False
    # What browsers read as a way up or as another host; and the ways in and out themselves.
    is_plain = path.isascii() and path.isprintable() and " " not in path and "\\" not in path
    steps = bare.lower().replace("%2e", ".").split("/")[1:]
    return (
        is_plain and not {"", ".", ".."} & set(steps) and steps[1:] not in (["login"], ["logout"])
    )
