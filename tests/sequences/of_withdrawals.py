"""What may happen to withdrawals, and what providers may say of them."""

from decimal import Decimal

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, initialize, invariant, multiple, rule
from sqlalchemy import Connection

from gateway.errors import OutcomeUnknown, Refused, Throttled, Unreachable
from gateway.providers.base.messages import Outcome, Status, Trust
from gateway.withdrawals import store
from gateway.withdrawals.operate import Deed
from gateway.withdrawals.request import Wish
from gateway.withdrawals.store import State, Withdrawal
from tests.sequences.machine import PHONES, Machine, amounts, phones
from tests.sequences.machine import Refused as Said
from tests.support.crashes import rows
from tests.withdrawals.staging import Desk, Payer

DEED = Deed("cli:ada", "as the portal says")
WORDS: tuple[Status | Exception, ...] = (
    Status(Outcome.SUCCEEDED),
    Status(Outcome.PENDING, reason="taken"),
    Status(Outcome.FAILED),
    Status(Outcome.REVERSED),
    Status(Outcome.SUCCEEDED, amount=Decimal("1.11")),
    Unreachable("no line"),
    Throttled("later"),
    Refused("never"),
    Refused("not set up", alarm=True),
    OutcomeUnknown("silence"),
)
fees = st.sampled_from(["0.00", "0.00", "1.50"]).map(Decimal)
outcomes = st.sampled_from([*Outcome])


class WithdrawalRules(Machine):
    """Asked for, paid, rejected, contradicted, and asked about, in any order."""

    asked = Bundle("asked")

    def __init__(self) -> None:
        super().__init__()
        self.payer = Payer()
        self.desk = Desk(self.wired, self.payer)
        self.known: dict[str, Withdrawal] = {}

    def wish(
        self, connection: Connection, phone: str, intent: str, amount: Decimal, fee: Decimal
    ) -> Withdrawal:
        """Ask for a withdrawal."""
        wallet = self.wallet(connection, phone)
        wish = Wish(wallet, amount, fee, intent, phone, phone)
        return self.desk.parts.requester.request(connection, wish, self.clock.now())

    def look(self) -> None:
        """What was rejected since the last look is in its wallet again."""
        with self.gateway.database.snapshot() as connection:
            found = {one.reference: one for one in store.listed(connection, rows_max=1_000)}
        for reference, before in self.known.items():
            now = found[reference]
            assert before.state == State.HELD or now.state == before.state
            if now.state == State.REJECTED != before.state:
                self.expect(now.msisdn, now.total)
            self.known[reference] = now

    @initialize(target=asked)
    def some_were_asked_for_before(self) -> object:
        """By everybody; one was paid."""
        made = [self.somebody_asks(phone, Decimal("20.00"), Decimal("1.50")) for phone in PHONES]
        self.the_provider_calls_back(made[0], [Outcome.SUCCEEDED], Trust.SIGNED, 1)
        return multiple(*made)

    @rule(target=asked, phone=phones, amount=amounts, fee=fees)
    def somebody_asks(self, phone: str, amount: Decimal, fee: Decimal) -> object:
        """If there is so much and they may; confirmed twice, it is one."""
        intent = f"intent-{len(self.known)}"
        made = self.attempt(lambda c: self.wish(c, phone, intent, amount, fee))
        if isinstance(made, Said):
            return multiple()
        before = rows(self.wired)
        again = self.wired.run(lambda c: self.wish(c, phone, intent, amount, fee))
        assert (again.reference, rows(self.wired)) == (made.reference, before)
        self.known[made.reference] = made
        self.expect(phone, -made.total)
        return made

    @rule(says=st.sampled_from(WORDS), answers=st.sampled_from(WORDS))
    def a_worker_does_what_is_due(
        self, says: Status | Exception, answers: Status | Exception
    ) -> None:
        """The provider says one word to calls and another to questions."""
        self.payer.says.clear()
        self.payer.says.append(says)
        self.payer.answers.clear()
        self.payer.answers.append(answers)
        self.desk.work()
        self.look()

    @rule(
        made=asked,
        words=st.lists(outcomes, min_size=1, max_size=3),
        trust=st.sampled_from([Trust.SIGNED, *Trust]),
        txn=st.integers(0, 3),
    )
    def the_provider_calls_back(
        self, made: Withdrawal, words: list[Outcome], trust: Trust, txn: int
    ) -> None:
        """Early, late, against its own word, proven or not; sometimes with another's id."""
        for outcome in words:
            self.desk.hear(made, outcome, trust, txn_id=f"TXN{txn}" if txn else "")
            self.look()

    @rule(made=asked, txn=st.integers(0, 3), through=st.sampled_from(["", "bank"]))
    def an_operator_pays(self, made: Withdrawal, txn: int, through: str) -> None:
        """Where that is allowed; else not a row changes."""
        self.paid_by_hand(made, txn, through)

    def paid_by_hand(self, made: Withdrawal, txn: int, through: str) -> object:
        """What comes of it."""
        now, ours = self.clock.now(), (f"BY-HAND-{txn}", through, DEED)
        pay = self.desk.parts.operators.pay
        done = self.command(lambda c: pay(c, made.reference, *ours, now))
        self.look()
        return done

    @rule(made=asked)
    def an_operator_rejects(self, made: Withdrawal) -> None:
        """Where that is allowed."""
        now, operators = self.clock.now(), self.desk.parts.operators
        self.command(lambda c: operators.reject(c, made.reference, DEED, now))
        self.look()

    @rule(made=asked)
    def an_operator_sends_it_again(self, made: Withdrawal) -> None:
        """Where no provider has got it."""
        self.sent_again(made)

    def sent_again(self, made: Withdrawal) -> object:
        """What comes of it."""
        now, operators = self.clock.now(), self.desk.parts.operators
        return self.command(lambda c: operators.resend(c, made.reference, DEED, now))

    @invariant()
    def nothing_was_paid_twice(self) -> None:
        """After a call whose outcome is not known for certain there is no other."""
        for made in self.known.values():
            calls = [call for call in self.payer.paid if call.reference == made.reference]
            if len(calls) > 1:
                said = {event.said for event in self.desk.events(made)}
                assert said & {"unreachable", "throttled", "refused"}
