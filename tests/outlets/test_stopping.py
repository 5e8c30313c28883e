"""Tills and outlets that are frozen, let work again, and closed for good."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from sqlalchemy import Connection

from gateway.errors import BadInput
from gateway.ledger.limits import Stopped
from gateway.ledger.operate import Deed
from gateway.outlets import manage
from gateway.outlets.payments.store import State
from gateway.outlets.shifts.store import State as ShiftState
from gateway.outlets.store import Outlet, Status, Till
from gateway.tokens.tills.pay import Answer
from tests.outlets.staging import BIM, BY, Shop, naira

TILL, OUTLET = "LAG-1/1", "LAG-1"
TillAct = Callable[[Connection, str, Deed], Till]
OutletAct = Callable[[Connection, str, Deed], Outlet]


def deed(shop: Shop, why: str = "as agreed") -> Deed:
    """An operator's, now."""
    return Deed(BY, why, shop.wired.clock.now())


def till(shop: Shop, act: TillAct, name: str = TILL) -> Till:
    """Do something to a till."""
    return shop.wired.run(lambda c: act(c, name, deed(shop)))


def outlet(shop: Shop, act: OutletAct, code: str = OUTLET) -> Outlet:
    """Do something to the outlet."""
    return shop.wired.run(lambda c: act(c, code, deed(shop)))


def limit(shop: Shop, to: str, name: str = TILL) -> Till:
    """Change a float limit."""
    return shop.wired.run(lambda c: manage.limit_till(c, name, naira(to), deed(shop)))


def settle(shop: Shop, amount: str) -> str:
    """Ask for the outlet's bank to be paid."""
    settling, now = shop.wired.gateway.money.outlets.settling, shop.wired.clock.now()
    wanted = (OUTLET, naira(amount), f"settle:{amount}", BY, "the day is over", now)
    return shop.wired.run(lambda c: settling.settle(c, *wanted))


def stop_till(shop: Shop) -> None:
    """Freeze the till."""
    assert till(shop, manage.freeze_till).stand is Status.FROZEN


def stop_outlet(shop: Shop) -> None:
    """Freeze the outlet."""
    assert outlet(shop, manage.freeze_outlet).stand is Status.FROZEN


STOPS = pytest.mark.parametrize("stop", [stop_till, stop_outlet])
Stop = Callable[[Shop], None]


@STOPS
def test_a_frozen_till_pays_nothing_and_the_token_stays_good(shop: Shop, stop: Stop) -> None:
    shop.shift()
    issued = shop.wired.issue("60.00")
    reference = shop.shown(issued.reveal())
    stop(shop)
    refused = shop.confirm(reference)
    assert (refused.state, refused.answer) == (State.REFUSED, Answer.TILL_STOPPED)
    shown = shop.show(issued.reveal())
    assert (shown.answer, shown.payment) == (Answer.TILL_STOPPED, None)
    assert shop.wired.token(issued.serial).status == "issued"
    assert shop.account().balance == naira("0.00")
    assert shop.wired.breaches() == []


@STOPS
def test_a_frozen_till_is_opened_by_nobody(shop: Shop, stop: Stop) -> None:
    stop(shop)
    with pytest.raises(BadInput, match="frozen"):
        shop.shift()
    free = shop.wired.run(lambda c: shop.counter.tills_free(c, shop.outlet_row(c)))
    assert TILL not in [one.name for one in free]


@STOPS
def test_what_a_frozen_till_has_paid_finds_its_way_out(shop: Shop, stop: Stop) -> None:
    shop.shift(cash="500.00")
    shop.pay("60.00")
    paid = shop.pay("40.00")
    stop(shop)
    assert shop.void(paid.reference).state == State.VOIDED
    counted = shop.count("439.00")
    assert counted.state == ShiftState.COUNTED
    assert shop.accept(counted).state == ShiftState.CLOSED
    assert (shop.account().balance, shop.owed()) == (naira("0.00"), naira("60.00"))
    assert shop.wired.breaches() == []


@STOPS
def test_a_right_count_closes_a_frozen_till_at_once(shop: Shop, stop: Stop) -> None:
    shop.shift(cash="500.00")
    shop.pay("60.00")
    stop(shop)
    assert shop.count("440.00").state == ShiftState.CLOSED
    assert shop.owed() == naira("60.00")


def test_the_other_tills_of_an_outlet_go_on_when_one_is_frozen(shop: Shop) -> None:
    other = shop.member(BIM)
    shop.shift(other, till=2)
    stop_till(shop)
    assert shop.pay("60.00", other).state == State.PAID


def test_a_till_that_is_let_work_again_pays_and_opens(shop: Shop) -> None:
    shop.shift()
    stop_till(shop)
    assert till(shop, manage.unfreeze_till).stand is Status.OPEN
    assert shop.pay("60.00").state == State.PAID
    assert shop.trail("till.freeze") == shop.trail("till.unfreeze") == ["as agreed"]


def test_a_till_that_was_frozen_itself_stays_so_when_its_outlet_is_let_work_again(
    shop: Shop,
) -> None:
    stop_till(shop)
    stop_outlet(shop)
    assert outlet(shop, manage.unfreeze_outlet).stand is Status.OPEN
    assert [shop.till(number).stand for number in (1, 2)] == [Status.FROZEN, Status.OPEN]
    assert shop.trail("outlet.freeze") == shop.trail("outlet.unfreeze") == ["as agreed"]


