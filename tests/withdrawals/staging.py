"""What the withdrawal tests stage: a provider that says what it is told to, and short ways in."""

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, update

from gateway.audit.approvals import Approvals, Requests
from gateway.disputes.store import open_reference
from gateway.ledger import store as ledger_store
from gateway.ledger.store import Account, accounts
from gateway.outbox.running import TaskRunner
from gateway.outbox.tasks import LINES
from gateway.providers.base.messages import Asked, Kind, Notice, Outcome, Payout, Status, Trust
from gateway.withdrawals import store
from gateway.withdrawals.events import store as events
from gateway.withdrawals.events.store import Event
from gateway.withdrawals.request import Wish
from gateway.withdrawals.store import Withdrawal
from tests.support.log import Log
from tests.support.wired import ADA, Wired
from tests.tokens.staging import wallet
from wiring import caps
from wiring.withdrawals import Withdrawals, withdrawal_parts

PAID = Status(Outcome.SUCCEEDED, txn_id="TXN1")
TAKEN = Status(Outcome.PENDING, provider_ref="ref-1", reason="taken")
FAILED = Status(Outcome.FAILED, reason="the receiver is unknown")
Said = Status | Exception


@dataclass
class Payer:
    """A provider at the other end: says what stands in `says`, then always the last of it."""

    name: str = "snippe"
    phone_prefixes: Sequence[str] = ("+234",)
    currencies: Sequence[str] = ("NGN",)
    says: deque[Said] = field(default_factory=lambda: deque([PAID]))
    answers: deque[Said] = field(default_factory=lambda: deque([TAKEN]))
    paid: list[Payout] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    gate: threading.Event | None = None  # a call waits here until it is set

    def pay(self, payout: Payout) -> Status:
        """Take the call down and say the next word."""
        with self.lock:
            self.paid.append(payout)
        if self.gate is not None:
            self.gate.wait(30)
        with self.lock:
            return _next(self.says)

    def ask_payout(self, asked: Asked) -> Status:
        """Take the question down and say the next answer."""
        with self.lock:
            self.asked.append(asked)
            return _next(self.answers)


def _next(words: deque[Said]) -> Status:
    word = words.popleft() if len(words) > 1 else words[0]
    if isinstance(word, Exception):
        raise word
    return word


class Desk:
    """The wired gateway's database with withdrawals over providers of the test."""

    def __init__(self, wired: Wired, *payers: Payer) -> None:
        self.wired = wired
        self.payer = payers[0] if payers else Payer()
        self.requests = Requests()
        self.released: set[date] = set()
        gateway = wired.gateway
        self.parts: Withdrawals = withdrawal_parts(
            gateway.settings,
            gateway.rings,
            gateway.books,
            caps.fees(gateway.settings),
            gateway.issuer,
            gateway.subscribers,
            gateway.languages,
            payers or (self.payer,),
            self.requests,
            lambda _, at: at.date() in self.released,
            open_reference,
            gateway.core.meters.redemption,
        )
        self.approvals = Approvals(self.parts.executors())
        self.runner = TaskRunner(
            gateway.database, wired.clock, self.parts.tasks(), LINES, "test", call_seconds_max=10
        )

    def fund(self, amount: str = "100.00", phone: str = ADA) -> Account:
        """A wallet with money."""
        return wallet(self.wired, phone, amount)

    def request(
        self, amount: str = "60.00", phone: str = ADA, intent: str = "one", **changes: Any
    ) -> Withdrawal:
        """Ask for a withdrawal of a funded wallet."""
        now = self.wired.clock.now()

        def work(connection: Connection) -> Withdrawal:
            account = changes.get("account") or ledger_store.find(
                connection, "wallet", phone, "NGN"
            )
            assert account is not None
            values = {"fee": Decimal("0.00"), "destination": phone, "actor": phone, **changes}
            wish = Wish(
                **{**values, "account": account, "amount": Decimal(amount), "intent": intent}
            )
            return self.parts.requester.request(connection, wish, now)

        return self.wired.gateway.database.run(work, keyed=True)

    def work(self) -> int:
        """Let a worker do all that is due; how many tasks."""
        done = 0
        while self.runner.run_next():
            done += 1
        return done

    def hear(
        self,
        made: Withdrawal,
        outcome: Outcome,
        trust: Trust = Trust.SIGNED,
        **changes: Any,
    ) -> None:
        """Deliver a callback about a withdrawal."""
        notice = Notice(Kind.PAYOUT, outcome, **{"reference": made.reference, **changes})
        now = self.wired.clock.now()
        self.wired.run(lambda c: self.parts.callbacks.settle(c, notice, trust, now))

    def now(self, made: Withdrawal) -> Withdrawal:
        """The withdrawal as it stands."""
        found = self.wired.run(lambda c: store.by_reference(c, made.reference))
        assert found is not None
        return found

    def events(self, made: Withdrawal) -> list[Event]:
        """What was said about it."""
        return self.wired.run(lambda c: events.about(c, made.reference))

    def account(self, phone: str = ADA) -> Account:
        """A phone's wallet."""
        found = self.wired.run(lambda c: ledger_store.find(c, "wallet", phone, "NGN"))
        assert found is not None
        return found

    def stands(self, made: Withdrawal) -> tuple[str, str, Decimal | None, Decimal]:
        """State, step of paying, and what its owner can spend and holds."""
        found = self.now(made)
        owner = self.wired.run(lambda c: ledger_store.by_id(c, found.account_id))
        return found.state, found.payout, owner.balance, owner.held


def told(log: Log, event: str) -> list[dict[str, Any]]:
    """The lines of one event in the log."""
    return [line for line in log.lines() if line["event"] == event]


def naira(text: str) -> Decimal:
    """An amount."""
    return Decimal(text)


def change_account(wired: Wired, account: Account, **values: object) -> None:
    """Change an account's row past every rule."""
    statement = update(accounts).where(accounts.c.id == account.id).values(**values)
    wired.run(lambda c: c.execute(statement).rowcount)
