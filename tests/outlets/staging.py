"""An outlet for tests: its tills, a cashier and a manager, and short ways to act as them."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from sqlalchemy import Connection, select

from gateway.audit.store import audit_trail
from gateway.ledger import store as ledger_store
from gateway.ledger.store import ACTIVE, FROZEN, Account
from gateway.outbox.store import outbox
from gateway.outlets import manage
from gateway.outlets import store as outlets
from gateway.outlets.counter import COUNTER, Counter
from gateway.outlets.payments import store as payments
from gateway.outlets.payments.answers import Shown
from gateway.outlets.payments.store import Payment
from gateway.outlets.shifts import store as shifts
from gateway.outlets.shifts.store import Shift
from gateway.outlets.store import Outlet, Till
from gateway.people.staff import store as staff
from gateway.people.staff.store import Member, Role, Status
from gateway.tokens.issue import DELIVERY
from gateway.tokens.send import new_intent
from tests.support.wired import Wired

T = TypeVar("T")
CODE, BY = "LAG-1", "cli:ops"
AMA, BIM, MUSA, OTHER = (f"+23480300002{n:02}" for n in range(4))


def naira(amount: str) -> Decimal:
    """An amount."""
    return Decimal(amount)


@dataclass(frozen=True)
class Message:
    """An SMS: to whom, and about which token."""

    to: str
    subject: str


@dataclass
class Shop:
    """An outlet with its people; `outlet` is its code."""

    wired: Wired
    outlet: str = CODE

    @property
    def counter(self) -> Counter:
        """What is tested."""
        return self.wired.gateway.counter

    def open(self, tills: int = 2, float_limit: str = "1000.00") -> "Shop":
        """Set it up with its tills."""
        now = self.wired.clock.now()

        def work(connection: Connection) -> None:
            named = (self.outlet, f"Shop {self.outlet}", "GB00BANK1", "NGN", BY, now)
            manage.create_outlet(connection, *named)
            for _ in range(tills):
                limit = naira(float_limit)
                manage.create_till(connection, self.outlet, limit, "NGN", BY, now)

        self.wired.run(work)
        return self

    def member(self, phone: str = AMA, role: Role = Role.CASHIER, outlet: str = "") -> Member:
        """Somebody who works here, taken on when first asked for; their PIN is nobody's."""
        now = self.wired.clock.now()

        def work(connection: Connection) -> Member:
            if staff.by_msisdn(connection, phone) is None:
                named = (f"Person {phone[-2:]}", phone, role, "no hash", Status.ACTIVE)
                row = staff.add(connection, *named, outlet or self.outlet, BY, None, now)
                # Their own, as after they have changed the one that they were given.
                staff.set_pin(connection, row, "no hash", "no hash", f"staff:{row}:{named[0]}")
            found = staff.by_msisdn(connection, phone)
            assert found is not None
            return found

        return self.wired.run(work)

    def manager(self, phone: str = MUSA) -> Member:
        """A manager of this outlet."""
        return self.member(phone, Role.MANAGER)

    def till(self, number: int = 1) -> Till:
        """A till."""
        found = self.wired.run(lambda c: outlets.tills_of(c, manage.known(c, self.outlet).id))
        return found[number - 1]

    def shift(self, cashier: Member | None = None, till: int = 1, cash: str = "500.00") -> Shift:
        """A shift at a till, opened when first asked for."""
        who, at = cashier or self.member(), self.till(till)
        now = self.wired.clock.now()
        return self.wired.run(lambda c: self.counter.open_shift(c, who, at.id, naira(cash), now))

    def show(
        self, entry: str, cashier: Member | None = None, customer: str = "", channel: str = COUNTER
    ) -> Shown:
        """Look a token up at the cashier's till."""
        who, now = cashier or self.member(), self.wired.clock.now()

        def work(connection: Connection) -> Shown:
            shift = self.counter.shift_of(connection, who.id)
            assert shift is not None
            return self.counter.show(connection, shift, entry, who, channel, now, customer)

        return self.wired.run(work)

    def shown(self, entry: str, cashier: Member | None = None) -> str:
        """The reference of a payment that can be confirmed."""
        found = self.show(entry, cashier)
        assert found.payment is not None, found.answer
        return found.payment.reference

    def confirm(self, reference: str, cashier: Member | None = None, customer: str = "") -> Payment:
        """Pay it."""
        who, now = cashier or self.member(), self.wired.clock.now()
        return self.keyed(lambda c: self.counter.confirm(c, reference, who, customer, now))

    def pay(self, amount: str = "60.00", cashier: Member | None = None) -> Payment:
        """Issue a token, look it up and pay it."""
        return self.confirm(self.shown(self.wired.issue(amount).reveal(), cashier), cashier)

    def count(self, cash: str, cashier: Member | None = None) -> Shift:
        """Count the drawer."""
        who, now = cashier or self.member(), self.wired.clock.now()

        def work(connection: Connection) -> Shift:
            shift = self.counter.shift_of(connection, who.id)
            assert shift is not None
            seen = shift.counts - (shift.state != shifts.State.OPEN)
            return self.counter.count(connection, shift.id, who, naira(cash), seen, now)

        return self.keyed(work)

    def count_for(self, shift: Shift, cash: str, manager: Member | None = None) -> Shift:
        """Count the drawer in the cashier's stead."""
        who, now, why = manager or self.manager(), self.wired.clock.now(), "they left"
        seen, found = shift.counts, naira(cash)
        return self.keyed(lambda c: self.counter.count_for(c, shift.id, who, found, seen, why, now))

    def accept(self, shift: Shift, manager: Member | None = None, why: str = "seen") -> Shift:
        """Accept the count that is seen."""
        who, now = manager or self.manager(), self.wired.clock.now()
        return self.keyed(lambda c: self.counter.accept(c, shift.id, who, shift.counts, why, now))

    def void(self, reference: str, manager: Member | None = None, recipient: str = "") -> Payment:
        """Take a payment back."""
        who, now = manager or self.manager(), self.wired.clock.now()
        return self.keyed(lambda c: self.counter.void(c, reference, who, recipient, "no cash", now))

    def send_back(self, shift: Shift, manager: Member | None = None, why: str = "again") -> Shift:
        """Have the drawer counted anew."""
        who, now = manager or self.manager(), self.wired.clock.now()
        seen = shift.counts
        return self.keyed(lambda c: self.counter.send_back(c, shift.id, who, seen, why, now))

    def decline(self, reference: str, cashier: Member | None = None) -> Payment:
        """Leave it."""
        who, now = cashier or self.member(), self.wired.clock.now()
        return self.keyed(lambda c: self.counter.decline(c, reference, who, now))

    def payment(self, reference: str) -> Payment:
        """A payment as it stands."""
        found = self.wired.run(lambda c: payments.by_reference(c, reference))
        assert found is not None
        return found

    def seen(self, shift: Shift, member: Member) -> Shift:
        """A shift as a member sees it."""
        return self.wired.run(lambda c: self.counter.shift(c, shift.id, member))

    def stand(self, shift: Shift) -> Shift:
        """A shift as it stands."""
        found = self.wired.run(lambda c: shifts.by_id(c, shift.id))
        assert found is not None
        return found

    def dismiss(self, member: Member) -> None:
        """Somebody does not work here any more."""
        self.wired.run(lambda c: staff.move(c, member.id, Status.ACTIVE, Status.DISABLED))

    def freeze(self, account: Account) -> None:
        """Stop an account."""
        self.wired.run(lambda c: ledger_store.set_status(c, account.id, ACTIVE, FROZEN))

    def trail(self, action: str) -> list[str]:
        """The reasons recorded with an action."""
        query = select(audit_trail.c.reason).where(audit_trail.c.action == action)
        return list(self.wired.run(lambda c: c.execute(query).scalars().all()))

    def outlet_row(self, connection: Connection) -> Outlet:
        """The outlet."""
        return manage.known(connection, self.outlet)

    def messages(self) -> list[Message]:
        """The SMS that carry tokens."""
        query = select(outbox.c.recipient, outbox.c.subject).where(outbox.c.template == DELIVERY)
        rows = self.wired.run(lambda c: c.execute(query).all())
        return [Message(*row) for row in rows]

    def digits(self, serial: str | None) -> str:
        """A token's digits."""
        return self.wired.gateway.reprinter.digits(self.wired.token(serial or ""))

    def sent(self, payer: Account, to: str, amount: str) -> str:
        """The digits of a token that a wallet has paid for."""
        sends, now = self.wired.gateway.tokens.sends, self.wired.clock.now()
        issued, _ = self.wired.run(
            lambda c: sends.send(c, payer, to, naira(amount), naira("0.00"), new_intent(), now)
        )
        return issued.reveal()

    def account(self, number: int = 1) -> Account:
        """A till's account."""
        return self.wired.run(lambda c: ledger_store.by_id(c, self.till(number).account_id))

    def owed(self) -> Decimal:
        """What is owed to the outlet."""
        account = self.wired.run(
            lambda c: ledger_store.by_id(c, manage.known(c, self.outlet).account_id)
        )
        assert account.balance is not None
        return account.balance

    def keyed(self, work: Callable[[Connection], T]) -> T:
        """One unit of work that may be repeated after a lost answer."""
        return self.wired.gateway.database.run(work, keyed=True)
