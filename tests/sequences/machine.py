"""The machine of the property tests: one fresh gateway, and what must be true after every step."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from sqlalchemy import Connection, select

from gateway.errors import BadInput
from gateway.ledger import wallets
from gateway.ledger.store import WALLET, Account, accounts
from gateway.settings.limits import Money
from tests.support.clock import SteppedClock
from tests.support.crashes import Rows, rows
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import wallet

T = TypeVar("T")

CHIDI = "+2348030000003"
PHONES = (ADA, BELLO, CHIDI)
CAPS = Money(
    tiers={
        "basic": {"debit": Decimal("60.00"), "debits_a_day": Decimal("90.00")},
        "full": {"credits_a_day": Decimal("300.00"), "balance": Decimal("500.00")},
    },
    fees={
        "send": ((Decimal("20.00"), Decimal("0.00")), (Decimal("60.00"), Decimal("1.50"))),
        "top_up": ((Decimal("60.00"), Decimal("0.50")),),
    },
)
BEGINS = Decimal("200.00")
FIRST, SECOND = "cli:first", "cli:second"
# A refused entry of a token is counted and recorded all the same: that is its purpose.
COUNTS_REFUSALS = ("guess_counters", "audit_trail")
phones = st.sampled_from(PHONES)
# Two of them are above a cap.
amounts = st.sampled_from(
    ["10.00", "0.01", "5.00", "19.99", "20.01", "60.00", "60.01", "100.00"]
).map(Decimal)


@dataclass(frozen=True)
class Refused:
    """A step that was refused, in words or by an answer."""

    why: str


class Machine(RuleBasedStateMachine):
    """Steps through movements of one database; rules stand in classes of their own, by noun.

    A rule does its step by `attempt`, and tells `expect` what a wallet should have gained by it.
    """

    url: ClassVar[Callable[[], str]]

    def __init__(self) -> None:
        super().__init__()
        self.clock = SteppedClock()
        self.wired = Wired(type(self).url(), self.clock, money=CAPS)
        self.gateway = self.wired.gateway
        self.expected = dict.fromkeys(PHONES, BEGINS)
        self.wired.issue("1.00", None)  # makes what a first issue makes besides the token
        for phone in PHONES:
            wallet(self.wired, phone, str(BEGINS))

    def teardown(self) -> None:
        """Give the connections back."""
        self.wired.close()

    def attempt(self, work: Callable[[Connection], T]) -> T | Refused:
        """Do one step as a menu does: a refusal is caught in the transaction, which commits."""
        before = rows(self.wired)

        def caught(connection: Connection) -> T | Refused:
            try:
                return work(connection)
            except BadInput as error:
                return Refused(str(error))

        done = self.wired.run(caught)
        if isinstance(done, Refused):
            self.unchanged(before)
        return done

    def command(self, work: Callable[[Connection], T]) -> T | Refused:
        """Do one step as an operator's command does: a refusal rolls everything back."""
        before = rows(self.wired)
        try:
            return self.wired.run(work)
        except BadInput as error:
            self.unchanged(before)
            return Refused(str(error))

    def by_two(self, kind: str, subject: str, details: Mapping[str, str]) -> object:
        """What one operator asks for and another one approves, if nothing stands against it."""
        now, approvals = self.clock.now(), self.gateway.approvals
        number = self.command(lambda c: approvals.ask(c, kind, subject, details, FIRST, "why", now))
        if isinstance(number, Refused):
            return number
        done = self.command(lambda c: approvals.approve(c, number, SECOND, now))
        if isinstance(done, Refused):
            self.wired.run(lambda c: approvals.refuse(c, number, FIRST, "in vain", now))
        return done

    def unchanged(self, before: Rows) -> None:
        """Every row is what it was, but for those that count refusals."""
        after = rows(self.wired)
        for table in before.keys() - set(COUNTS_REFUSALS):
            assert after[table] == before[table], f"a refused step changed {table}"

    def wallet(self, connection: Connection, phone: str) -> Account:
        """A phone's wallet."""
        return wallets.ensure(connection, phone, "NGN", self.clock.now())

    def expect(self, phone: str, change: Decimal) -> None:
        """What the last step should have added to what a phone can spend."""
        self.expected[phone] += change

    @rule(hours=st.sampled_from([1, 1, 12, 24, 24, 24 * 29, 24 * 91]))
    def time_passes(self, hours: int) -> None:
        """Days, the end of a token's time, and more than an idle owner may be away."""
        self.clock.advance(hours=hours)

    @invariant()
    def the_books_hold(self) -> None:
        """Every invariant that production checks."""
        assert self.wired.breaches() == []

    @invariant()
    def each_wallet_has_what_its_owner_expects(self) -> None:
        """The books may hold with the money in the wrong place."""
        query = select(accounts.c.owner, accounts.c.balance).where(accounts.c.kind == WALLET)
        with self.gateway.database.snapshot() as connection:
            balances = {row[0]: row[1] for row in connection.execute(query)}
        assert balances == self.expected
