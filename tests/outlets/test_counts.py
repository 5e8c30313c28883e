"""Counts: whose word is about which one, who may make one, and what a second one needs."""

from threading import Barrier

import pytest

from gateway.errors import BadInput
from gateway.ledger.operate import Deed
from gateway.outlets.rights import NotAllowed
from gateway.outlets.shifts.store import Shift, State
from gateway.people.staff.store import Role
from tests.outlets.staging import BIM, OTHER, Shop, naira
from tests.support.races import race

RACERS = 6


def test_what_a_manager_accepts_or_sends_back_is_the_count_they_saw(shop: Shop) -> None:
    shop.shift(cash="500.00")
    seen = shop.count("495.00")
    shop.send_back(seen, shop.manager(OTHER))
    now = shop.count("1.00")
    for decide in (shop.accept, shop.send_back):
        with pytest.raises(BadInput, match="counted anew since you looked"):
            decide(seen)
    assert (shop.stand(now).state, shop.stand(now).variance) == (State.COUNTED, naira("-499.00"))
    by = Deed("cli:ops", "5 is fine", shop.wired.clock.now())
    with pytest.raises(BadInput, match="counted anew since you looked"):
        shop.keyed(lambda c: shop.counter.accept_from_office(c, seen.id, seen.counts, by))
    assert shop.accept(now).state == State.CLOSED
    with pytest.raises(BadInput, match="counted anew since you looked"):
        shop.accept(seen)


def test_a_count_from_before_it_was_sent_back_is_not_the_new_one(shop: Shop) -> None:
    shift, cashier, now = shop.shift(cash="500.00"), shop.member(), shop.wired.clock.now()
    shop.send_back(shop.count("495.00"))
    with pytest.raises(BadInput, match="counted already"):
        shop.keyed(lambda c: shop.counter.count(c, shift.id, cashier, naira("495.00"), 0, now))
    assert shop.stand(shift).state == State.OPEN


@pytest.mark.parametrize("guarded", [False, True])
def test_a_stale_word_and_a_new_count_at_once(shop: Shop, guarded: bool) -> None:
    """Without the count that was seen, the word is about whatever is there by then."""
    shift = shop.shift(cash="500.00")
    seen, chief, other = shop.count("495.00"), shop.manager(), shop.manager(OTHER)
    barrier = Barrier(2)

    def act(number: int) -> Shift:
        if number:
            shop.send_back(seen, other)
            counted = shop.count("1.00")
            barrier.wait(30)
            return counted
        barrier.wait(30)
        about = seen if guarded else shop.stand(shift)
        return shop.accept(about, chief)

    race(2, act)
    stand = shop.stand(shift)
    assert stand.variance == naira("-499.00")
    assert stand.state == (State.COUNTED if guarded else State.CLOSED)


@pytest.mark.parametrize("round_number", range(3))
def test_only_the_count_that_was_seen_is_ever_accepted(shop: Shop, round_number: int) -> None:
    shift = shop.shift(cash="500.00")
    seen, chief, other = shop.count("495.00"), shop.manager(), shop.manager(OTHER)

    def act(number: int) -> Shift:
        if number % 3 == 0:
            return shop.accept(seen, chief)
        if number % 3 == 1:
            return shop.send_back(seen, other)
        return shop.count("1.00")

    race(RACERS, act)
    stand = shop.stand(shift)
    assert stand.state != State.CLOSED or stand.variance == naira("-5.00")
    assert shop.wired.breaches() == []


def test_a_second_count_waits_for_a_manager_also_when_it_is_right(shop: Shop) -> None:
    shop.shift(cash="500.00")
    shop.pay("60.00")
    shop.send_back(shop.count("1.00"))
    again = shop.count("440.00")
    assert (again.state, again.variance, again.counts) == (State.COUNTED, naira("0.00"), 2)
    assert shop.owed() == naira("0.00")
    shop.accept(again)
    assert shop.owed() == naira("60.00")
    assert shop.wired.breaches() == []


def test_a_manager_counts_for_a_cashier_who_has_left(shop: Shop) -> None:
    gone = shop.member()
    shift = shop.shift(gone)
    shop.pay("60.00")
    shop.dismiss(gone)
    with pytest.raises(NotAllowed):
        shop.count("440.00", gone)
    assert shop.count_for(shift, "440.00").state == State.CLOSED
    assert shop.owed() == naira("60.00")
    assert shop.trail("shift.count_for") == ["variance 0.00: they left"]
    assert shop.shift(shop.member(BIM), till=1).state == State.OPEN
    assert shop.wired.breaches() == []


def test_nobody_accepts_what_they_counted_for_another(shop: Shop) -> None:
    shift, chief = shop.shift(cash="500.00"), shop.manager()
    counted = shop.count_for(shift, "499.00", chief)
    assert counted == shop.count_for(shift, "499.00", chief)
    with pytest.raises(NotAllowed, match="somebody else must"):
        shop.accept(counted, chief)
    assert shop.accept(counted, shop.manager(OTHER)).state == State.CLOSED


def test_only_another_manager_of_the_outlet_counts_for_a_cashier(shop: Shop) -> None:
    chief = shop.manager()
    shift = shop.shift(chief)
    for member in (chief, shop.member(), shop.member(OTHER, Role.MANAGER, "ABJ-1")):
        with pytest.raises(NotAllowed):
            shop.count_for(shift, "500.00", member)
    by = Deed("staff:99:Ope", " ", shop.wired.clock.now())
    with pytest.raises(BadInput, match="say why"):
        shop.keyed(lambda c: shop.counter.count_from_office(c, shift.id, naira("500"), 0, by))
    by = Deed("staff:99:Ope", "no manager is left", by.now)
    cash = naira("499.00")
    counted = shop.keyed(lambda c: shop.counter.count_from_office(c, shift.id, cash, 0, by))
    with pytest.raises(NotAllowed, match="somebody else must"):
        shop.keyed(lambda c: shop.counter.accept_from_office(c, shift.id, 1, by))
    assert (counted.state, counted.counted_by) == (State.COUNTED, "staff:99:Ope")


@pytest.mark.parametrize("round_number", range(3))
def test_a_cashier_and_a_manager_who_count_at_once_make_one_count(
    shop: Shop, round_number: int
) -> None:
    shift, chief = shop.shift(cash="500.00"), shop.manager()
    race(RACERS, lambda n: shop.count("499.00") if n % 2 else shop.count_for(shift, "498", chief))
    assert shop.stand(shift).counts == 1
    assert len(shop.trail("shift.count") + shop.trail("shift.count_for")) == 1
    assert shop.wired.breaches() == []
