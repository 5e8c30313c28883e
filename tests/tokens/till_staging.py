"""A counter for tests: a till, its payer with an agent's caps, and cashiers who type."""

from decimal import Decimal

from sqlalchemy import Connection

from gateway.ledger import store as ledger_store
from gateway.ledger.store import TILL, Account
from gateway.settings.limits import Money
from gateway.tokens.issue import Issued
from gateway.tokens.store import TO_COUNTER
from gateway.tokens.tills.pay import Paid, TillPayer
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, Wired

CASHIER = "staff:7"


def agent(url: str, **caps: str) -> Wired:
    """A gateway whose agents have these caps."""
    money = Money(agent={name: Decimal(amount) for name, amount in caps.items()})
    return Wired(url, SteppedClock(), money=money)


def till(wired: Wired, owner: str = "till-1", currency: str = "NGN") -> Account:
    """A till, made on first use."""
    now = wired.clock.now()

    def work(connection: Connection) -> Account:
        found = ledger_store.find(connection, TILL, owner, currency)
        return found or ledger_store.create(connection, TILL, owner, currency, now, guarded=True)

    return wired.run(work)


def cash(wired: Wired, amount: str = "1.00", phone: str = ADA) -> Issued:
    """A token that only a counter pays."""
    return wired.issue(amount, phone, binding=TO_COUNTER)


def pay(wired: Wired, entry: str, at: Account, customer: str = ADA, cashier: str = CASHIER) -> Paid:
    """Type a token at a till."""
    now = wired.clock.now()
    return wired.run(lambda c: payer(wired).pay(c, entry, at, cashier, customer, now))


def payer(wired: Wired) -> TillPayer:
    """What pays tokens out of tills."""
    settings, gateway = wired.gateway.settings, wired.gateway
    return TillPayer(gateway.rings, gateway.books, settings.money.agent.get("per_customer"))