def test_a_frozen_outlet_is_not_paid_out(shop: Shop) -> None:
    shop.shift(cash="500.00")
    shop.pay("60.00")
    shop.count("440.00")
    stop_outlet(shop)
    with pytest.raises(Stopped):
        settle(shop, "60.00")
    assert shop.owed() == naira("60.00")


def test_a_till_is_closed_for_good_once_it_is_empty(shop: Shop) -> None:
    shop.shift(cash="500.00")
    shop.pay("60.00")
    with pytest.raises(BadInput, match="Person 00's until"):
        till(shop, manage.close_till)
    shop.count("440.00")
    assert till(shop, manage.close_till).stand is Status.CLOSED
    assert shop.account().status == "closed"
    assert shop.trail("till.close") == ["as agreed"]
    with pytest.raises(BadInput, match="closed for good"):
        shop.shift()
    assert shop.wired.breaches() == []


def test_a_counted_till_is_not_closed_before_its_variance_is_accepted(shop: Shop) -> None:
    shop.shift(cash="500.00")
    counted = shop.count("499.00")
    with pytest.raises(BadInput, match="until its shift is closed"):
        till(shop, manage.close_till)
    shop.accept(counted)
    till(shop, manage.close_till)


def test_a_frozen_till_can_be_closed(shop: Shop) -> None:
    stop_till(shop)
    assert till(shop, manage.close_till).stand is Status.CLOSED


@pytest.mark.parametrize("act", [manage.freeze_till, manage.unfreeze_till, manage.close_till])
def test_a_closed_till_stays_closed(shop: Shop, act: TillAct) -> None:
    till(shop, manage.close_till)
    with pytest.raises(BadInput, match="is closed"):
        till(shop, act)
    with pytest.raises(BadInput, match="is closed"):
        limit(shop, "50.00")
    assert shop.till().stand is Status.CLOSED


def test_an_outlet_is_closed_for_good_after_its_tills_and_its_money(shop: Shop) -> None:
    shop.shift(cash="500.00")
    shop.pay("60.00")
    shop.count("440.00")
    with pytest.raises(BadInput, match=r"LAG-1/1, LAG-1/2"):
        outlet(shop, manage.close_outlet)
    for number in (1, 2):
        till(shop, manage.close_till, f"lag-1/{number}")
    with pytest.raises(BadInput, match=r"still owed 60\.00, and 0\.00 is on its way"):
        outlet(shop, manage.close_outlet)
    settle(shop, "60.00")
    with pytest.raises(BadInput, match=r"still owed 0\.00, and 60\.00 is on its way"):
        outlet(shop, manage.close_outlet)
    assert shop.trail("outlet.close") == []
    assert shop.wired.breaches() == []


@pytest.mark.parametrize("act", [manage.freeze_outlet, manage.unfreeze_outlet, manage.close_outlet])
def test_a_closed_outlet_stays_closed_and_gets_no_till(shop: Shop, act: OutletAct) -> None:
    for number in (1, 2):
        till(shop, manage.close_till, f"LAG-1/{number}")
    assert outlet(shop, manage.close_outlet, "lag-1").stand is Status.CLOSED
    with pytest.raises(BadInput, match="is closed"):
        outlet(shop, act)
    now = shop.wired.clock.now()
    with pytest.raises(BadInput, match="closed for good"):
        shop.wired.run(lambda c: manage.create_till(c, OUTLET, Decimal(5), "NGN", BY, now))
    assert shop.wired.breaches() == []


def test_what_is_frozen_is_not_frozen_again_and_what_works_is_not_unfrozen(shop: Shop) -> None:
    with pytest.raises(BadInput, match="till LAG-1/1 is open"):
        till(shop, manage.unfreeze_till)
    with pytest.raises(BadInput, match="outlet LAG-1 is open"):
        outlet(shop, manage.unfreeze_outlet)
    stop_till(shop)
    stop_outlet(shop)
    with pytest.raises(BadInput, match="is frozen"):
        till(shop, manage.freeze_till)
    with pytest.raises(BadInput, match="is frozen"):
        outlet(shop, manage.freeze_outlet)


@pytest.mark.parametrize("name", ["LAG-1", "LAG-1/3", "LAG-1/", "LAG-2/1", "LAG-1/01", ""])
def test_a_till_that_is_not_there_is_named_as_such(shop: Shop, name: str) -> None:
    with pytest.raises(BadInput, match="no till with this name"):
        till(shop, manage.freeze_till, name)


def test_a_blank_reason_changes_nothing(shop: Shop) -> None:
    now = shop.wired.clock.now()
    with pytest.raises(BadInput, match="say why"):
        shop.wired.run(lambda c: manage.freeze_till(c, TILL, Deed(BY, " ", now)))
    assert shop.till().stand is Status.OPEN


def test_a_float_limit_holds_from_then_on_but_not_below_what_was_paid(shop: Shop) -> None:
    shop.shift()
    shop.pay("60.00")
    with pytest.raises(BadInput, match=r"paid 60\.00 already"):
        limit(shop, "59.99")
    with pytest.raises(BadInput, match="above zero"):
        limit(shop, "0.00")
    assert limit(shop, "70.00").float_limit == naira("70.00")
    assert shop.pay("10.01").answer == "float_limit"
    assert shop.pay("10.00").state == State.PAID
    assert shop.trail("till.limit") == ["70.00 instead of 1000.00: as agreed"]


def test_what_was_voided_is_not_held_against_a_lower_limit(shop: Shop) -> None:
    shop.shift()
    shop.void(shop.pay("60.00").reference)
    assert limit(shop, "10.00").float_limit == naira("10.00")
