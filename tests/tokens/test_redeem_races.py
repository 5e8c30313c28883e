"""Redeeming at the same time: one winner a token, exact totals, on both engines."""

from collections import Counter
from decimal import Decimal
from threading import Barrier

import pytest
from sqlalchemy import Connection, select

from gateway.ledger.store import movements
from gateway.outbox.store import outbox
from gateway.tokens.claims import store as claims
from gateway.tokens.redeem import Answer, Outcome
from gateway.tokens.store import Status, tokens
from tests.support.races import race
from tests.support.wired import ADA, Wired
from tests.tokens.staging import count, phone, wallet

RACERS = 16


def answers(results: list[Outcome | Exception]) -> Counter[str]:
    """How often each answer was given; an exception counts by its name."""
    return Counter(
        result.answer.value if isinstance(result, Outcome) else type(result).__name__
        for result in results
    )


def redeem_unguarded(wired: Wired, serial: str, barrier: Barrier) -> bool:
    """What a claim must not be: look at the state first, then write without it in the WHERE."""

    def write(connection: Connection) -> int:
        claimed = tokens.update().where(tokens.c.serial == serial)
        facts = {"status": Status.REDEEMED.value, "redeemed_at": wired.clock.now()}
        return connection.execute(claimed.values(**facts)).rowcount

    with wired.gateway.database.snapshot() as connection:
        query = select(tokens.c.status).where(tokens.c.serial == serial)
        status = connection.execute(query).scalar_one()
    barrier.wait(30)
    return status == Status.ISSUED and wired.run(write) == 1


def test_reading_and_then_writing_pays_several_racers(wired: Wired) -> None:
    serial, barrier = wired.issue().serial, Barrier(RACERS)
    won = race(RACERS, lambda _: redeem_unguarded(wired, serial, barrier))
    assert won.count(True) > 1


def test_sixteen_racing_phones_make_one_redemption(wired: Wired) -> None:
    issued = wired.issue("100.00", None)
    results = race(RACERS, lambda number: wired.redeem(issued.reveal(), phone(number)))
    assert answers(results) == {"redeemed": 1, "not_valid": RACERS - 1}
    (winner,) = [
        number
        for number, result in enumerate(results)
        if isinstance(result, Outcome) and result.answer is Answer.REDEEMED
    ]
    assert wired.token(issued.serial).redeemed_by == phone(winner)
    balances = [wired.balance(phone(number)) for number in range(RACERS)]
    assert balances == [Decimal("100.00") if n == winner else 0 for n in range(RACERS)]
    assert count(wired, movements, movements.c.kind == "redeem") == 1
    assert count(wired, outbox, outbox.c.template == "redeemed") == 1
    assert wired.breaches() == []


def test_without_the_guard_of_the_claim_its_operation_key_still_pays_once(
    wired: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    issued = wired.issue("100.00", None)
    monkeypatch.setattr(claims, "claim", lambda *_: True)
    results = race(4, lambda number: wired.redeem(issued.reveal(), phone(number)))
    assert answers(results)["redeemed"] == 1
    assert count(wired, movements, movements.c.kind == "redeem") == 1


@pytest.mark.parametrize("round_number", range(3))
def test_fifty_racing_phones_make_one_redemption(wired: Wired, round_number: int) -> None:
    issued = wired.issue("100.00", None, digits=(18, 11)[round_number % 2])
    results = race(50, lambda number: wired.redeem(issued.reveal(), phone(number)))
    assert answers(results) == {"redeemed": 1, "not_valid": 49}
    assert count(wired, outbox, outbox.c.template == "redeemed") == 1
    assert wired.breaches() == []


def test_the_same_phone_racing_itself_is_paid_once_and_told_the_rest_is_done(
    wired: Wired,
) -> None:
    issued = wired.issue("100.00")
    results = race(8, lambda _: wired.redeem(issued.reveal()))
    assert answers(results) == {"redeemed": 1, "already_yours": 7}
    assert wired.balance() == Decimal("100.00")
    assert wired.breaches() == []


def test_one_phone_redeems_several_tokens_at_once_to_the_exact_sum(wired: Wired) -> None:
    issued = [wired.issue(f"{number + 1}.01") for number in range(RACERS)]
    results = race(RACERS, lambda number: wired.redeem(issued[number].reveal()))
    assert answers(results) == {"redeemed": RACERS}
    assert wired.balance() == Decimal("136.16")
    told = {result.balance for result in results if isinstance(result, Outcome)}
    assert len(told) == RACERS
    assert max(told) == Decimal("136.16")
    assert wired.breaches() == []


def test_two_hundred_tokens_redeemed_in_parallel_make_exact_totals(wired: Wired) -> None:
    issued = [wired.issue("1.01", None) for _ in range(200)]
    results = race(
        20,
        lambda lane: [wired.redeem(i.reveal(), phone(lane % 5)) for i in issued[lane::20]],
    )
    outcomes = [outcome for lane in results if isinstance(lane, list) for outcome in lane]
    assert answers(list(outcomes)) == {"redeemed": 200}
    assert [wired.balance(phone(number)) for number in range(5)] == [Decimal("40.40")] * 5
    assert wired.breaches() == []


def test_two_phones_redeem_in_opposite_order_without_a_deadlock_to_be_seen(
    wired: Wired,
) -> None:
    # In step, each phone loses one token of each pair: five such entries would stop it.
    pairs = [(wired.issue("1.00", None), wired.issue("1.00", None)) for _ in range(4)]

    def both(number: int) -> list[Outcome]:
        return [
            wired.redeem(pair[(number + turn) % 2].reveal(), phone(number))
            for pair in pairs
            for turn in (0, 1)
        ]

    results = race(2, both)
    outcomes = [outcome for lane in results if isinstance(lane, list) for outcome in lane]
    assert answers(list(outcomes))["redeemed"] == 8
    assert sum(wired.balance(phone(number)) for number in range(2)) == Decimal("8.00")
    assert wired.breaches() == []


def test_the_first_redemptions_of_all_make_wallets_and_counters_once(wired: Wired) -> None:
    issued = [wired.issue("1.00", None) for _ in range(8)]
    results = race(8, lambda number: wired.redeem(issued[number].reveal(), ADA))
    assert answers(results) == {"redeemed": 8}
    assert wallet(wired, ADA).balance == Decimal("8.00")
    assert wired.breaches() == []
