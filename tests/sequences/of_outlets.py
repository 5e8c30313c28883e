"""What may happen at a counter: looked up, paid, voided, counted, accepted, opened again."""

from decimal import Decimal

from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, multiple, rule

from gateway.outlets.counter import COUNTER
from gateway.outlets.payments.store import Payment
from gateway.outlets.payments.store import State as PaymentState
from gateway.outlets.shifts.store import Shift, State
from gateway.people.staff.store import Member
from tests.outlets.staging import AMA, BIM, Shop, naira
from tests.sequences.machine import Refused, amounts, phones
from tests.sequences.of_tokens import TokenRules
from tests.support.crashes import Rows, rows

ZERO = Decimal("0.00")
OPENING = Decimal("300.00")
cashiers = st.sampled_from([0, 1])
PAYMENTS = ("payments", "guess_counters", "audit_trail")


class OutletRules(TokenRules):
    """An outlet with two tills; what each drawer should hold is reckoned beside the product."""

    @initialize()
    def an_outlet_opens(self) -> None:
        """With two cashiers and a manager."""
        self.shop = Shop(self.wired).open(float_limit="120.00")
        self.cashiers: list[Member] = [self.shop.member(AMA), self.shop.member(BIM)]
        self.chief = self.shop.manager()
        self.drawers = [OPENING, OPENING]
        self.paid: list[Payment] = []
        for number in (0, 1):
            self.opens(number)

    def expect(self, phone: str, change: Decimal) -> None:
        """A till's refunds leave its account, not its drawer."""
        if phone in self.expected:
            super().expect(phone, change)

    def shift(self, number: int) -> Shift | None:
        """A cashier's shift that is not closed."""
        who = self.cashiers[number]
        return self.wired.run(lambda c: self.shop.counter.shift_of(c, who.id))

    @rule(number=cashiers)
    def opens(self, number: int) -> None:
        """A till again, if it is closed."""
        if self.shift(number) is None:
            self.shop.shift(self.cashiers[number], number + 1, str(OPENING))
            self.drawers[number] = OPENING

    @rule(
        number=cashiers,
        serial=TokenRules.tokens,
        other=st.sampled_from([None, None, None]) | phones,
        leaves=st.sampled_from([False, False, False, True]),
    )
    def somebody_comes_to_the_counter(
        self, number: int, serial: str, other: str | None, leaves: bool
    ) -> None:
        """With a token in any state, and their own number or another."""
        self.brought(number, serial, other, leaves)

    def brought(self, number: int, serial: str, other: str | None, leaves: bool) -> None:
        """Looked up and confirmed, unless its owner leaves."""
        shift, who = self.shift(number), self.cashiers[number]
        if shift is None:
            return
        token = self.wired.token(serial)
        digits, now = self.gateway.reprinter.digits(token), self.clock.now()
        customer = other or token.recipient or AMA
        before = rows(self.wired)
        shown = self.wired.run(
            lambda c: self.shop.counter.show(c, shift, digits, who, COUNTER, now, customer)
        )
        if shown.payment is None or leaves:
            self.nothing_moved(before)
            return
        reference = shown.payment.reference
        done = self.attempt(lambda c: self.shop.counter.confirm(c, reference, who, customer, now))
        known = {payment.reference for payment in self.paid}
        if isinstance(done, Refused) or done.state != PaymentState.PAID or reference in known:
            self.nothing_moved(before)
            return
        self.drawers[number] -= token.amount
        self.paid.append(done)

    @rule(target=TokenRules.issued, number=cashiers, amount=amounts)
    def a_token_is_brought_at_once(self, number: int, amount: Decimal) -> object:
        """As most are."""
        issued = self.wired.issue(str(amount), AMA)
        self.brought(number, issued.serial, AMA, leaves=False)
        return issued.serial

    def nothing_moved(self, before: Rows) -> None:
        """Every row but those of what was shown is what it was."""
        after = rows(self.wired)
        for table in before.keys() - set(PAYMENTS):
            assert after[table] == before[table], f"a payment that was not made changed {table}"

    @rule(target=TokenRules.issued, which=st.integers(0, 20))
    def a_payment_of_the_house_is_voided(self, which: int) -> object:
        """While its shift is open."""
        return self.voided([one for one in self.paid if self.of_house(one)], which)

    @rule(target=TokenRules.sent, which=st.integers(0, 20))
    def a_payment_of_somebody_is_voided(self, which: int) -> object:
        """While its shift is open."""
        return self.voided([one for one in self.paid if not self.of_house(one)], which)

    def of_house(self, payment: Payment) -> bool:
        """Whether the house has paid for its token."""
        return self.wired.token(payment.serial).issuer == "house"

    def voided(self, among: list[Payment], which: int) -> object:
        """The fresh token, if there is one."""
        if not among:
            return multiple()
        payment, now = among[which % len(among)], self.clock.now()
        again = self.shop.payment(payment.reference).state == PaymentState.VOIDED
        done = self.attempt(
            lambda c: self.shop.counter.void(c, payment.reference, self.chief, "", "none", now)
        )
        if isinstance(done, Refused) or again:
            return multiple()
        self.drawers[self.place(payment)] += payment.amount
        assert done.fresh_serial is not None
        return done.fresh_serial

    def place(self, payment: Payment) -> int:
        """Whose drawer it came out of."""
        return payment.till_number - 1

    @rule(number=cashiers, less=st.sampled_from(["0.00", "0.00", "0.00", "1.00"]).map(naira))
    def a_drawer_is_counted(self, number: int, less: Decimal) -> None:
        """Rightly, or short of a note."""
        shift, who, now = self.shift(number), self.cashiers[number], self.clock.now()
        if shift is None or shift.state != State.OPEN:
            return
        cash = max(ZERO, self.drawers[number] - less)
        short = cash - self.drawers[number]
        seen = shift.counts
        done = self.attempt(lambda c: self.shop.counter.count(c, shift.id, who, cash, seen, now))
        assert not isinstance(done, Refused)
        assert done.variance == short
        assert done.state == (State.COUNTED if short or seen else State.CLOSED)

    @rule(number=cashiers, accepted=st.booleans())
    def the_manager_decides(self, number: int, accepted: bool) -> None:
        """What was counted is accepted, or counted anew."""
        shift, counter, now = self.shift(number), self.shop.counter, self.clock.now()
        if shift is None:
            return
        decide = counter.accept if accepted else counter.send_back
        done = self.attempt(lambda c: decide(c, shift.id, self.chief, shift.counts, "seen", now))
        if not isinstance(done, Refused):
            assert done.state == (State.CLOSED if accepted else State.OPEN)

    @invariant()
    def each_drawer_holds_what_was_reckoned(self) -> None:
        """Of every shift that is not closed."""
        for number in range(len(getattr(self, "cashiers", ()))):
            shift = self.shift(number)
            assert shift is None or shift.expected == self.drawers[number]
