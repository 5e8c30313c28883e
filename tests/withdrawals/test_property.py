"""Any sequence of withdrawals and words about them leaves whole books (C25)."""

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, multiple, rule, run_state_machine_as_test
from sqlalchemy import Connection

from gateway.errors import OutcomeUnknown, Refused, Throttled, Unreachable
from gateway.ledger import wallets
from gateway.ledger.invariants.check import INVARIANTS as LEDGER
from gateway.providers.base.messages import Outcome, Status, Trust
from gateway.tokens.invariants.check import INVARIANTS as TOKENS
from gateway.withdrawals.invariants.check import INVARIANTS as WITHDRAWALS
from gateway.withdrawals.operate import Deed
from gateway.withdrawals.request import Wish
from gateway.withdrawals.store import State, Withdrawal
from tests.ledger.machine import Machine, amounts, phones
from tests.ledger.machine import Refused as Said
from tests.support.crashes import rows
from tests.support.databases import MariaDBSchema, SQLiteTemplate
from tests.withdrawals.staging import Desk, Payer

QUIET = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)
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
    invariants_checked = (*LEDGER, *TOKENS, *WITHDRAWALS)

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
        for reference, before in self.known.items():
            now = self.desk.now(before)
            assert before.state == State.HELD or now.state == before.state
            if now.state == State.REJECTED != before.state:
                self.expect(now.msisdn, now.total)
            self.known[reference] = now

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

    @rule(made=asked, outcome=outcomes, trust=st.sampled_from([*Trust]), txn=st.integers(0, 3))
    def the_provider_calls_back(
        self, made: Withdrawal, outcome: Outcome, trust: Trust, txn: int
    ) -> None:
        """Early, late, twice, proven or not; sometimes with another's transaction."""
        self.desk.hear(made, outcome, trust, txn_id=f"TXN{txn}" if txn else "")
        self.look()

    @rule(made=asked, txn=st.integers(0, 3), through=st.sampled_from(["", "bank"]))
    def an_operator_pays(self, made: Withdrawal, txn: int, through: str) -> None:
        """Where that is allowed; else not a row changes."""
        now, ours = self.clock.now(), (f"BY-HAND-{txn}", through, DEED)
        self.attempt(lambda c: self.desk.parts.operators.pay(c, made.reference, *ours, now))
        self.look()

    @rule(made=asked)
    def an_operator_rejects(self, made: Withdrawal) -> None:
        """Where that is allowed."""
        now, operators = self.clock.now(), self.desk.parts.operators
        self.attempt(lambda c: operators.reject(c, made.reference, DEED, now))
        self.look()

    @rule(made=asked)
    def an_operator_sends_it_again(self, made: Withdrawal) -> None:
        """Where no provider has got it."""
        now, operators = self.clock.now(), self.desk.parts.operators
        self.attempt(lambda c: operators.resend(c, made.reference, DEED, now))

    @rule(phone=phones, frozen=st.booleans())
    def a_wallet_is_frozen_or_not(self, phone: str, frozen: bool) -> None:
        """A frozen one gets its money back all the same."""
        change = wallets.freeze if frozen else wallets.unfreeze
        self.wired.run(lambda c: change(c, self.wallet(c, phone)))

    @rule()
    def nothing_was_paid_twice(self) -> None:
        """After a call whose outcome is not known for certain there is no other."""
        for made in self.known.values():
            calls = [call for call in self.payer.paid if call.reference == made.reference]
            events = self.desk.events(made)
            certain = sum(event.said in ("unreachable", "throttled", "refused") for event in events)
            assert len(calls) <= 1 or certain


def step_through(url: Callable[[], str], examples: int, steps: int) -> None:
    """Run so many sequences of so many steps."""

    class Rules(WithdrawalRules):
        """Over fresh databases."""

    Rules.url = staticmethod(url)
    run_state_machine_as_test(
        Rules,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=QUIET,
            derandomize=True,
            database=None,
            phases=(Phase.generate, Phase.shrink),
        ),
    )


def test_any_sequence_of_withdrawals_leaves_whole_books_on_sqlite(
    sqlite_template: SQLiteTemplate, tmp_path: Path
) -> None:
    names = iter(range(10**6))
    step_through(lambda: sqlite_template.copy_to(tmp_path / f"{next(names)}.db"), 40, 40)


def test_any_sequence_of_withdrawals_leaves_whole_books_on_mariadb(
    mariadb_schema: MariaDBSchema,
) -> None:
    step_through(partial(mariadb_schema.restore), 4, 30)
