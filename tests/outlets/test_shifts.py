"""Shifts: who may open a drawer, the blind count, and the manager who accepts a variance."""

from decimal import Decimal

import pytest

from gateway.errors import BadInput
from gateway.outlets.rights import NotAllowed
from gateway.outlets.shifts.store import State
from gateway.people.staff.store import Role
from tests.outlets.staging import BIM, MUSA, OTHER, Shop, naira
from tests.support.wired import Wired


def test_a_cashier_who_opens_the_same_till_again_is_given_their_shift(shop: Shop) -> None:
    first = shop.shift(cash="500.00")
    assert shop.shift(cash="700.00") == first
    assert shop.trail("shift.open") == ["with 500.00"]


def test_a_till_that_is_open_is_nobody_elses(shop: Shop) -> None:
    shop.shift()
    with pytest.raises(BadInput, match="is Person 00's until it is closed"):
        shop.shift(shop.member(BIM))
    assert shop.shift(shop.member(BIM), till=2).till == "LAG-1/2"
    free = shop.wired.run(lambda c: shop.counter.tills_free(c, shop.outlet_row(c)))
    assert free == []


def test_a_cashier_has_one_till_at_a_time(shop: Shop) -> None:
    shop.shift()
    with pytest.raises(BadInput, match="you have till LAG-1/1 open"):
        shop.shift(till=2)


@pytest.mark.parametrize("cash", ["-0.01", "0.001"])
def test_a_drawer_cannot_begin_with_such_an_amount(shop: Shop, cash: str) -> None:
    with pytest.raises(BadInput):
        shop.shift(cash=cash)


def test_nobody_of_another_outlet_and_no_operator_opens_a_till(shop: Shop) -> None:
    for member in (
        shop.member(BIM, outlet="ABJ-1"),
        shop.member(OTHER, Role.OPERATOR),
    ):
        with pytest.raises(NotAllowed):
            shop.shift(member)


def test_a_dismissed_cashier_does_nothing_any_more(shop: Shop) -> None:
    cashier = shop.member()
    shop.shift()
    reference = shop.shown(shop.wired.issue("60.00").reveal())
    shop.dismiss(cashier)
    for deed in (
        lambda: shop.confirm(reference, cashier),
        lambda: shop.show(shop.wired.issue().reveal(), cashier),
        lambda: shop.count("500.00", cashier),
        lambda: shop.decline(reference, cashier),
    ):
        with pytest.raises(NotAllowed):
            deed()
    assert shop.account().balance == naira("0.00")


def test_a_count_is_made_once_and_the_same_one_again_says_what_it_became(shop: Shop) -> None:
    shift = shop.shift(cash="500.00")
    counted = shop.count("499.00")
    assert shop.count("499.00") == counted
    with pytest.raises(BadInput, match="counted already"):
        shop.count("500.00")
    assert shop.stand(shift).variance == naira("-1.00")


def test_a_cashier_does_not_accept_their_own_variance(shop: Shop) -> None:
    chief = shop.manager(BIM)
    shop.shift(chief, cash="500.00")
    counted = shop.count("499.00", chief)
    for member in (chief, shop.member(), shop.member(OTHER, Role.MANAGER, "ABJ-1")):
        with pytest.raises(NotAllowed):
            shop.accept(counted, member)
    assert shop.accept(counted, shop.manager(MUSA)).state == State.CLOSED


def test_a_variance_is_accepted_with_a_reason_that_the_trail_keeps(shop: Shop) -> None:
    shop.shift(cash="500.00")
    counted = shop.count("512.50")
    with pytest.raises(BadInput, match="say why"):
        shop.accept(counted, why=" ")
    accepted = shop.accept(counted, why="a coin of yesterday")
    assert (accepted.accepted_by or "").startswith("staff:")
    assert shop.accept(counted, why="once more") == accepted
    assert shop.trail("shift.accept") == ["variance 12.50: a coin of yesterday"]


def test_an_open_shift_has_nothing_to_accept(shop: Shop) -> None:
    shift = shop.shift()
    with pytest.raises(BadInput, match="not counted yet"):
        shop.accept(shift)


def test_a_count_that_was_sent_back_is_made_anew(shop: Shop) -> None:
    shop.shift(cash="500.00")
    counted = shop.count("50.00")
    opened = shop.send_back(counted, why="a zero is missing")
    assert (opened.state, opened.counted_cash, opened.variance) == (State.OPEN, None, None)
    assert shop.send_back(counted) == opened
    assert shop.trail("shift.send_back") == ["counted 50.00: a zero is missing"]
    again = shop.count("500.00")
    assert (again.state, again.variance, again.counts) == (State.COUNTED, naira("0.00"), 2)
    closed = shop.accept(again, why="it was a zero")
    assert closed.state == State.CLOSED
    with pytest.raises(BadInput, match="closed already"):
        shop.send_back(closed)


def test_a_closed_till_and_its_cashier_are_free_again(shop: Shop) -> None:
    shop.shift()
    shop.pay("60.00")
    shop.count("440.00")
    assert shop.shift(cash="440.00").state == State.OPEN
    shop.pay("40.00")
    assert shop.count("400.00").state == State.CLOSED
    assert shop.owed() == naira("100.00")
    assert shop.wired.breaches() == []


def test_a_manager_sees_the_shifts_of_their_outlet_and_a_cashier_their_own(wired: Wired) -> None:
    here, there = Shop(wired).open(), Shop(wired, "ABJ-1").open()
    mine, theirs = here.shift(), there.shift(there.member(BIM))
    chief = here.manager()
    assert wired.run(lambda c: here.counter.shifts(c, chief)) == [mine]
    assert here.seen(mine, here.member()) == here.seen(mine, chief) == mine
    for member in (here.member(), chief):
        with pytest.raises(NotAllowed):
            here.seen(theirs, member)
    with pytest.raises(NotAllowed):
        wired.run(lambda c: here.counter.shifts(c, here.member()))


def test_what_is_expected_is_the_opening_cash_less_what_was_paid(shop: Shop) -> None:
    shift = shop.shift(cash="500.00")
    shop.pay("60.00")
    assert shop.stand(shift).expected == Decimal("440.00")
