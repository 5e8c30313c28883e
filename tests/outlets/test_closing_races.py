"""Races about the end of a shift: its count, voids, the manager's word, a claim in flight."""

from collections import Counter
from threading import Barrier

import pytest
from sqlalchemy import update

from gateway.errors import BadInput
from gateway.outlets.payments.answers import Stop
from gateway.outlets.payments.store import Payment, State, payments
from gateway.outlets.shifts.store import Shift, shifts
from gateway.outlets.shifts.store import State as ShiftState
from gateway.people.staff.store import Role
from tests.outlets.staging import OTHER, Shop, naira
from tests.support.races import race

RACERS = 6


def names(results: list[Payment | Shift | Exception]) -> Counter[str]:
    """What each racer ended with; an exception counts by its name."""
    return Counter(
        type(one).__name__ if isinstance(one, Exception) else one.state for one in results
    )


def test_counting_what_was_read_before_misses_a_claim_in_flight(shop: Shop) -> None:
    shift, barrier = shop.shift(cash="500.00"), Barrier(2)

    def act(number: int) -> None:
        stand = shop.stand(shift)
        barrier.wait(30)
        if number:
            paid = update(shifts).values(paid=shifts.c.paid + naira("60.00"))
            shop.wired.run(lambda c: c.execute(paid).rowcount)
            return
        variance = naira("500.00") - stand.expected
        counted = {"counted_cash": naira("500.00"), "counted_at": shop.wired.clock.now()}
        count = update(shifts).values(state="counted", variance=variance, **counted)
        shop.wired.run(lambda c: c.execute(count).rowcount)

    race(2, act)
    stand = shop.stand(shift)
    assert (stand.variance, stand.expected) == (naira("0.00"), naira("440.00"))


@pytest.mark.parametrize("round_number", range(4))
def test_a_till_closed_while_a_claim_is_in_flight_knows_of_it_or_stops_it(
    shop: Shop, round_number: int
) -> None:
    shift = shop.shift(cash="500.00")
    issued = shop.wired.issue("60.00")
    reference = shop.shown(issued.reveal())

    def act(number: int) -> Payment | Shift:
        return shop.confirm(reference) if number % 2 else shop.count("500.00")

    results = race(RACERS, act)
    assert all(isinstance(one, (Payment, Shift, BadInput, AssertionError)) for one in results)
    ended, stand = shop.payment(reference), shop.stand(shift)
    if ended.state == State.PAID:
        assert (stand.paid, stand.variance) == (naira("60.00"), naira("60.00"))
        assert stand.state == ShiftState.COUNTED
        shop.accept(stand)
        assert shop.owed() == naira("60.00")
    else:
        assert (ended.state, ended.answer) == (State.REFUSED, Stop.SHIFT_CLOSED)
        assert (stand.state, stand.variance) == (ShiftState.CLOSED, naira("0.00"))
        assert shop.wired.token(issued.serial).status == "issued"
    assert shop.wired.breaches() == []


def test_reading_that_a_payment_is_paid_and_then_voiding_it_gives_it_back_twice(
    shop: Shop,
) -> None:
    shift, barrier = shop.shift(), Barrier(2)
    shop.pay("60.00")
    paid = shop.pay("60.00")

    def void(_: int) -> bool:
        is_paid = shop.payment(paid.reference).state == State.PAID
        barrier.wait(30)
        total = update(shifts).values(voided=shifts.c.voided + naira("60.00"))
        shop.wired.run(lambda c: c.execute(total).rowcount)
        return is_paid

    assert race(2, void) == [True, True]
    assert shop.stand(shift).voided == naira("120.00")


@pytest.mark.parametrize("round_number", range(3))
def test_two_voids_of_a_payment_make_one_fresh_token(shop: Shop, round_number: int) -> None:
    shift = shop.shift()
    shop.pay("60.00")
    paid = shop.pay("60.00")
    chiefs = (shop.manager(), shop.member(OTHER, Role.MANAGER))
    results = race(RACERS, lambda n: shop.void(paid.reference, chiefs[n % 2]))
    assert names(list(results)) == {State.VOIDED: RACERS}
    assert len({one.fresh_serial for one in results if isinstance(one, Payment)}) == 1
    assert shop.stand(shift).voided == naira("60.00")
    assert len(shop.messages()) == 1
    assert shop.wired.breaches() == []


