"""The report of tokens that a cashier looked up, did not pay, and that were redeemed later."""

from datetime import timedelta

from gateway.outlets.reports import store
from gateway.outlets.reports.store import RedeemedLater
from tests.outlets.staging import AMA, BIM, Shop
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, Wired


def report(shop: Shop) -> list[RedeemedLater]:
    """What there is of the last day."""
    since = shop.wired.clock.now() - timedelta(days=1)
    return shop.wired.run(lambda c: store.redeemed_later(c, since, 10, shop.outlet_row(c).id))


def test_a_token_that_was_looked_up_and_redeemed_elsewhere_is_reported(
    shop: Shop, clock: SteppedClock
) -> None:
    shop.shift()
    declined, left, paid = (shop.wired.issue("60.00") for _ in range(3))
    shop.decline(shop.shown(declined.reveal()))
    shop.shown(left.reveal())
    shop.confirm(shop.shown(paid.reveal()))
    assert report(shop) == []
    clock.advance(minutes=1)
    shop.wired.redeem(declined.reveal(), AMA)
    shop.wired.redeem(left.reveal(), ADA)
    found = {one.serial: one for one in report(shop)}
    assert set(found) == {declined.serial, left.serial}
    one = found[declined.serial]
    assert (one.state, one.cashier, one.till, one.redeemed_by) == (
        *("declined", "Person 00", "LAG-1/1", AMA),
    )
    assert (one.by_cashier, found[left.serial].by_cashier) == (True, False)


def test_a_token_that_was_declined_and_paid_at_the_same_till_later_is_reported(
    shop: Shop, clock: SteppedClock
) -> None:
    shop.shift()
    digits = shop.wired.issue("60.00").reveal()
    first = shop.shown(digits)
    shop.decline(first)
    clock.advance(hours=2)
    shop.confirm(shop.shown(digits))
    (found,) = report(shop)
    assert (found.reference, found.state, found.redeemed_by) == (first, "declined", "LAG-1/1")
    assert (found.at_same_till, found.by_cashier) == (True, False)


def test_declining_is_never_excused_by_paying_at_once(shop: Shop) -> None:
    shop.shift()
    digits = shop.wired.issue("60.00").reveal()
    shop.decline(shop.shown(digits))
    shop.confirm(shop.shown(digits))
    assert len(report(shop)) == 1


def test_a_token_that_was_left_lying_is_reported_when_its_customer_was_long_gone(
    shop: Shop, clock: SteppedClock
) -> None:
    shop.shift()
    left, refused, waited = (shop.wired.issue("60.00") for _ in range(3))
    shop.shown(left.reveal())
    late = shop.shown(refused.reveal())
    clock.advance(minutes=11)
    assert shop.confirm(late).answer == "too_old"
    first = shop.shown(waited.reveal())
    clock.advance(minutes=11)
    for one in (left, refused, waited):
        shop.confirm(shop.shown(one.reveal()))
    assert shop.payment(first).state == "shown"
    # Eleven minutes are a queue's; twenty-two are nobody's.
    assert {one.serial for one in report(shop)} == {left.serial, refused.serial}


def test_a_token_that_was_redeemed_before_is_not_reported(shop: Shop, clock: SteppedClock) -> None:
    shop.shift()
    issued = shop.wired.issue("60.00")
    shop.wired.redeem(issued.reveal())
    clock.advance(seconds=1)
    shop.show(issued.reveal())
    assert report(shop) == []


def test_each_outlet_has_its_own_report(wired: Wired) -> None:
    here, there = Shop(wired).open(), Shop(wired, "ABJ-1").open()
    cashier = there.member(BIM)
    there.shift(cashier)
    issued = wired.issue("60.00")
    there.decline(there.shown(issued.reveal(), cashier), cashier)
    wired.redeem(issued.reveal())
    assert (report(here), len(report(there))) == ([], 1)
