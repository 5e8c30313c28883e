"""Races about stopping and closing: who opens or pays at that moment, and who comes later."""

from collections import Counter
from collections.abc import Sequence

import pytest
from sqlalchemy import update

from gateway.errors import BadInput
from gateway.ledger.operate import Deed
from gateway.outlets import manage
from gateway.outlets.payments.store import Payment, State
from gateway.outlets.shifts.store import Shift, shifts
from gateway.outlets.store import Outlet, Status, Till, tills
from gateway.tokens.tills.pay import Answer
from tests.outlets.staging import BY, Shop, naira
from tests.support.races import race

RACERS = 6
TILL, OUTLET = "LAG-1/1", "LAG-1"


def deed(shop: Shop) -> Deed:
    """An operator's, now."""
    return Deed(BY, "at once", shop.wired.clock.now())


def close_till(shop: Shop, number: int = 1) -> Till:
    """Close a till for good."""
    return shop.wired.run(lambda c: manage.close_till(c, f"LAG-1/{number}", deed(shop)))


def limit(shop: Shop, to: str) -> Till:
    """Change a float limit."""
    return shop.wired.run(lambda c: manage.limit_till(c, TILL, naira(to), deed(shop)))


def freeze(shop: Shop, what: str) -> Till | Outlet:
    """Freeze the till, or its outlet."""
    if what == TILL:
        return shop.wired.run(lambda c: manage.freeze_till(c, TILL, deed(shop)))
    return shop.wired.run(lambda c: manage.freeze_outlet(c, OUTLET, deed(shop)))


def kinds(results: Sequence[object]) -> Counter[str]:
    """How many racers ended with what."""
    return Counter(type(one).__name__ for one in results)


def test_closing_a_till_whose_shift_was_looked_for_before_closes_it_over_a_cashier(
    shop: Shop,
) -> None:
    number = shop.till().id
    assert shop.wired.run(lambda c: shop.counter.shift_of(c, shop.member().id)) is None
    shop.shift()  # at this moment
    closed = update(tills).where(tills.c.id == number).values(status="closed")
    shop.wired.run(lambda c: c.execute(closed).rowcount)
    assert [one.invariant for one in shop.wired.breaches()] == ["ended_tills_are_empty"]


@pytest.mark.parametrize("round_number", range(4))
def test_a_till_that_is_closed_while_it_is_opened_is_one_of_both(
    shop: Shop, round_number: int
) -> None:
    shop.member()
    results = race(RACERS, lambda n: shop.shift() if n % 2 else close_till(shop))
    assert all(isinstance(one, (Shift, Till, BadInput)) for one in results)
    found = kinds(results)
    if shop.till().stand is Status.CLOSED:
        assert (found["Till"], found["Shift"]) == (1, 0)
    else:
        assert (found["Till"], found["Shift"]) == (0, RACERS // 2)
    assert shop.wired.breaches() == []


def test_paying_after_reading_that_nothing_is_frozen_pays_at_a_frozen_outlet(shop: Shop) -> None:
    shift = shop.shift()
    assert not shop.stand(shift).is_stopped
    freeze(shop, OUTLET)  # at this moment
    paid = update(shifts).values(paid=shifts.c.paid + naira("60.00"))
    shop.wired.run(lambda c: c.execute(paid).rowcount)
    assert (shop.stand(shift).is_stopped, shop.stand(shift).paid) == (True, naira("60.00"))


@pytest.mark.parametrize("round_number", range(3))
@pytest.mark.parametrize("what", [TILL, OUTLET])
def test_a_payment_at_a_till_that_is_being_frozen_is_made_before_or_not_at_all(
    shop: Shop, what: str, round_number: int
) -> None:
    shop.shift()
    issued = shop.wired.issue("60.00")
    reference = shop.shown(issued.reveal())

    def act(number: int) -> Payment | bool:
        if number % 2:
            return shop.confirm(reference)
        freeze(shop, what)
        return shop.payment(reference).state == State.PAID  # as it stands once it is frozen

    results = race(RACERS, act)
    assert kinds(results) == {"Payment": RACERS // 2, "bool": 1, "BadInput": RACERS // 2 - 1}
    ended = shop.payment(reference)
    (was_paid,) = (one for one in results if isinstance(one, bool))
    if was_paid:
        assert (ended.state, shop.account().balance) == (State.PAID, naira("60.00"))
    else:
        assert (ended.state, ended.answer) == (State.REFUSED, Answer.TILL_STOPPED)
        assert shop.wired.token(issued.serial).status == "issued"
        assert shop.account().balance == naira("0.00")
    assert shop.wired.breaches() == []


def test_lowering_a_limit_over_what_was_read_before_lets_a_shift_pass_it(shop: Shop) -> None:
    shift = shop.shift()
    assert shop.stand(shift).total <= naira("50.00")
    shop.pay("60.00")  # at this moment
    lower = update(tills).where(tills.c.id == shift.till_id).values(float_limit=naira("50.00"))
    shop.wired.run(lambda c: c.execute(lower).rowcount)
    assert shop.stand(shift).total > shop.stand(shift).float_limit


@pytest.mark.parametrize("round_number", range(4))
def test_no_shift_has_paid_more_than_a_limit_that_is_lowered_meanwhile(
    shop: Shop, round_number: int
) -> None:
    shift = shop.shift()
    waits = [shop.shown(shop.wired.issue("40.00").reveal()) for _ in range(RACERS // 2)]
    lower = ("100.00", "60.00", "80.00")

    def act(number: int) -> Payment | Till:
        which = number // 2
        return shop.confirm(waits[which]) if number % 2 else limit(shop, lower[which])

    results = race(RACERS, act)
    assert all(isinstance(one, (Payment, Till, BadInput)) for one in results)
    stand = shop.stand(shift)
    assert stand.total <= stand.float_limit
    paid = [one for one in results if isinstance(one, Payment) and one.state == State.PAID]
    assert stand.total == len(paid) * naira("40.00") == shop.account().balance
    assert shop.wired.breaches() == []


@pytest.mark.parametrize("round_number", range(3))
def test_an_outlet_that_is_closed_while_it_gets_a_till_is_one_of_both(
    shop: Shop, round_number: int
) -> None:
    for number in (1, 2):
        close_till(shop, number)
    now = shop.wired.clock.now()

    def act(number: int) -> Till | Outlet:
        if number % 2:
            named = (OUTLET, naira("50.00"), "NGN", BY, now)
            return shop.wired.run(lambda c: manage.create_till(c, *named))
        return shop.wired.run(lambda c: manage.close_outlet(c, OUTLET, deed(shop)))

    found = kinds(race(RACERS, act))
    assert set(found) <= {"Till", "Outlet", "BadInput"}
    assert (found["Outlet"], found["Till"]) in {(1, 0), (0, RACERS // 2)}
    assert shop.wired.breaches() == []
