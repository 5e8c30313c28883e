"""An outlet with two tills, a cashier who pays there, and what the console's tests do to it."""

from dataclasses import dataclass
from decimal import Decimal

from gateway.outlets import manage
from gateway.outlets.shifts.store import Shift
from gateway.outlets.store import Outlet, Till
from gateway.people.staff.store import Role
from tests.support.wired import ADA
from tests.web.staffed import Staffed

CODE = "LAG-01"
BANK = "GTB 0123456789"


@dataclass
class Shop:
    """The outlet where the cashier and the manager of the staff work."""

    staffed: Staffed

    def __post_init__(self) -> None:
        now = self.staffed.wired.clock.now()
        facts = (CODE, "Ikeja <b>Mall</b>", BANK, "NGN", "cli:test", now)
        self.staffed.wired.run(lambda c: manage.create_outlet(c, *facts))
        for _ in range(2):
            self.staffed.wired.run(
                lambda c: manage.create_till(c, CODE, Decimal("5000.00"), "NGN", "cli:test", now)
            )

    def outlet(self) -> Outlet:
        """As it stands."""
        return self.staffed.wired.run(lambda c: manage.known(c, CODE))

    def till(self, number: int = 1) -> Till:
        """As it stands."""
        return self.staffed.wired.run(lambda c: manage.known_till(c, f"{CODE}/{number}"))

    def open(self) -> Shift:
        """Have the cashier open the first till."""
        wired, cashier = self.staffed.wired, self.staffed.member(Role.CASHIER)
        till, now = self.till().id, wired.clock.now()
        counter = wired.gateway.counter
        return wired.run(lambda c: counter.open_shift(c, cashier, till, Decimal("9000.00"), now))

    def pay(self, shift: Shift, amount: str = "3500.00") -> None:
        """Have the cashier pay a token."""
        wired, cashier = self.staffed.wired, self.staffed.member(Role.CASHIER)
        token, now = wired.issue(amount, to=ADA).reveal(), wired.clock.now()
        counter = wired.gateway.counter
        shown = wired.run(lambda c: counter.show(c, shift, token, cashier, "counter", now))
        payment = shown.payment
        assert payment is not None
        wired.run(lambda c: counter.confirm(c, payment.reference, cashier, "", now))

    def count(self, shift: Shift, cash: str) -> Shift:
        """Have the cashier count the drawer."""
        wired, cashier = self.staffed.wired, self.staffed.member(Role.CASHIER)
        counter, now = wired.gateway.counter, wired.clock.now()
        found = Decimal(cash)
        return wired.run(lambda c: counter.count(c, shift.id, cashier, found, shift.counts, now))
