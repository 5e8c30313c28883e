"""The console's pages of the staff: who works here, and what admins change about them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Any, Final

from flask import Blueprint, Response, g, request
from sqlalchemy import Connection

from gateway.audit.listing import store as asked
from gateway.audit.searched import store as audit
from gateway.audit.searched.store import Wanted
from gateway.errors import BadInput
from gateway.formats import msisdn
from gateway.ledger.operate import Deed
from gateway.outlets import staffing
from gateway.outlets import store as outlets
from gateway.people.pins.hashing import Busy
from gateway.people.staff import store
from gateway.people.staff.hands import actor_of
from gateway.people.staff.listing import store as listing
from gateway.people.staff.roster import ENABLE, HIRE, Hire, Placed
from gateway.people.staff.store import Member, Role, Status
from gateway.people.staff.way_back import RESET_PIN, locked_until
from gateway.web.console.doing import By, Mistake, actor, done, has_asked, has_done, seen_of, typed
from gateway.web.console.parts import ConsoleParts
from gateway.web.console.reading import page_of, read
from gateway.web.pages.answers import problem, sentence
from gateway.web.pages.door import AT_CONSOLE, AT_COUNTER, BUSY, allowed, deadline
from gateway.web.pages.refused import carries_pin, heard

ROOT: Final = "/console/staff"
TABS: Final = (
    (Status.ACTIVE.value, "Active", "Nobody works here yet."),
    (Status.WAITING.value, "Waiting", "Nobody waits for a second operator’s approval."),
    (Status.DISABLED.value, "Disabled", "Nobody has been let go."),
)
LINES_MAX: Final = 100
KINDS: Final = (HIRE, ENABLE, RESET_PIN)
TWO_PINS: Final = "The two PINs are not the same."
CHOOSE_OUTLET: Final = "Choose the outlet where they work."
CHOOSE_ROLE: Final = "Choose a role."
Change = Callable[[Connection, str, str, str, datetime], Placed]


@dataclass(frozen=True, slots=True)
class Form:
    """What a form of a member's page does: the change, and how the trail and approvals call it."""

    change: Change
    action: str
    kind: str = ""  # of the approval that it may ask for


def routes(pages: Blueprint, parts: ConsoleParts) -> None:
    """`/console/staff` and what is below it."""

    @pages.get("/staff")
    @allowed(*AT_CONSOLE)
    def staff() -> Response:
        """One of the lists."""
        return _list(parts, _told(parts))

    @pages.get("/staff/<int:number>")
    @allowed(*AT_CONSOLE)
    def staff_member(number: int) -> Response:
        """Somebody of the staff."""
        return _one(parts, number, _told(parts))

    @pages.post("/staff")
    @allowed(Role.ADMIN)
    @carries_pin("hire", ROOT.format, "name", "phone", "role", "outlet", "reason")
    def hire_member() -> Response:
        """Take somebody on; the PIN is hashed before anything is written."""
        try:
            hire = _hire(parts)
        except (BadInput, Busy) as error:
            return _unfit(error)

        def work(connection: Connection, by: By) -> str:
            placed = parts.roster.hire(connection, hire, by.actor, by.reason, by.now)
            return _way(placed.member, "hire", placed.approval)

        def was_done(connection: Connection, by: By) -> str | None:
            member = store.by_msisdn(connection, hire.msisdn)
            way = _repeated(connection, by, member, "hire", "staff.create", HIRE)
            return way if way and member and _is_hired(parts, member, hire) else None

        return done(parts, "hire", work, _not_taken, was_done)

    _deeds(pages, parts)


