"""Coming and going: the login of an area, the way out, and a PIN of one's own."""

from http import HTTPStatus
from typing import Final

from flask import Blueprint, Response, g, request
from sqlalchemy import Connection

from gateway.errors import BadInput
from gateway.formats import msisdn
from gateway.people.pins.hashing import Busy
from gateway.people.staff.entrance import WRONG, PinOnce
from gateway.people.staff.store import Member
from gateway.web.pages.answers import AREAS, area_of, page, sent_on
from gateway.web.pages.door import AT_CONSOLE, AT_COUNTER, Door, allowed, deadline, forget, keep

NO_MATCH: Final = "This phone and PIN do not match."
BUSY: Final = "Many people log in just now. Try again in a moment."
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
        except BadInput as error:
            return _again(str(error))
        if member.role not in _ROLES[_area()]:
            others = next(area for area, roles in _ROLES.items() if member.role in roles)
            return _again(f"You work at the {AREAS[others].lower()}: log in at {others}.")
        answer = sent_on(_way_on())
        _begin(door, member, answer)
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
        except BadInput as error:
            said = NO_MATCH if str(error) == WRONG else _sentence(str(error))
            phone = request.form.get("phone", "")
            return page("pin.html", HTTPStatus.UNPROCESSABLE_ENTITY, phone=phone, problem=said)
        home = next(area for area, roles in _ROLES.items() if member.role in roles)
        answer = sent_on(home)
        _begin(door, member, answer)
        return answer


def _proved(door: Door) -> Member:
    try:
        number = msisdn.parse(request.form.get("phone", ""), door.country)
    except msisdn.InvalidMsisdn:
        raise BadInput(NOT_A_PHONE) from None
    try:
        return door.roster.entrance.entered(number, request.form.get("pin", ""))
    except PinOnce:
        raise BadInput(ONCE) from None
    except Busy:
        raise BadInput(BUSY) from None


def _changed(door: Door) -> Member:
    form = request.form
    if form.get("new", "") != form.get("again", ""):
        raise BadInput(TWO_PINS)
    try:
        number = msisdn.parse(form.get("phone", ""), door.country)
    except msisdn.InvalidMsisdn:
        raise BadInput(NOT_A_PHONE) from None
    return door.roster.change_pin(number, form.get("pin", ""), form.get("new", ""))


def _begin(door: Door, member: Member, answer: Response) -> None:
    """A new value from now on: one that was planted before is worth nothing."""

    def work(connection: Connection) -> str:
        door.sessions.end(connection, g.visit)
        return door.sessions.begin(connection, member, door.clock.now())

    value = door.database.run(work, deadline=deadline())
    g.is_new = False
    keep(answer, door, value)


def _again(said: str) -> Response:
    said = NO_MATCH if said == WRONG else _sentence(said)
    phone = request.form.get("phone", "")
    values = {"way_on": _way_on(), "phone": phone, "problem": said}
    return page("login.html", HTTPStatus.UNPROCESSABLE_ENTITY, **values)


def _sentence(words: str) -> str:
    """A refusal as a sentence.

    >>> _sentence("a PIN has 4 to 6 digits"), _sentence("Try again.")
    ('A PIN has 4 to 6 digits.', 'Try again.')
    """
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "”")) else ".")


def _area() -> str:
    return area_of(request.path)


def _way_on() -> str:
    """Where to go after the login: a path of this area, never another site."""
    wanted = request.values.get("next", "")
    area = _area()
    inside = wanted == area or wanted.startswith((f"{area}/", f"{area}?"))
    plain = wanted.isprintable() and "\\" not in wanted and "//" not in wanted
    own = wanted.startswith(f"{area}/login")
    return wanted if inside and plain and not own else area
