"""A wallet that a process of an earlier version made, without its new columns, works like any."""

from decimal import Decimal

import pytest
from sqlalchemy import Connection, insert

from gateway.ledger import wallets
from gateway.ledger.books import Leg
from gateway.ledger.limits import NotVerified
from gateway.ledger.store import HOUSE, Account, accounts
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, Wired


@pytest.fixture
def old(wired: Wired) -> Wired:
    """Ada's wallet as version 0007 inserts it."""
    values = {
        "kind": "wallet",
        "owner": ADA,
        "currency": "NGN",
        "balance": Decimal("0.00"),
        "held": Decimal("0.00"),
        "status": "active",
        "created_at": wired.clock.now(),
    }
    wired.run(lambda c: c.execute(insert(accounts).values(**values)).rowcount)
    wired.redeem(wired.issue("100.00").reveal())
    wired.run(lambda c: c.execute(accounts.update().values(active_on=None)).rowcount)
    return wired


def wallet(wired: Wired) -> Account:
    found = wired.run(lambda c: wallets.find(c, ADA, "NGN"))
    assert found is not None
    return found


def debit(wired: Wired, key: str) -> None:
    now, books = wired.clock.now(), wired.gateway.books
    books.limits.insist_debit(wallet(wired), Decimal("1.00"), now)
    legs = [Leg(wallet(wired), Decimal("-1.00"))]

    def work(connection: Connection) -> int:
        house = books.system(connection, HOUSE, "NGN", now)
        both = [*legs, Leg(house, Decimal("1.00"))]
        return books.post(connection, key, "test", "x", both, now, by_owner=True)

    wired.run(work)


def test_it_can_be_debited_and_is_then_used_today(old: Wired) -> None:
    debit(old, "a")
    assert old.balance() == Decimal("99.00")
    assert wallet(old).active_on == old.clock.now().date()


def test_it_is_idle_ninety_days_after_it_was_made(old: Wired, clock: SteppedClock) -> None:
    clock.advance(days=89)
    debit(old, "a")
    old.run(lambda c: c.execute(accounts.update().values(active_on=None)).rowcount)
    clock.advance(days=2)
    with pytest.raises(NotVerified):
        debit(old, "b")


def test_a_redemption_after_it_was_idle_asks_for_the_owner(old: Wired, clock: SteppedClock) -> None:
    clock.advance(days=91)
    old.redeem(old.issue("1.00").reveal())
    assert wallet(old).unverified