def _deeds(pages: Blueprint, parts: ConsoleParts) -> None:
    forms = {
        "disable": Form(parts.roster.disable, "staff.disable"),
        "enable": Form(parts.roster.enable, "staff.enable", ENABLE),
        "unlock": Form(parts.way_back.unlock, "staff.unlock"),
    }

    @pages.post("/staff/<int:number>/<form>")
    @allowed(Role.ADMIN)
    def change_member(number: int, form: str) -> Response:
        """What one of the forms of a member's page asks for."""
        if form not in forms:
            return problem(HTTPStatus.NOT_FOUND)
        return _do(parts, number, form, forms[form])

    @pages.post("/staff/<int:number>/move")
    @allowed(Role.ADMIN)
    def move_member(number: int) -> Response:
        """Let a cashier or manager work at another outlet; a repeat finds them there."""

        def act(c: Connection, phone: str, by: str, reason: str, now: datetime) -> Placed:
            return Placed(staffing.move(c, phone, typed("outlet"), Deed(by, reason, now)))

        return _do(parts, number, "move", Form(act, staffing.MOVE))

    @pages.post("/staff/<int:number>/pin")
    @allowed(Role.ADMIN)
    @carries_pin("pin", f"{ROOT}/{{number}}".format, "reason")
    def reset_pin(number: int) -> Response:
        """Ask for a PIN for once; the old one counts until it is approved."""
        member = _member(parts, number)
        if member is None:
            return _one(parts, number)
        try:
            hashed = parts.roster.hashed(_new_pin(), member.msisdn, deadline())
        except (BadInput, Busy) as error:
            return _unfit(error)

        def reset(c: Connection, phone: str, by: str, reason: str, now: datetime) -> Placed:
            return parts.way_back.reset_pin(c, phone, hashed, by, reason, now)

        return _do(parts, number, "pin", Form(reset, "", RESET_PIN), _not_taken)


def _do(
    parts: ConsoleParts,
    number: int,
    form: str,
    deed: Form,
    again: Callable[[Mistake], Response] | None = None,
) -> Response:
    member = _member(parts, number)
    if member is None:
        return _one(parts, number)

    def work(connection: Connection, by: By) -> str:
        placed = deed.change(connection, member.msisdn, by.actor, by.reason, by.now)
        return _way(placed.member, form, placed.approval)

    def was_done(connection: Connection, by: By) -> str | None:
        return _repeated(connection, by, member, form, deed.action, deed.kind)

    here = again or (lambda mistake: _one(parts, number, mistake))
    return done(parts, form, work, here, was_done, about=member.msisdn, asks=form == "pin")


def _repeated(
    connection: Connection, by: By, member: Member | None, form: str, action: str, kind: str
) -> str | None:
    """Where the same click led the first time; none to another PIN, which nobody can compare."""
    if member is None or not action:
        return None
    waits = has_asked(connection, by, kind, member.msisdn) if kind else None
    if waits is not None:
        return _way(member, form, waits.id)
    moves = form == "move"  # the trail has more than the reason: from where to where
    is_done = has_done(connection, by, action, member.msisdn, fact=moves)
    if moves:
        here = store.by_id(connection, member.id) or member
        is_done = is_done and here.outlet == typed("outlet").upper()
    return _way(member, form, None) if is_done else None


def _is_hired(parts: ConsoleParts, member: Member, hire: Hire) -> bool:
    """Whether who was taken on just now is whom the form describes, with just this PIN."""
    facts = (" ".join(hire.name.split()), hire.role.value, hire.outlet)
    if (member.name, member.role, member.outlet) != facts:
        return False
    return parts.roster.entrance.is_pin_of(member, request.form.get("pin", ""), deadline())


def _way(member: Member, form: str, approval: int | None) -> str:
    return f"{ROOT}/{member.id}?done={'asked' if approval else f'staff-{form}'}"


def _unfit(error: Exception) -> Response:
    """Why a PIN cannot be given to somebody."""
    said = BUSY if isinstance(error, Busy) else sentence(str(error))
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, said)


def _not_taken(mistake: Mistake) -> Response:
    """The refusal of a form with a PIN."""
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, mistake.said)


def _told(parts: ConsoleParts) -> Mistake | None:
    """The same, as the form's page says it."""
    told = heard(parts.door)
    return None if told is None else Mistake(told.form, told.said, told.typed)


