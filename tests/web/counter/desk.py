"""An outlet with its staff, each in a browser without a screen, and what their pages say."""

import re
from dataclasses import dataclass, field

from werkzeug.test import TestResponse

from gateway.outlets.shifts.store import Shift
from gateway.outlets.store import outlets
from gateway.people.staff.store import Member, Role, staff
from tests.outlets.staging import Shop
from tests.support.wired import Wired
from tests.web.staffed import AREAS, Staffed, Visitor
from tests.web.staffed import words as words

OUTLET = "LAG-01"
_PAYMENT = re.compile("/counter/payments/([0-9a-f]{16})")


def landed(answer: TestResponse, visitor: Visitor) -> TestResponse:
    """The page that a form's answer sends on to."""
    assert answer.status_code == 303, words(answer)
    return visitor.get(answer.headers["Location"])


@dataclass
class Desk:
    """The counter of an outlet."""

    wired: Wired
    float_limit: str = "1000.00"
    staffed: Staffed = field(init=False)
    shop: Shop = field(init=False)
    cashier: Visitor = field(init=False)
    manager: Visitor = field(init=False)

    def __post_init__(self) -> None:
        self.staffed = Staffed(self.wired)
        self.shop = Shop(self.wired, OUTLET).open(float_limit=self.float_limit)
        self.come_in()

    def come_in(self) -> None:
        """Everybody logs in anew."""
        self.cashier = self.staffed.within(Role.CASHIER)
        self.manager = self.staffed.within(Role.MANAGER)

    @property
    def teller(self) -> Member:
        """Who the cashier is."""
        return self.staffed.member(Role.CASHIER)

    def open(self, cash: str = "500.00", till: int = 1) -> Shift:
        """The cashier's shift."""
        return self.shop.shift(self.teller, till, cash)

    def look_up(self, entry: str) -> TestResponse:
        """Send the one big field."""
        return self.cashier.post("/counter/payments", entry=entry)

    def shown(self, entry: str) -> str:
        """The address of a payment that was found for an entry."""
        answer = self.look_up(entry)
        assert answer.status_code == 303, words(answer)
        found = _PAYMENT.match(answer.headers["Location"])
        assert found is not None
        return found[0]

    def found(self, amount: str = "60.00") -> str:
        """The address of a payment of a token issued for it."""
        return self.shown(self.wired.issue(amount).reveal())

    def confirm(self, path: str, **fields: str) -> TestResponse:
        """Press the button that pays, and go where it sends."""
        return landed(self.cashier.post(f"{path}/confirm", **fields), self.cashier)

    def paid(self, amount: str = "60.00") -> str:
        """The address of a payment that was made."""
        path = self.found(amount)
        assert "Hand out" in words(self.confirm(path))
        return path

    def another(self, phone: str, role: Role = Role.CASHIER, outlet: str = OUTLET) -> Visitor:
        """Somebody else of the staff, who is in; another outlet need not be set up."""
        self.staffed.hire(role, f"Other {phone[-1]}", phone, OUTLET)
        self.move(self.shop.member(phone, role), outlet)
        member = self.shop.member(phone, role)
        sessions, now = self.wired.gateway.door().sessions, self.wired.clock.now()
        visitor = self.staffed.visitor(AREAS[role])
        visitor.cookie = self.wired.run(lambda c: sessions.begin(c, member, now))
        return visitor

    def rename(self, name: str) -> None:
        """Give the outlet another name."""
        renamed = outlets.update().values(name=name)
        self.wired.run(lambda c: c.execute(renamed).rowcount)

    def move(self, member: Member, outlet: str) -> None:
        """Let somebody work elsewhere."""
        moved = staff.update().where(staff.c.id == member.id).values(outlet=outlet)
        self.wired.run(lambda c: c.execute(moved).rowcount)
