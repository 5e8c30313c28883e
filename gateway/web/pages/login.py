"""Coming and going: the login of an area, the way out, and a PIN of one's own."""

from http import HTTPStatus
from typing import Final
from zoneinfo import ZoneInfo

from flask import Blueprint, Response, g, request
from sqlalchemy import Connection

from gateway.errors import BadInput
from gateway.formats import msisdn
from gateway.people.pins.hashing import Busy
from gateway.people.staff.entrance import Locked, PinOnce, Wrong
from gateway.people.staff.store import Member
from gateway.web.pages.answers import AREAS, area_of, page, sent_on, sentence
from gateway.web.pages.door import (
    AT_CONSOLE,
    AT_COUNTER,
    PATH_MAX,
    Door,
    allowed,
    deadline,
    forget,
    keep,
)
from gateway.web.pages.door import BUSY as BUSY

NO_MATCH: Final = "This phone and PIN do not match."
ONCE: Final = "This PIN is good for one thing: choosing your own. Do it below, under “Change PIN”."
NOT_A_PHONE: Final = "That is no phone number."
TWO_PINS: Final = "The two new PINs are not the same."
_ROLES = {"/counter": AT_COUNTER, "/console": AT_CONSOLE}


def routes(pages: Blueprint, door: Door) -> None:
    """`login`, `logout` and `pin` of a blueprint's area."""
    _ways_in_and_out(pages, door)
    _own_pin(pages, door)


def _ways_in_and_out(pages: Blueprint, door: Door) -> None:

    @pages.get("/login")
    @allowed()
    def login() -> Response:
        """The form; whoever is in already goes on."""
        if g.member is not None and g.member.role in _ROLES[_area()]:
            return sent_on(_way_on())
        return page("login.html", way_on=_way_on(), phone="", problem="")

    @pages.post("/login")
    @allowed()
    def enter() -> Response:
        """Phone and PIN; the try is counted before it is judged."""
        try:
            member = _proved(door)
        except (BadInput, Busy) as error:
            return _again("login.html", _said(door, error), way_on=_way_on())
        home = _home(member)
        if home != _area():
            said = f"You work at the {AREAS[home].lower()}: log in at {home}/login."
            return _again("login.html", said, way_on=_way_on())
        answer = sent_on(_way_on())
        try:
            _begin(door, member, answer)
        except BadInput as error:
            return _again("login.html", _said(door, error), way_on=_way_on())
        return answer

    @pages.post("/logout")
    @allowed()
    def leave() -> Response:
        """The session is over for whoever holds its cookie."""
        door.database.run(lambda c: door.sessions.end(c, g.visit), deadline=deadline())
        answer = sent_on(f"{_area()}/login")
        forget(answer, door)
        return answer


def _own_pin(pages: Blueprint, door: Door) -> None:
    @pages.get("/pin")
    @allowed()
    def pin() -> Response:
        """Choosing a PIN of one's own; also for whoever cannot log in without one."""
        return page("pin.html", phone="", problem="")

    @pages.post("/pin")
    @allowed()
    def change() -> Response:
        """The old PIN is proved as ever; then one is in."""
        try:
            member = _changed(door)
        except (BadInput, Busy) as error:
            return _again("pin.html", _said(door, error))
        answer = sent_on(_home(member))
        _begin(door, member, answer)
        return answer


def _proved(door: Door) -> Member:
    number = _number(door)
    try:
        return door.roster.entrance.entered(number, request.form.get("pin", ""), deadline())
    except PinOnce:
        raise BadInput(ONCE) from None


def _changed(door: Door) -> Member:
    form = request.form
    if form.get("new", "") != form.get("again", ""):
        raise BadInput(TWO_PINS)
    number = _number(door)
    return door.roster.change_pin(number, form.get("pin", ""), form.get("new", ""), deadline())


def _number(door: Door) -> str:
    try:
        return msisdn.parse(request.form.get("phone", ""), door.country)
    except msisdn.InvalidMsisdn:
        raise BadInput(NOT_A_PHONE) from None


def _said(door: Door, error: Exception) -> str:
    """Why somebody is not in, as they read it."""
    return BUSY if isinstance(error, Busy) else refusal(error, door.zone)


def refusal(error: Exception, zone: ZoneInfo) -> str:
    """The same, of whoever's PIN it was, in local time."""
    if isinstance(error, Locked) and error.until is not None:
        return f"Too many wrong PINs. Try again after {error.until.astimezone(zone):%H:%M}."
    return NO_MATCH if isinstance(error, Wrong) else sentence(str(error))


def _begin(door: Door, member: Member, answer: Response) -> None:
    """A new value from now on: one that was planted before is worth nothing."""

    def work(connection: Connection) -> str:
        door.sessions.end(connection, g.visit)
        return door.sessions.begin(connection, member, door.clock.now())

    value = door.database.run(work, deadline=deadline())
    g.is_new = False
    keep(answer, door, value)


def _again(template: str, said: str, **values: str) -> Response:
    """The form once more, with what was wrong; PINs are never sent back."""
    phone = request.form.get("phone", "")
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    return page(template, status, phone=phone, problem=said, **values)


def _area() -> str:
    return area_of(request.path)


def _home(member: Member) -> str:
    return next(area for area, roles in _ROLES.items() if member.role in roles)


def _way_on() -> str:
    """Where to go after the login: a page of this area, never another site."""
    area, wanted = _area(), request.values.get("next", "")
    return wanted if is_page(wanted, area) else area


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
