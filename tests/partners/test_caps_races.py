"""A day's cap of a float under a race: read first and written later it breaks, guarded it holds.

On SQLite a unit of work is alone anyway: the fault shows on MariaDB.
"""

from collections import Counter
from decimal import Decimal

import pytest

from gateway.errors import TryAgain
from gateway.ledger.guards import store as guards
from gateway.ledger.limits import LimitExceeded
from gateway.tokens.issue import Issued
from tests.partners.staging import float_of, issue, partner
from tests.partners.test_terms import agree
from tests.support.races import race
from tests.support.wired import Wired
from tests.tokens.staging import system_accounts

RACERS = 12


def racing(wired: Wired) -> Counter[str]:
    """A dozen issues of one naira each at once, on a day that has room for five."""
    system_accounts(wired)
    partner(wired, amount="100.00")
    agree(wired, day_max="5.00")
    done = race(RACERS, lambda _: again(wired))
    return Counter(type(one).__name__ for one in done)


def again(wired: Wired) -> Issued:
    """On a slow machine one that loses race after race is told to try again."""
    for _ in range(20):
        try:
            return issue(wired, "1.00")
        except TryAgain:
            continue
    raise AssertionError("nobody waits that long")


def test_without_the_guard_a_day_is_overspent(
    mariadb_url: str, clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    wired = Wired(mariadb_url, clock)  # type: ignore[arg-type]
    careless = guards._change(
        guards._MAY_SPEND,
        (guards._C.balance, guards._C.balance - guards._money("amount")),
        (
            guards._C.day_debits,
            guards._today_so_far(guards._C.day_debits) + guards._money("amount"),
        ),
        (guards._C.day, guards._TODAY),
    )
    monkeypatch.setattr(guards, "DEBIT_IN_DAY", careless)
    assert racing(wired)["Issued"] > 5
    wired.close()


def test_with_it_exactly_the_day_is_spent_and_the_rest_told_why(wired: Wired) -> None:
    assert racing(wired) == {"Issued": 5, LimitExceeded.__name__: RACERS - 5}
    own = float_of(wired)
    assert own is not None
    assert (own.balance, own.day_debits) == (Decimal("95.00"), Decimal("5.00"))
    assert wired.breaches() == []


def test_many_falling_below_at_once_cross_the_threshold_once(
    wired: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    issuing = wired.gateway.partners.issuing
    monkeypatch.setattr(issuing, "_tell_low", lambda _, low, __: told.append(low.serial))
    system_accounts(wired)
    partner(wired, amount="100.00")
    agree(wired, low_float="95.50")
    done = race(RACERS, lambda _: again(wired))
    crossing = [one for one in done if isinstance(one, Issued) and one.serial in told]
    assert len(crossing) == 1, done
