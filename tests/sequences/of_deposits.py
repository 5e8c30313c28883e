"""What may happen to top-ups and payments, and what operators do about them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, initialize, invariant, multiple, rule
from sqlalchemy import select

from gateway.deposits import asks, references
from gateway.deposits.callbacks.store import Arrival
from gateway.deposits.confirm import CONFIRM, TXN_ID
from gateway.deposits.orders import Orders
from gateway.deposits.store import deposits
from gateway.deposits.tasks import AskTask, PushTask
from gateway.deposits.undo import RELEASE, REVERSE
from gateway.ledger.store import WALLET, accounts
from gateway.outbox.running import TaskRunner
from gateway.outbox.tasks import LINES
from gateway.providers.base.messages import (
    Asked,
    Kind,
    Notice,
    Order,
    Outcome,
    Pushed,
    Status,
    Trust,
)
from tests.sequences.machine import PHONES, Refused, amounts, phones
from tests.sequences.of_withdrawals import WithdrawalRules
from wiring import caps

PROVIDER = "snippe"
txn_ids = st.integers(0, 3).map(lambda number: f"TX{number}" if number else "")
mostly_paid = st.sampled_from([Outcome.SUCCEEDED, Outcome.SUCCEEDED, *Outcome])


@dataclass
class Collector:
    """A provider that asks phones for money, and answers with whatever was said last."""

    name: str = PROVIDER
    phone_prefixes: Sequence[str] = ()
    currencies: Sequence[str] = ("NGN",)
    says: Status = field(default_factory=lambda: Status(Outcome.PENDING))

    def push(self, order: Order) -> Pushed:
        """Taken, under a name of its own."""
        return Pushed(provider_ref=f"pi_{order.reference}")

    def ask(self, _: Asked) -> Status:
        """What is known."""
        return self.says


@dataclass(frozen=True)
class Ordered:
    """An order as it was placed."""

    reference: str
    phone: str
    amount: Decimal


class DepositRules(WithdrawalRules):
    """Ordered or not, called back about early, late and twice, in suspense and out of it."""

    ordered = Bundle("ordered")

    def __init__(self) -> None:
        super().__init__()
        self.collector, parts = Collector(), self.gateway.deposits
        fees = caps.fees(self.gateway.settings)
        self.orders = Orders([self.collector], self.gateway.books, fees)
        self.credited: dict[str, tuple[str, Decimal]] = {}
        tasks = {
            **self.desk.parts.tasks(),
            asks.PUSH_TEMPLATE: PushTask([self.collector], parts.rematcher.order),
            asks.ASK_TEMPLATE: AskTask([self.collector], parts.answers, parts.rematcher.order),
        }
        database = self.gateway.database
        self.desk.runner = TaskRunner(
            database, self.clock, tasks, LINES, "test", call_seconds_max=10
        )

    def look(self) -> None:
        """What deposits say that they have brought, or taken back, since the last look."""
        super().look()
        query = select(
            deposits.c.reference, accounts.c.owner, deposits.c.amount, deposits.c.fee
        ).join(accounts, accounts.c.id == deposits.c.account_id)
        is_there = (accounts.c.kind == WALLET, deposits.c.state == "completed")
        with self.gateway.database.snapshot() as connection:
            found = connection.execute(query.where(*is_there)).all()
        for owner, net in self.credited.values():
            self.expect(owner, -net)
        self.credited = {row[0]: (row[1], row[2] - row[3]) for row in found}
        for owner, net in self.credited.values():
            self.expect(owner, net)

    @initialize(target=ordered)
    def some_were_ordered_before(self) -> object:
        """By everybody; one was paid."""
        made = [self.somebody_tops_up(phone, Decimal("20.00")) for phone in PHONES]
        paid = made[0]
        assert isinstance(paid, Ordered)
        self.a_callback_comes_about_an_order(
            paid, Outcome.SUCCEEDED, Trust.SIGNED, "TX1", Decimal("0.00"), 1
        )
        return multiple(*made)

    @rule(target=ordered, phone=phones, amount=amounts)
    def somebody_tops_up(self, phone: str, amount: Decimal) -> object:
        """If the wallet could take it."""
        now, name = self.clock.now(), references.new()
        asked = (name, phone, PROVIDER, amount, "NGN", now)
        placed = self.attempt(lambda c: self.orders.place(c, *asked))
        return multiple() if isinstance(placed, Refused) else Ordered(name, phone, amount)

    def hear(self, trust: Trust, notice: Notice) -> None:
        """A callback whose sender was proven."""
        now, settler = self.clock.now(), self.gateway.deposits.settler
        arrival = Arrival(PROVIDER, PROVIDER, "", "127.0.0.1", (), b"{}", now)
        self.wired.run(lambda c: settler.take(c, arrival, trust, notice, now))
        self.look()

    @rule(
        order=ordered,
        outcome=mostly_paid,
        trust=st.sampled_from([*Trust]),
        txn_id=txn_ids,
        more=st.sampled_from(["0.00", "0.00", "0.00", "1.00"]).map(Decimal),
        times=st.sampled_from([1, 1, 2]),
    )
    def a_callback_comes_about_an_order(
        self,
        order: Ordered,
        outcome: Outcome,
        trust: Trust,
        txn_id: str,
        more: Decimal,
        times: int,
    ) -> None:
        """Right or over another amount, once or twice, under its own carrier's id or another's."""
        said = {"reference": order.reference, "amount": order.amount + more}
        for _ in range(times):
            self.hear(trust, self.notice(outcome, order.phone, txn_id, **said))

    @rule(phone=phones, amount=amounts, trust=st.sampled_from([*Trust]), txn_id=txn_ids)
    def a_payment_comes_that_nobody_ordered(
        self, phone: str, amount: Decimal, trust: Trust, txn_id: str
    ) -> None:
        """Of a phone with a wallet."""
        self.hear(trust, self.notice(Outcome.SUCCEEDED, phone, txn_id, amount=amount))

    def notice(self, outcome: Outcome, phone: str, txn_id: str, **said: object) -> Notice:
        """What such a callback says."""
        values = {"txn_id": txn_id, "currency": "NGN", "payer": phone, **said}
        return Notice(Kind.PAYMENT, outcome, **values)  # type: ignore[arg-type]

    @rule(outcome=st.sampled_from([*Outcome]), txn_id=txn_ids)
    def the_provider_knows(self, outcome: Outcome, txn_id: str) -> None:
        """What a worker who asks from now on is told of every order."""
        self.collector.says = Status(outcome, txn_id)
        self.desk.work()
        self.look()

    @rule(order=ordered, txn_id=txn_ids)
    def two_operators_confirm(self, order: Ordered, txn_id: str) -> None:
        """That an order was paid."""
        self.by_two(CONFIRM, order.reference, {TXN_ID: txn_id})
        self.look()

    @rule(which=st.integers(0, 20), kind=st.sampled_from([RELEASE, REVERSE]), to=phones)
    def two_operators_move_what_came(self, which: int, kind: str, to: str) -> None:
        """Out of suspense, or back to where it came from."""
        query = select(deposits.c.reference).order_by(deposits.c.id)
        known = self.wired.run(lambda c: c.execute(query).scalars().all())
        if known:
            self.by_two(kind, known[which % len(known)], {"to": to})
            self.look()

    @invariant()
    def no_carriers_id_is_booked_twice(self) -> None:
        """Whatever came how often."""
        query = select(deposits.c.txn_id).where(deposits.c.txn_id.is_not(None))
        with self.gateway.database.snapshot() as connection:
            booked = connection.execute(query).scalars().all()
        assert len(booked) == len(set(booked))
        assert {owner for owner, _ in self.credited.values()} <= set(PHONES)
