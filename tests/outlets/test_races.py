"""Races at the counter (R13): tabs, devices, tills and phones pay a token once."""

from collections import Counter
from decimal import Decimal
from threading import Barrier

import pytest
from sqlalchemy import update

from gateway.errors import BadInput
from gateway.outlets.counter import COUNTER, USSD
from gateway.outlets.payments.answers import Stop
from gateway.outlets.payments.store import Payment, State, payments
from gateway.outlets.shifts.store import Shift, shifts
from gateway.outlets.shifts.store import State as ShiftState
from gateway.tokens.tills.pay import Answer
from tests.outlets.staging import BIM, Shop, naira
from tests.support.races import race
from tests.support.wired import ADA, Wired
from tests.tokens.staging import phone

RACERS = 6


def states(results: list[Payment | Exception]) -> Counter[str]:
    """What each racer's payment became; an exception counts by its name."""
    return Counter(one.state if isinstance(one, Payment) else type(one).__name__ for one in results)


def test_reading_a_payment_and_then_deciding_it_pays_it_twice(shop: Shop) -> None:
    shift = shop.shift()
    reference, barrier = shop.shown(shop.wired.issue("60.00").reveal()), Barrier(2)

    def confirm(_: int) -> bool:
        waits = shop.payment(reference).state == State.SHOWN
        barrier.wait(30)
        total = update(shifts).values(paid=shifts.c.paid + naira("60.00"))
        decide = update(payments).values(state="paid", decided_at=shop.wired.clock.now())
        shop.wired.run(lambda c: (c.execute(total), c.execute(decide)))
        return waits

    assert race(2, confirm) == [True, True]
    assert shop.stand(shift).paid == naira("120.00")


@pytest.mark.parametrize("round_number", range(3))
def test_two_tabs_confirm_one_payment_and_both_are_told_that_it_is_paid(
    shop: Shop, round_number: int
) -> None:
    shift = shop.shift()
    reference = shop.shown(shop.wired.issue("60.00").reveal())
    assert states(race(RACERS, lambda _: shop.confirm(reference))) == {State.PAID: RACERS}
    assert shop.account().balance == shop.stand(shift).paid == naira("60.00")
    assert len(shop.trail("token.pay")) == 1
    assert shop.wired.breaches() == []


@pytest.mark.parametrize("round_number", range(3))
def test_two_devices_of_one_cashier_end_at_one_payment(shop: Shop, round_number: int) -> None:
    shift = shop.shift()
    digits = shop.wired.issue("60.00").reveal()

    def pay(number: int) -> Payment:
        channel = USSD if number % 2 else COUNTER
        shown = shop.show(digits, channel=channel)
        assert shown.answer in (Answer.PAYABLE, Answer.REDEEMED)
        assert shown.payment is not None
        return shop.confirm(shown.payment.reference)

    results = race(RACERS, pay)
    assert states(results) == {State.PAID: RACERS}
    assert len({one.reference for one in results if isinstance(one, Payment)}) == 1
    assert shop.account().balance == shop.stand(shift).paid == naira("60.00")
    assert shop.wired.breaches() == []


def test_confirming_and_declining_at_once_end_at_one_of_them(shop: Shop) -> None:
    shop.shift()
    reference = shop.shown(shop.wired.issue("60.00").reveal())

    def decide(number: int) -> Payment:
        return shop.decline(reference) if number % 2 else shop.confirm(reference)

    results = race(RACERS, decide)
    ended = shop.payment(reference)
    assert states(results) == {ended.state: RACERS}
    paid = naira("60.00") if ended.state == State.PAID else naira("0.00")
    assert shop.account().balance == paid
    assert shop.wired.breaches() == []


@pytest.mark.parametrize("round_number", range(3))
def test_a_counter_another_till_and_the_recipients_phone_pay_a_token_once(
    shop: Shop, round_number: int
) -> None:
    issued = shop.wired.issue("60.00")
    here, there = shop.member(), shop.member(BIM)
    shop.shift(here)
    shop.shift(there, till=2)
    references = (shop.shown(issued.reveal(), here), shop.shown(issued.reveal(), there))

    def pay(number: int) -> str:
        if number % 3 == 2:
            return shop.wired.redeem(issued.reveal(), phone(number)).answer.value
        who = (here, there)[number % 3]
        return shop.confirm(references[number % 3], who).state

    found = Counter(map(str, race(RACERS, pay)))
    tills = [shop.account(number).balance or naira("0.00") for number in (1, 2)]
    phones = [shop.wired.balance(phone(number)) for number in range(RACERS)]
    assert sum((*tills, *phones), Decimal(0)) == naira("60.00")
    assert sorted(map(str, (*tills, *phones)))[-1] == "60.00"
    assert found.keys() <= {"paid", "refused", "redeemed", "not_valid"}
    assert shop.wired.breaches() == []


