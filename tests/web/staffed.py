"""A gateway with one of each role, and the browsers that they are in with."""

import html
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

from flask.testing import FlaskClient
from playwright.sync_api import Page
from sqlalchemy import Connection
from werkzeug.test import TestResponse

from gateway.audit import store as trail
from gateway.audit.searched import store as searched
from gateway.disputes.listing import store as disputes
from gateway.people.staff import store
from gateway.people.staff.hands import actor_of
from gateway.people.staff.roster import Hire
from gateway.people.staff.store import Member, Role
from gateway.web.pages.door import COOKIE
from tests.support.wired import Wired

PIN: Final = "7391"
PHONES: Final = {
    Role.CASHIER: "+2348030000011",
    Role.MANAGER: "+2348030000012",
    Role.OPERATOR: "+2348030000013",
    Role.ADMIN: "+2348030000014",
}
NAMES: Final = {
    Role.CASHIER: "Chika Obi",
    Role.MANAGER: "Musa Bala",
    Role.OPERATOR: "Ope Ade",
    Role.ADMIN: "Ada Min",
}
AREAS: Final = {
    Role.CASHIER: "/counter",
    Role.MANAGER: "/counter",
    Role.OPERATOR: "/console",
    Role.ADMIN: "/console",
}
# How the address of a console form ends that says nothing of the trail, though it has a subject.
WITHOUT_SEEN: Final = ("approve", "fund", "refuse", "reprint", "resend", "settle", "tills")
_MARKUP = re.compile(r"<(head|style|script).*?</\1>|<[^>]*>", re.DOTALL)
_RANDOM = re.compile(r"\b(?=[0-9]*[a-f])[0-9a-f]{16,}\b")  # digits alone are no key
_FORM_KEY = re.compile('name="csrf" value="([0-9a-f]{64})"')


def words(answer: TestResponse) -> str:
    """What a page says, without its markup."""
    return " ".join(html.unescape(_MARKUP.sub(" ", answer.text)).split())


def source(answer: TestResponse) -> str:
    """A page as it was sent, without the random keys in it, which may hold any short digits."""
    return _RANDOM.sub("", answer.text)


@dataclass
class Visitor:
    """Somebody's browser without a screen: keeps cookies, fills in forms."""

    client: FlaskClient
    area: str
    name: str = COOKIE  # of the cookie
    # What a page made now would send along with a form at an address, as hidden fields.
    hidden: Callable[[str, Mapping[str, str]], Mapping[str, str]] = lambda _, __: {}
    sent: dict[str, Mapping[str, str]] = field(default_factory=dict)  # hidden fields, by the form

    @property
    def cookie(self) -> str:
        """What the browser carries; empty for nothing."""
        carried = self.client.get_cookie(self.name)
        return carried.value if carried else ""

    @cookie.setter
    def cookie(self, value: str) -> None:
        self.client.set_cookie(self.name, value)

    def get(self, path: str, **more: Any) -> TestResponse:
        """Open a page."""
        return self.client.get(path, **more)

    def form_key(self) -> str:
        """The key of this browser's forms, read from a page that holds one."""
        found = _FORM_KEY.search(self.get(f"{self.area}/pin").text)
        assert found is not None
        return found[1]

    def post(self, path: str, **fields: str) -> TestResponse:
        """Send a form, with its key; the same one again is the same page's, as after two clicks."""
        form = f"{path} {sorted(fields.items())}"
        hidden = self.sent.setdefault(form, self.hidden(path, fields))
        answer = self.client.post(path, data={"csrf": self.form_key(), **hidden, **fields})
        if answer.status_code != HTTPStatus.SEE_OTHER:  # and shows the page anew
            del self.sent[form]
        return answer

    def log_in(self, phone: str, pin: str = PIN, **more: str) -> TestResponse:
        """Fill in the login."""
        return self.post(f"{self.area}/login", phone=phone, pin=pin, **more)

    def refused(self, path: str, **fields: str) -> TestResponse:
        """Send a form with a PIN that is not taken; the page that says why."""
        sent = self.post(path, **fields)
        assert sent.status_code == 303, sent.text
        page = self.get(sent.headers["Location"])
        assert page.status_code >= 400, sent.headers["Location"]
        return page

    def kept_out(self, phone: str, pin: str = PIN, **more: str) -> TestResponse:
        """Fill in the login in vain; the page that says why."""
        return self.refused(f"{self.area}/login", phone=phone, pin=pin, **more)


