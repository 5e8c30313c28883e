"""What the house gave away before it was funded is covered by its first money, whoever races."""

from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Connection

from gateway.errors import BadInput
from gateway.ledger import floats
from gateway.ledger import store as ledger
from gateway.ledger.store import HOUSE, Account, movements
from gateway.reconciliation.run import NO_STATEMENT, UNCOVERED, Plan
from gateway.reconciliation.runs.store import findings_of
from tests.partners.staging import approve, ask, balance
from tests.support.clock import SteppedClock
from tests.support.races import race
from tests.support.wired import Wired
from tests.tokens.staging import count

RACERS = 6


def owed(wired: Wired) -> Decimal:
    """What the house's system account says that it owes."""

    def work(connection: Connection) -> Decimal:
        house = ledger.find(connection, HOUSE, "", "NGN")
        return Decimal("0.00") if house is None else -ledger.locked_sum(connection, house.id)

    return wired.run(work)


def found_by_night(wired: Wired) -> set[str]:
    """What the run over this day finds, a day later."""
    assert isinstance(wired.clock, SteppedClock)
    wired.clock.advance(days=1)
    reconciler = wired.gateway.reconciler
    run = reconciler.run(Plan(reconciler.yesterday(), "", "cli:ops"), lambda _: None)
    return {finding.kind for finding in wired.run(lambda c: findings_of(c, run.id, 100))}


def test_the_first_funding_covers_the_advance_and_the_rest_is_on_the_float(wired: Wired) -> None:
    wired.issue("7425.50")
    done = approve(wired, ask(wired, "house", "10000.00", "FT1"))
    assert done.details["covers"] == "7425.50"
    assert done.details["rest"] == "2574.50"
    assert done.outcome == (
        "house funded with NGN 10000.00: 7425.50 covers its advance, 2574.50 on its float"
    )
    assert (owed(wired), balance(wired, "house")) == (Decimal("0.00"), Decimal("2574.50"))
    assert count(wired, movements, movements.c.kind == "fund") == 1
    assert wired.breaches() == []


def test_what_is_too_little_covers_what_it_can_and_nothing_is_issued_on_credit_again(
    wired: Wired,
) -> None:
    wired.issue("100.00")
    done = approve(wired, ask(wired, "house", "60.00", "FT1"))
    assert done.outcome is not None
    assert done.outcome.endswith("60.00 covers its advance, 0.00 on its float")
    assert (owed(wired), balance(wired, "house")) == (Decimal("40.00"), Decimal("0.00"))
    with pytest.raises(BadInput):
        wired.issue("0.01")
    approve(wired, ask(wired, "house", "50.00", "FT2"))
    assert (owed(wired), balance(wired, "house")) == (Decimal("0.00"), Decimal("10.00"))
    assert wired.breaches() == []


def test_what_it_owes_is_covered_as_it_stands_when_it_is_approved(wired: Wired) -> None:
    wired.issue("30.00")
    number = ask(wired, "house", "100.00", "FT1")
    wired.issue("20.00")
    done = approve(wired, number)
    assert done.details["covers"] == "30.00"
    assert done.outcome is not None
    assert "50.00 covers its advance, 50.00 on its float" in done.outcome


def test_a_partners_funding_covers_nothing_of_the_house(wired: Wired) -> None:
    from_partner = ask(wired, "house", "5.00", "FT0")
    assert "covers" not in approve(wired, from_partner).details


def test_the_nightly_run_finds_the_advance_until_it_is_covered(wired: Wired) -> None:
    wired.issue("7425.50")
    assert UNCOVERED in found_by_night(wired)
    approve(wired, ask(wired, "house", "10000.00", "FT1"))
    assert found_by_night(wired) == {NO_STATEMENT}
    assert found_by_night(wired) == set()


def raced(wired: Wired) -> list[object]:
    """Two fundings and some tokens at the same time; what each of them got."""
    numbers = [ask(wired, "house", "50.00", f"FT{n}") for n in range(2)]

    def work(n: int) -> object:
        return approve(wired, numbers[n]) if n < 2 else wired.issue("10.00")

    return race(RACERS, work)


def test_two_fundings_and_tokens_at_once_leave_no_advance(wired: Wired) -> None:
    wired.issue("30.00")
    raced(wired)
    assert owed(wired) == Decimal("0.00")
    assert balance(wired, "house") == spendable(wired)
    assert wired.breaches() == []


def spendable(wired: Wired) -> Decimal:
    """What two fundings of 50.00 leave of it after every token that was issued."""
    tokens = count(wired, movements, movements.c.kind == "issue")
    return Decimal("100.00") - Decimal("30.00") - Decimal("10.00") * (tokens - 1)


def test_without_its_lock_two_fundings_cover_the_same_advance(
    wired: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    wired.issue("30.00")
    now = wired.clock.now()
    account = wired.run(lambda c: wired.gateway.books.system(c, HOUSE, "NGN", now))
    stale = floats.Advance(account, Decimal("30.00"))
    monkeypatch.setattr(floats, "advance", lambda *_: stale)
    for n in range(2):
        approve(wired, ask(wired, "house", "50.00", f"FT{n}"))
    monkeypatch.undo()
    assert owed(wired) == Decimal("-30.00")


def test_without_the_second_look_a_token_goes_on_credit_after_the_funding(
    wired: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert on_credit_afterwards(wired, monkeypatch, guarded=False) == Decimal("10.00")


def test_a_token_that_was_begun_before_the_funding_is_paid_from_the_float(
    wired: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert on_credit_afterwards(wired, monkeypatch, guarded=True) == Decimal("0.00")
    assert balance(wired, "house") == Decimal("10.00")


def on_credit_afterwards(
    wired: Wired, monkeypatch: pytest.MonkeyPatch, *, guarded: bool
) -> Decimal:
    """What is owed when a token looks for the float just before the house is funded."""
    wired.issue("30.00")
    approve(wired, ask(wired, "house", "50.00", "FT1"))
    seen, true = [], floats.of_house

    def late(connection: Any, currency: str) -> Account | None:
        seen.append(currency)
        missed = len(seen) == 1 if guarded else True
        return None if missed else true(connection, currency)

    monkeypatch.setattr(floats, "of_house", late)
    wired.issue("10.00")
    monkeypatch.undo()
    return owed(wired)