def _hire(parts: ConsoleParts) -> Hire:
    """Whom the form describes. Raises `BadInput` and `Busy`."""
    role = next((role for role in Role if role.value == typed("role")), None)
    if role is None:
        raise BadInput(CHOOSE_ROLE)
    try:
        number = msisdn.parse(typed("phone"), parts.country)
    except msisdn.InvalidMsisdn:
        raise BadInput("that is no phone number") from None
    outlet = typed("outlet") if role in AT_COUNTER else None
    if outlet is not None and outlet not in _outlets(parts):
        raise BadInput(CHOOSE_OUTLET)
    hashed = parts.roster.hashed(_new_pin(), number, deadline())
    return Hire(typed("name"), number, role, hashed, outlet)


def _new_pin() -> str:
    pin = request.form.get("pin", "")
    if pin != request.form.get("again", ""):
        raise BadInput(TWO_PINS)
    return pin


def _outlets(parts: ConsoleParts) -> list[str]:
    """The codes of the outlets that are open."""
    with parts.database.snapshot() as connection:
        found = outlets.every(connection)
    return [one.code for one in found if one.status == outlets.Status.OPEN]


def _member(parts: ConsoleParts, number: int) -> Member | None:
    with parts.database.snapshot() as connection:
        return store.by_id(connection, number)


def _list(parts: ConsoleParts, mistake: Mistake | None = None) -> Response:
    tab = next((tab for tab in TABS if tab[0] == request.args.get("show")), TABS[0])
    with parts.database.snapshot() as connection:
        counts = listing.counts(connection)
        rows = page_of(
            lambda before, most: listing.page(connection, Status(tab[0]), before, most),
            lambda one: one.id,
        )
    status = HTTPStatus.UNPROCESSABLE_ENTITY if mistake else HTTPStatus.OK
    values: dict[str, Any] = {"tabs": TABS, "tab": tab, "counts": counts, "page": rows}
    values |= {"outlets": _outlets(parts), "may_change": _may_change(), "mistake": mistake}
    return read(parts, "console/staff.html", status, **values, roles=[role.value for role in Role])


def _one(parts: ConsoleParts, number: int, mistake: Mistake | None = None) -> Response:
    with parts.database.snapshot() as connection:
        found = store.by_id(connection, number)
        if found is None:
            return problem(HTTPStatus.NOT_FOUND, "Nobody of the staff has this number.")
        waits = asked.waiting_about(connection, KINDS, found.msisdn)
        trail = audit.page(connection, Wanted(subjects=[found.msisdn]), None, LINES_MAX)
        now = parts.clock.now()
        until = locked_until(connection, found, now)
        seen = seen_of(connection, found.msisdn)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if mistake else HTTPStatus.OK
    values: dict[str, Any] = {"one": found, "waits": waits, "mistake": mistake, "now": now}
    values |= {"trail": [line.record for line in trail], "actor": actor_of(found)}
    values |= {"outlets": [code for code in _outlets(parts) if code != found.outlet]}
    values |= {
        "may": _may(found, until),
        "locked_until": until,
        "seen": seen,
        "may_change": _may_change(),
        "is_me": _is_me(found),
    }
    return read(parts, "console/staff_member.html", status, **values)


def _may_change() -> bool:
    """Whether whoever looks at the page changes something about the staff."""
    return bool(g.member.role == Role.ADMIN)


def _is_me(member: Member) -> bool:
    return actor_of(member) == actor()


def _may(member: Member, locked_until: datetime | None) -> frozenset[str]:
    """Which forms a member's page has."""
    if not _may_change() or member.status == Status.WAITING:
        return frozenset()
    if member.status == Status.DISABLED:
        return frozenset({"enable"})
    forms = {"disable", "pin"} | ({"unlock"} if locked_until else set())
    return frozenset(forms | ({"move"} if member.role in AT_COUNTER else set()))
