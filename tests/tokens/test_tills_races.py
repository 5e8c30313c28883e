"""An agent's caps under races (R13): exactly as many are paid as fit, the rest stay unused."""

from collections import Counter
from decimal import Decimal
from threading import Barrier

import pytest
from sqlalchemy import Connection

from gateway.ledger import store as ledger_store
from gateway.ledger.guards import store as guards
from gateway.tokens.issue import Issued
from gateway.tokens.tills import store as tills
from gateway.tokens.tills.pay import Answer, Paid
from tests.support.races import race
from tests.support.wired import ADA, Wired
from tests.tokens.staging import phone
from tests.tokens.till_staging import agent, cash, pay, till

RACERS, FIT = 30, 10


def answers(results: list[Paid | Exception]) -> Counter[str]:
    """How often each answer was given; an exception counts by its name."""
    return Counter(
        result.answer.value if isinstance(result, Paid) else type(result).__name__
        for result in results
    )


def states(wired: Wired, issued: list[Issued]) -> Counter[str]:
    """In which states the tokens are."""
    return Counter(wired.token(one.serial).status for one in issued)


def test_looking_at_the_days_total_and_then_crediting_passes_the_cap(database_url: str) -> None:
    wired, barrier = agent(database_url, a_day="10.00"), Barrier(4)
    at, most = till(wired), Decimal("10.00")

    def credit(_: int) -> bool:
        with wired.gateway.database.snapshot() as connection:
            taken = ledger_store.by_id(connection, at.id).balance
        barrier.wait(30)
        amount = Decimal("6.00")
        fits = (taken or Decimal("0.00")) + amount <= most

        def write(connection: Connection) -> bool:
            return fits and guards.credit(connection, at.id, amount)

        return wired.run(write)

    assert race(4, credit).count(True) > 1
    wired.close()


@pytest.mark.parametrize("round_number", range(3))
def test_thirty_codes_at_one_till_with_room_for_ten_pay_ten(
    database_url: str, round_number: int
) -> None:
    wired = agent(database_url, a_day="10.00")
    at, issued = till(wired), [cash(wired, phone=phone(n)) for n in range(RACERS)]
    results = race(RACERS, lambda n: pay(wired, issued[n].reveal(), at, phone(n), f"staff:{n}"))
    assert answers(results) == {Answer.PAID: FIT, Answer.TILL_FULL: RACERS - FIT}
    assert states(wired, issued) == {"redeemed": FIT, "issued": RACERS - FIT}
    assert till(wired).balance == Decimal("10.00")
    assert wired.breaches() == []
    wired.close()


def test_thirty_codes_of_one_customer_with_room_for_ten_pay_ten(database_url: str) -> None:
    wired = agent(database_url, per_customer="10.00")
    at, issued = till(wired), [cash(wired) for _ in range(RACERS)]
    results = race(RACERS, lambda n: pay(wired, issued[n].reveal(), at, ADA, f"staff:{n}"))
    assert answers(results) == {Answer.PAID: FIT, Answer.CUSTOMER_FULL: RACERS - FIT}
    assert states(wired, issued) == {"redeemed": FIT, "issued": RACERS - FIT}
    day = wired.gateway.books.limits.today(wired.clock.now())
    assert wired.run(lambda c: tills.paid(c, at.id, ADA, day)) == Decimal("10.00")
    assert wired.breaches() == []
    wired.close()


def test_one_code_at_many_tills_is_paid_once(wired: Wired) -> None:
    issued = cash(wired, "60.00")
    at = [till(wired, f"till-{n}") for n in range(8)]
    results = race(8, lambda n: pay(wired, issued.reveal(), at[n], ADA, f"staff:{n}"))
    assert answers(results) == {Answer.PAID: 1, Answer.REDEEMED: 7}
    paid = [till(wired, f"till-{n}").balance for n in range(8)]
    assert sorted(map(str, paid)) == ["0.00"] * 7 + ["60.00"]
    assert wired.breaches() == []


def test_a_counter_and_a_phone_at_once_pay_a_token_once(wired: Wired) -> None:
    issued, at = wired.issue("60.00", ADA), till(wired)

    def redeem(number: int) -> str:
        if number % 2:
            return pay(wired, issued.reveal(), at, ADA, f"staff:{number}").answer.value
        return wired.redeem(issued.reveal(), phone(number)).answer.value

    found = Counter(map(str, race(8, redeem)))
    assert found[Answer.PAID] + found["redeemed"] >= 1
    assert wired.token(issued.serial).status == "redeemed"
    total = (till(wired).balance or Decimal("0.00")) + sum(
        wired.balance(phone(n)) for n in range(0, 8, 2)
    )
    assert total == Decimal("60.00")
    assert wired.breaches() == []
