"""Caps hold whoever races for what is left of them: in the statement, not before it."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Update, bindparam, update

from gateway.database.engine import Database
from gateway.database.types import Money
from gateway.errors import TryAgain
from gateway.ledger import store, wallets
from gateway.ledger.guards import store as guards
from gateway.ledger.store import accounts
from gateway.settings.limits import Money as Caps
from gateway.tokens.redeem import Answer, Outcome
from tests.ledger.capped import capped, careless, move, racing
from tests.support.clock import SteppedClock
from tests.support.money_rows import breaches, funded
from tests.support.races import race
from tests.support.wired import Wired
from tests.tokens.staging import phone

RACERS = 20
ROUNDS = 5
C = accounts.c
AMOUNT = bindparam("amount", type_=Money)


def unguarded(*values: tuple[Any, Any]) -> Update:
    """A guarded statement without its WHERE."""
    return update(accounts).where(C.id == bindparam("account")).ordered_values(*values)


# Each cap with the statement that guards it, robbed of its guard, and what a movement moves.
RACES: Mapping[str, tuple[str, Update, str, str]] = {
    "debits_a_day": (
        "DEBIT_BY_OWNER",
        unguarded((C.balance, C.balance - AMOUNT), (C.day_debits, C.day_debits + AMOUNT)),
        "-10.00",
        "1000.00",
    ),
    "credits_a_day": (
        "CREDIT_BY_OWNER",
        unguarded((C.balance, C.balance + AMOUNT), (C.day_credits, C.day_credits + AMOUNT)),
        "10.00",
        "0.00",
    ),
    "balance": ("CREDIT_BY_OWNER", unguarded((C.balance, C.balance + AMOUNT)), "10.00", "0.00"),
}
by_cap = pytest.mark.parametrize("cap", RACES)


@by_cap
def test_without_the_guard_more_is_moved_than_the_cap_allows(
    database: Database, monkeypatch: pytest.MonkeyPatch, cap: str
) -> None:
    name, statement, amount, begins = RACES[cap]
    books, wallet = capped(**{cap: "100.00"}), funded(database, amount=begins)
    monkeypatch.setattr(guards, name, statement)
    done = careless(database, books, wallet, amount, RACERS)
    assert [one for one in done if isinstance(one, Exception)] == []


@by_cap
def test_without_the_look_before_the_guard_alone_stops_what_is_above_the_cap(
    database: Database, cap: str
) -> None:
    _, _, amount, begins = RACES[cap]
    books, wallet = capped(**{cap: "100.00"}), funded(database, amount=begins)
    done = careless(database, books, wallet, amount, RACERS)
    assert [type(one) for one in done if isinstance(one, Exception)] == [TryAgain] * 10
    assert breaches(database) == []


@by_cap
def test_exactly_what_the_cap_allows_is_moved_and_the_rest_told_why(
    database: Database, cap: str
) -> None:
    _, _, amount, begins = RACES[cap]
    books, wallet = capped(**{cap: "100.00"}), funded(database, amount=begins)
    assert racing(RACERS, lambda n: move(database, books, wallet, amount, f"k{n}")) == 10
    left = database.run(lambda c: store.by_id(c, wallet.id))
    assert left.balance == Decimal(begins) + 10 * Decimal(amount)
    assert breaches(database) == []


def test_debits_and_credits_of_one_day_do_not_disturb_each_other(database: Database) -> None:
    wallet = funded(database, amount="100.00")  # a credit of this day, too
    books = capped(debits_a_day="50.00", credits_a_day="170.00")
    amounts = ("-10.00", "10.00")
    done = racing(RACERS, lambda n: move(database, books, wallet, amounts[n % 2], f"k{n}"))
    assert done == 5 + 7
    left = database.run(lambda c: store.by_id(c, wallet.id))
    assert (left.day_debits, left.day_credits) == (Decimal("50.00"), Decimal("170.00"))
    assert breaches(database) == []


def redeem_at_once(wired: Wired, tokens: list[str], by: str) -> list[Outcome | Exception]:
    """One phone redeems them all at one moment."""
    return list(race(len(tokens), lambda number: wired.redeem(tokens[number], by)))


def test_thirty_tokens_for_a_wallet_with_room_for_ten_leave_twenty_live(
    database_url: str, clock: SteppedClock
) -> None:
    caps = Caps(tiers={"basic": {"credits_a_day": Decimal("10.00")}})
    wired = Wired(database_url, clock, money=caps)
    for number in range(ROUNDS):
        issued = [wired.issue("1.00", phone(number)) for _ in range(30)]
        done = redeem_at_once(wired, [one.reveal() for one in issued], phone(number))
        answers = [one.answer for one in done if isinstance(one, Outcome)]
        assert answers.count(Answer.REDEEMED) == 10, done
        # On a slow machine one that lost race after race may be told to try again.
        later = sum(isinstance(one, TryAgain) for one in done)
        assert answers.count(Answer.WALLET_FULL) + later == 20, done
        states = [wired.token(one.serial).status for one in issued]
        assert (states.count("redeemed"), states.count("issued")) == (10, 20)
        assert wired.balance(phone(number)) == Decimal("10.00")
    assert wired.breaches() == []
    wired.close()


def test_two_hundred_tokens_into_one_wallet_make_an_exact_day(
    database_url: str, clock: SteppedClock
) -> None:
    caps = Caps(tiers={"basic": {"credits_a_day": Decimal("100.00")}})
    wired = Wired(database_url, clock, money=caps)
    tokens = [wired.issue("1.00", None).reveal() for _ in range(200)]
    lanes = race(10, lambda lane: [wired.redeem(token) for token in tokens[lane::10]])
    outcomes = [one.answer for lane in lanes if isinstance(lane, list) for one in lane]
    assert outcomes.count(Answer.REDEEMED) == 100, lanes
    assert outcomes.count(Answer.WALLET_FULL) == 100
    found = wired.run(lambda c: wallets.find(c, "+2348030000001", "NGN"))
    assert found is not None
    assert (found.balance, found.day_credits) == (Decimal("100.00"), Decimal("100.00"))
    assert wired.breaches() == []
    wired.close()