def subject_of(connection: Connection, path: str, fields: Mapping[str, str]) -> str:
    """What a form of the console is about, as the trail calls it; empty for nothing that is."""
    match path.split("/"):
        case ["", "console", "people", _]:
            return fields.get("phone", "")
        case ["", "console", "staff", number, _]:
            member = store.by_id(connection, int(number))
            return member.msisdn if member else ""
        case ["", "console", "outlets", code, "tills", number, _]:
            return f"{code}/{number}".upper()
        case ["", "console", "switches" | "partners", name, _]:
            return name
        case ["", "console", _, name, _]:
            return name.upper()
    return ""


@dataclass
class Staffed:
    """The gateway and who works there: one of each role."""

    wired: Wired
    pin_hash: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.pin_hash = self.wired.gateway.roster.hashed(PIN, PHONES[Role.CASHIER])
        for role in Role:
            self.hire(role, NAMES[role], PHONES[role])

    def hire(
        self, role: Role, name: str, phone: str, outlet: str = "LAG-01", *, own: bool = True
    ) -> None:
        """Take somebody on; an operator beside the first two waits for an approval.

        Their PIN is their `own` then, as after they have changed the one that they were given.
        """
        of = outlet if role in (Role.CASHIER, Role.MANAGER) else None
        hire = Hire(name, phone, role, self.pin_hash, of)
        roster, now = self.wired.gateway.roster, self.wired.clock.now()
        placed = self.wired.run(lambda c: roster.hire(c, hire, "cli:test", "needed", now))
        if own:
            one, by = placed.member.id, actor_of(placed.member)
            self.wired.run(lambda c: store.set_pin(c, one, self.pin_hash, self.pin_hash, by))

    def member(self, role: Role) -> Member:
        """How somebody stands now."""
        found = self.wired.run(lambda c: store.by_msisdn(c, PHONES[role]))
        assert found is not None
        return found

    def visitor(self, area: str = "/console") -> Visitor:
        """A browser in which nobody is in."""
        cookie = self.wired.gateway.door().cookie
        return Visitor(self.wired.app.test_client(), area, cookie, self.hidden)

    def hidden(self, path: str, fields: Mapping[str, str]) -> Mapping[str, str]:
        """Which line of the trail, or dispute, a console page made now knows as the last one."""
        if path == "/console/disputes/open":
            return {"seen": str(self.wired.run(disputes.newest))}
        subject = self.wired.run(lambda c: subject_of(c, path, fields))
        if not subject or path.rpartition("/")[2] in WITHOUT_SEEN:
            return {}
        return {"seen": str(self.wired.run(lambda c: searched.last_about(c, subject)))}

    def within(self, role: Role) -> Visitor:
        """A browser in which somebody is in, as after their login."""
        visitor = self.visitor(AREAS[role])
        sessions, now = self.wired.gateway.door().sessions, self.wired.clock.now()
        member = self.member(role)
        visitor.cookie = self.wired.run(lambda c: sessions.begin(c, member, now))
        return visitor

    def trail(self, subject: str) -> list[tuple[str, str, str]]:
        """What the audit says about something: actor, action, reason."""
        lines = self.wired.run(lambda c: trail.about(c, subject))
        return [(line.actor, line.action, line.reason) for line in lines]


def log_in(page: Page, address: str, role: Role) -> None:
    """Log in with a real browser."""
    page.goto(f"{address}{AREAS[role]}/login")
    page.fill("#phone", PHONES[role])
    page.fill("#pin", PIN)
    page.click("main button")
    page.wait_for_url(re.compile(f"{AREAS[role]}(/outlet)?$"))  # where managers begin
