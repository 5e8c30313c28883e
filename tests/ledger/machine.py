"""The machine of the property tests: one fresh gateway, and what must be true after every step."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from sqlalchemy import Connection

from gateway.errors import BadInput
from gateway.ledger import wallets
from gateway.ledger.invariants.check import INVARIANTS as LEDGER
from gateway.ledger.invariants.check import Invariant, check
from gateway.ledger.store import Account
from gateway.settings.limits import Money
from gateway.tokens.invariants.check import INVARIANTS as TOKENS
from tests.support.clock import SteppedClock
from tests.support.crashes import Rows, rows
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import wallet

T = TypeVar("T")

PHONES = (ADA, BELLO, "+2348030000003")
CAPS = Money(
    tiers={
        "basic": {"debit": Decimal("60.00"), "debits_a_day": Decimal("90.00")},
        "full": {"credits_a_day": Decimal("300.00"), "balance": Decimal("500.00")},
    },
    fees={"send": ((Decimal("20.00"), Decimal("0.00")), (Decimal("60.00"), Decimal("1.50")))},
)
BEGINS = Decimal("200.00")
# A refused entry of a token is counted and recorded all the same: that is its purpose.
COUNTS_REFUSALS = ("guess_counters", "audit_trail")
phones = st.sampled_from(PHONES)
amounts = st.sampled_from(["0.01", "10.00", "19.99", "20.01", "60.00", "60.01", "100.00"]).map(
    Decimal
)


@dataclass(frozen=True)
class Refused:
    """A step that was refused, in words or by an answer."""

    why: str


class Machine(RuleBasedStateMachine):
    """Steps through movements of one database; rules stand in classes of their own, by noun.

    A rule does its step by `attempt`, and tells `expect` what a wallet should have gained by it.
    """

    url: ClassVar[Callable[[], str]]
    invariants_checked: ClassVar[Sequence[Invariant]] = (*LEDGER, *TOKENS)

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

    @rule(hours=st.sampled_from([1, 12, 24, 24, 24 * 29, 24 * 91]))
    def time_passes(self, hours: int) -> None:
        """Days, the end of a token's time, and more than an idle owner may be away."""
        self.clock.advance(hours=hours)

    @invariant()
    def the_books_hold(self) -> None:
        """Every invariant that production checks."""
        with self.gateway.database.snapshot() as connection:
            assert check(connection, self.invariants_checked) == []

    @invariant()
    def each_wallet_has_what_its_owner_expects(self) -> None:
        """The books may hold with the money in the wrong place."""
        balances = {phone: self.wired.balance(phone) for phone in PHONES}
        assert balances == self.expected