@pytest.mark.parametrize("round_number", range(4))
def test_a_void_and_a_count_at_once_agree_on_the_cash(shop: Shop, round_number: int) -> None:
    shift = shop.shift(cash="500.00")
    paid = shop.pay("60.00")
    shop.manager()

    def act(number: int) -> Payment | Shift:
        return shop.void(paid.reference) if number % 2 else shop.count("500.00")

    race(RACERS, act)
    ended, stand = shop.payment(paid.reference), shop.stand(shift)
    if ended.state == State.VOIDED:
        assert (stand.state, stand.variance) == (ShiftState.CLOSED, naira("0.00"))
        assert shop.owed() == naira("0.00")
    else:
        assert (stand.state, stand.variance) == (ShiftState.COUNTED, naira("60.00"))
    assert shop.wired.breaches() == []


def test_reading_a_count_and_then_accepting_it_accepts_it_twice(shop: Shop) -> None:
    barrier = Barrier(2)
    shop.shift()
    counted = shop.count("499.00")

    def accept(number: int) -> bool:
        waits = shop.stand(counted).state == ShiftState.COUNTED
        barrier.wait(30)
        said = update(shifts).values(accepted_by=f"manager {number}")
        return waits and shop.wired.run(lambda c: c.execute(said).rowcount) == 1

    assert race(2, accept) == [True, True]


@pytest.mark.parametrize("round_number", range(3))
def test_two_managers_who_accept_close_a_till_once(shop: Shop, round_number: int) -> None:
    shop.shift(cash="500.00")
    shop.pay("60.00")
    counted = shop.count("439.00")
    chiefs = (shop.manager(), shop.member(OTHER, Role.MANAGER))
    results = race(RACERS, lambda n: shop.accept(counted, chiefs[n % 2]))
    assert names(list(results)) == {ShiftState.CLOSED: RACERS}
    assert len({one.accepted_by for one in results if isinstance(one, Shift)}) == 1
    assert len(shop.trail("shift.accept")) == 1
    assert shop.owed() == naira("60.00")
    assert shop.wired.breaches() == []


@pytest.mark.parametrize("round_number", range(3))
def test_one_accepts_while_another_sends_back_and_one_of_them_holds(
    shop: Shop, round_number: int
) -> None:
    shop.shift(cash="500.00")
    counted = shop.count("499.00")
    chiefs = (shop.manager(), shop.member(OTHER, Role.MANAGER))

    def act(number: int) -> Shift:
        if number % 2:
            return shop.accept(counted, chiefs[0])
        return shop.send_back(counted, chiefs[1])

    results = race(RACERS, act)
    stand = shop.stand(counted)
    found = names(list(results))
    if stand.state == ShiftState.CLOSED:
        assert found[ShiftState.CLOSED] >= RACERS // 2
    else:
        assert (stand.state, found[ShiftState.OPEN]) == (ShiftState.OPEN, RACERS // 2)
    assert len(shop.trail("shift.accept")) + len(shop.trail("shift.send_back")) == 1
    assert shop.wired.breaches() == []


def test_a_payment_and_the_void_of_another_at_once_keep_the_totals(shop: Shop) -> None:
    shift = shop.shift()
    paid = [shop.pay("10.00") for _ in range(3)]
    waits = [shop.shown(shop.wired.issue("20.00").reveal()) for _ in range(3)]
    shop.manager()

    def act(number: int) -> Payment:
        which = number // 2
        return shop.confirm(waits[which]) if number % 2 else shop.void(paid[which].reference)

    assert names(list(race(RACERS, act))) == {State.PAID: 3, State.VOIDED: 3}
    stand = shop.stand(shift)
    assert (stand.paid, stand.voided) == (naira("90.00"), naira("30.00"))
    assert shop.account().balance == naira("60.00")
    query = payments.select().where(payments.c.state == State.VOIDED.value)
    assert len(shop.wired.run(lambda c: c.execute(query).all())) == 3
    assert shop.wired.breaches() == []