def test_looking_at_the_shifts_total_and_then_paying_passes_its_limit(shop: Shop) -> None:
    shift, barrier, limit = shop.shift(), Barrier(4), naira("100.00")

    def pay(_: int) -> bool:
        fits = shop.stand(shift).total + naira("60.00") <= limit
        barrier.wait(30)
        total = update(shifts).values(paid=shifts.c.paid + naira("60.00"))
        return fits and shop.wired.run(lambda c: c.execute(total).rowcount) == 1

    assert race(4, pay).count(True) > 1
    assert shop.stand(shift).paid > limit


@pytest.mark.parametrize("round_number", range(3))
def test_payments_at_once_stay_within_the_shifts_limit(wired: Wired, round_number: int) -> None:
    shop = Shop(wired).open(float_limit="100.00")
    shift = shop.shift()
    references = [shop.shown(wired.issue("30.00").reveal()) for _ in range(RACERS)]
    results = race(RACERS, lambda number: shop.confirm(references[number]))
    assert states(results) == {State.PAID: 3, State.REFUSED: 3}
    refused = {one.answer for one in map(shop.payment, references) if one.state == State.REFUSED}
    assert refused == {Stop.FLOAT_LIMIT}
    assert shop.account().balance == shop.stand(shift).paid == naira("90.00")
    assert wired.breaches() == []


def test_two_cashiers_look_at_a_till_and_both_find_it_free_without_the_index(shop: Shop) -> None:
    at, barrier = shop.till(), Barrier(2)
    who, now = (shop.member(), shop.member(BIM)), shop.wired.clock.now()

    def begin(number: int) -> bool:
        free = shop.wired.run(lambda c: shop.counter.tills_free(c, shop.outlet_row(c)))
        barrier.wait(30)
        values = {
            "till_id": at.id,
            "cashier_id": who[number].id,
            "state": "closed",  # as one is that holds no till
            "opening_cash": naira("0.00"),
            "opened_at": now,
            "paid": naira("0.00"),
            "voided": naira("0.00"),
            "counted_cash": naira("0.00"),
            "counted_at": now,
            "variance": naira("0.00"),
            "closed_at": now,
        }
        shop.wired.run(lambda c: c.execute(shifts.insert().values(**values)).rowcount)
        return at in free

    assert race(2, begin) == [True, True]


@pytest.mark.parametrize("round_number", range(3))
def test_two_cashiers_who_open_one_till_do_not_share_it(shop: Shop, round_number: int) -> None:
    who = [shop.member(phone(number)) for number in range(RACERS)]
    results = race(RACERS, lambda number: shop.shift(who[number]))
    opened = [one for one in results if isinstance(one, Shift)]
    assert len(opened) == 1
    refused = [str(one) for one in results if isinstance(one, BadInput)]
    assert len(refused) == RACERS - 1
    assert all("until it is closed" in one for one in refused)


def test_one_cashier_who_opens_two_tills_has_one(shop: Shop) -> None:
    shop.member()
    results = race(RACERS, lambda number: shop.shift(till=1 + number % 2))
    opened = {one.till for one in results if isinstance(one, Shift)}
    assert len(opened) == 1
    assert all(isinstance(one, (Shift, BadInput)) for one in results)
    assert len(shop.trail("shift.open")) == 1


def test_a_customer_between_two_tills_is_paid_at_one(shop: Shop) -> None:
    here, there = shop.member(), shop.member(BIM)
    shop.shift(here)
    shop.shift(there, till=2)
    digits = shop.wired.issue("60.00", ADA).reveal()
    references = (shop.shown(digits, here), shop.shown(digits, there))
    results = race(RACERS, lambda n: shop.confirm(references[n % 2], (here, there)[n % 2]))
    assert states(results) == {State.PAID: RACERS // 2, State.REFUSED: RACERS // 2}
    assert shop.shift(here).state == ShiftState.OPEN
    assert shop.wired.breaches() == []
