"""Cash between two shifts: what one left and the next one found are kept together."""

from datetime import timedelta

from gateway.outlets.shifts import store
from gateway.outlets.shifts.store import Shift
from tests.outlets.staging import BIM, Shop, naira


def begun(shop: Shop) -> list[Shift]:
    """The shifts that began otherwise than the one before has ended."""
    since = shop.wired.clock.now() - timedelta(days=1)
    return shop.wired.run(lambda c: store.begun_otherwise(c, since, 10))


def test_what_the_shift_before_counted_is_kept_with_the_opening(shop: Shop) -> None:
    assert shop.shift(cash="500.00").left_cash is None
    shop.pay("60.00")
    shop.accept(shop.count("430.00"))
    second = shop.shift(shop.member(BIM), cash="430.00")
    assert (second.left_cash, second.begun_off) == (naira("430.00"), naira("0.00"))
    shop.count("430.00", shop.member(BIM))
    assert begun(shop) == []
    third = shop.shift(cash="0.00")
    assert (third.left_cash, third.begun_off) == (naira("430.00"), naira("-430.00"))
    assert [shift.id for shift in begun(shop)] == [third.id]
    assert shop.trail("shift.open")[-1] == "with 0.00 where 430.00 were left"


def test_each_till_has_a_drawer_of_its_own(shop: Shop) -> None:
    shop.shift(cash="500.00")
    shop.count("500.00")
    assert shop.shift(till=2, cash="1.00").left_cash is None
    assert begun(shop) == []
