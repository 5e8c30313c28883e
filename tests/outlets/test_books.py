"""What outlets are owed, by the books: the same sum from the token to the bank."""

from collections import Counter
from decimal import Decimal

import pytest

from gateway.ledger.limits import InsufficientFunds
from gateway.ledger.reports.liabilities import Liabilities, liabilities
from gateway.ledger.store import GUARDED, OUTLET
from tests.outlets.staging import Shop, naira
from tests.support.races import race
from tests.support.wired import Wired

RACERS = 6


def owed(wired: Wired) -> Decimal:
    """All that we owe to others."""
    now = wired.clock.now().replace(year=2099)
    with wired.gateway.database.snapshot() as connection:
        found: list[Liabilities] = liabilities(connection, now)
    return sum((one.owed for one in found), Decimal(0))


def settle(shop: Shop, amount: str, intent: str) -> str:
    """Hold so much for the outlet's bank."""
    settling, now = shop.wired.gateway.money.outlets.settling, shop.wired.clock.now()
    asked = (shop.outlet, naira(amount), intent, "cli:ops", "as agreed", now)
    return shop.keyed(lambda c: settling.settle(c, *asked))


def closed(shop: Shop) -> Shop:
    """A day with one payment of 60.00, closed."""
    shop.shift(cash="500.00")
    shop.pay("60.00")
    shop.count("440.00")
    return shop


def test_an_outlets_account_is_guarded(shop: Shop) -> None:
    assert OUTLET in GUARDED
    with pytest.raises(InsufficientFunds):
        settle(shop, "0.01", "settle:1")


def test_what_is_owed_stays_the_same_from_the_token_to_the_bank(shop: Shop) -> None:
    shop.shift(cash="500.00")
    digits = shop.wired.issue("60.00").reveal()
    assert owed(shop.wired) == naira("60.00")
    shop.confirm(shop.shown(digits))
    assert owed(shop.wired) == naira("60.00")
    shop.count("440.00")
    assert owed(shop.wired) == naira("60.00")
    settle(shop, "60.00", "settle:1")
    assert (owed(shop.wired), shop.owed()) == (naira("60.00"), naira("0.00"))
    assert shop.wired.breaches() == []


def test_one_intent_to_settle_is_one_withdrawal(shop: Shop) -> None:
    closed(shop)
    assert len(set(race(RACERS, lambda _: settle(shop, "60.00", "settle:1")))) == 1
    assert shop.owed() == naira("0.00")
    assert shop.wired.breaches() == []


def test_operators_who_settle_at_once_hold_no_more_than_is_owed(shop: Shop) -> None:
    closed(shop)
    results = race(RACERS, lambda number: settle(shop, "25.00", f"settle:{number}"))
    found = Counter(type(one).__name__ for one in results)
    assert found == {"str": 2, "InsufficientFunds": RACERS - 2}
    assert shop.owed() == naira("10.00")
    assert shop.wired.breaches() == []
