"""The same money told many times at once: one credit, and every teller is answered 200."""

from collections import Counter
from decimal import Decimal
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import select, update

from gateway.deposits.ordered import store as ordered
from gateway.deposits.store import deposits
from gateway.ledger.guards import store as guards
from gateway.providers.base.messages import Outcome, Status
from tests.deposits.staging import JUMA, Till, snippe_body
from tests.support.races import race

RACERS = 16


def statuses(answers: list[Any]) -> Counter[object]:
    """How often each status was answered; an exception counts as itself."""
    return Counter(getattr(answer, "status_code", answer) for answer in answers)


def credit_unguarded(tz: Till, row: int, wallet: int, barrier: Barrier) -> bool:
    """What settling must not be: look at the state first, write it without it in the WHERE."""
    with tz.gateway.database.snapshot() as connection:
        query = select(deposits.c.state).where(deposits.c.id == row)
        state = connection.execute(query).scalar_one()
    barrier.wait(30)
    if state != "pending":
        return False
    completed = update(deposits).where(deposits.c.id == row).values(state="completed")
    tz.run(lambda c: (c.execute(completed), guards.credit(c, wallet, Decimal("15000.00"))))
    return True


def test_without_lock_and_claim_the_same_event_is_credited_many_times(tz: Till) -> None:
    order, wallet, barrier = tz.order(), tz.wallet(), Barrier(RACERS)
    done = race(RACERS, lambda _: credit_unguarded(tz, order.id, wallet.id, barrier))
    assert done.count(True) > 1
    assert tz.has() > Decimal("15000.00")


def test_sixteen_deliveries_at_once_are_one_credit_and_sixteen_times_200(tz: Till) -> None:
    body = snippe_body(tz.order().reference)
    assert statuses(race(RACERS, lambda _: tz.snippe(body))) == {200: RACERS}
    assert Counter(tz.became()) == {"credited": 1, "duplicate": RACERS - 1}
    assert (str(tz.has()), tz.movements()) == ("15000.00", 1)
    assert tz.breaches() == []


def test_without_the_rows_lock_the_claim_and_the_key_still_credit_once(
    tz: Till, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = snippe_body(tz.order().reference)
    monkeypatch.setattr(ordered, "BY_OURS", ordered.unlocked(ordered.OF_OURS))
    race(RACERS, lambda _: tz.snippe(body))
    assert (str(tz.has()), tz.movements()) == ("15000.00", 1)
    assert tz.breaches() == []


def test_sixteen_deliveries_of_a_payment_nobody_ordered_are_one_credit(ke: Till) -> None:
    ke.wallet("+254700000001")
    answers = race(RACERS, lambda _: ke.c2b("TK1", "20.00", MSISDN="254700000001"))
    assert statuses(answers) == {200: RACERS}
    assert Counter(ke.became()) == {"credited": 1, "duplicate": RACERS - 1}
    assert (str(ke.has("+254700000001")), ke.movements()) == ("20.00", 1)
    assert ke.breaches() == []


def test_the_first_payments_of_all_into_suspense_make_its_account_once(ke: Till) -> None:
    answers = race(RACERS, lambda number: ke.c2b(f"TK{number // 2}", "20.00"))
    assert statuses(answers) == {200: RACERS}
    assert Counter(ke.became()) == {"suspense": RACERS // 2, "duplicate": RACERS // 2}
    assert str(ke.suspense("mpesa")) == "160.00"
    assert ke.breaches() == []


def test_contradicting_amounts_at_once_credit_the_ordered_one_at_most_once(tz: Till) -> None:
    order = tz.order("15000")
    bodies = [snippe_body(order.reference, amount) for amount in (15000, 99000)]
    assert statuses(race(RACERS, lambda n: tz.snippe(bodies[n % 2]))) == {200: RACERS}
    assert tz.has() in (Decimal("0.00"), Decimal("15000.00"))
    assert tz.movements() == 1  # of one transaction one amount is booked, whichever came first
    assert Counter(tz.became())["conflict"] >= RACERS // 2
    assert tz.breaches() == []


def test_a_callback_racing_with_the_answer_to_our_question_is_one_credit(tz: Till) -> None:
    order = tz.order()
    body, now = snippe_body(order.reference), tz.clock.now()
    paid = Status(Outcome.SUCCEEDED, "SYNX000001", amount=Decimal("15000.00"))
    answers = tz.gateway.deposits.answers

    def tell(number: int) -> object:
        if number % 2:
            return tz.snippe(body).status_code
        return tz.run(lambda c: answers.answered(c, order.reference, paid, now)).value

    told = Counter(race(RACERS, tell))
    assert told[200] == RACERS // 2
    assert told["credited"] + told["duplicate"] == RACERS // 2
    assert (str(tz.has()), tz.movements()) == ("15000.00", 1)
    assert tz.breaches() == []


def test_a_success_racing_with_a_failure_ends_credited(tz: Till) -> None:
    order = tz.order()
    bodies = [
        snippe_body(order.reference),
        snippe_body(order.reference, event="payment.failed"),
    ]
    assert statuses(race(8, lambda number: tz.snippe(bodies[number % 2]))) == {200: 8}
    assert (tz.seen(order).state, str(tz.has())) == ("completed", "15000.00")
    assert tz.breaches() == []


def test_many_orders_of_one_wallet_paid_at_once_make_the_exact_sum(tz: Till) -> None:
    orders = [tz.order(str(1000 + number)) for number in range(RACERS)]

    def pay(number: int) -> object:
        order = orders[number]
        body = snippe_body(order.reference, int(order.amount), f"TX{number}")
        return tz.snippe(body)

    assert statuses(race(RACERS, pay)) == {200: RACERS}
    assert tz.has(JUMA) == sum(order.amount for order in orders)
    assert tz.breaches() == []
