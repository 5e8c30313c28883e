"""6 Cashier, the till: opened once, counted blind, closed with its difference told."""

from decimal import Decimal

import pytest
from sqlalchemy import update

from gateway.outlets import manage
from gateway.outlets.shifts.store import Shift, State
from gateway.outlets.store import tills
from tests.menus.paying import NONE, opened, paid
from tests.outlets.staging import AMA, BIM, BY, CODE, MUSA, Shop
from tests.support.wired import Wired

MENU = "CON Cashier no till open\n6 Open a till\n0 Back"


def shift_of(shop: Shop, phone: str = AMA) -> Shift | None:
    """A cashier's shift that is not closed."""
    member = shop.member(phone)
    return shop.wired.run(lambda c: shop.counter.shift_of(c, member.id))


def closed(wired: Wired, cash: str) -> str:
    """Count the drawer and confirm."""
    return wired.dial(AMA, text=f"6*5*{cash}").send("1")


def test_without_a_till_one_can_only_be_opened(wired: Wired) -> None:
    shop = Shop(wired).open()
    shop.member()
    call = wired.dial(AMA)
    assert call.send("6") == MENU
    assert call.send("1").startswith("CON Invalid choice.\n")
    assert call.send("6") == "CON Open which till?\n1 LAG-1/1\n2 LAG-1/2\n0 Back 00 Home"
    assert call.send("2") == (
        "CON How much cash is in the drawer of till LAG-1/2? If none, enter 000.\n0 Back 00 Home"
    )
    assert call.send("500") == ("CON Open till LAG-1/2 with NGN 500.00?\n1 Confirm\n0 Back 00 Home")
    assert shift_of(shop) is None
    assert call.send("1") == "END Till LAG-1/2 is open with NGN 500.00."
    shift = shift_of(shop)
    assert shift is not None
    assert (shift.till, shift.opening_cash) == ("LAG-1/2", Decimal("500.00"))
    assert wired.dial(AMA, text="6").body.startswith("CON Cashier LAG-1/2\n1 Pay token")


def test_a_call_that_waits_opens_no_till_with_the_cash_of_then(wired: Wired) -> None:
    shop = Shop(wired).open()
    cashier = shop.member()
    call = wired.dial(AMA, text="6*6*1*500")
    assert call.body.startswith("CON Open till LAG-1/1 with NGN 500.00?")
    shop.shift(cashier, cash="500.00")  # meanwhile, on the page
    shop.count("480.00")
    assert shop.accept(shop.stand(shift_of(shop) or shop.shift())).state == State.CLOSED
    asked = "CON How much cash is in the drawer of till LAG-1/1? If none, enter 000.\n"
    assert call.send("1").startswith(asked)
    assert shift_of(shop) is None
    call.send("480")
    assert call.send("1") == "END Till LAG-1/1 is open with NGN 480.00."


def test_an_empty_drawer_is_cash_too(wired: Wired) -> None:
    shop = Shop(wired).open()
    shop.member()
    assert wired.dial(AMA, text="6*6*1*000").send("1") == "END Till LAG-1/1 is open with NGN 0.00."
    assert closed(wired, "000") == (
        "END Till LAG-1/1 is closed. Counted NGN 0.00, difference NGN 0.00."
    )
    assert shift_of(shop) is None


@pytest.mark.parametrize("entry", ["-5", "1e3", "abc", "0.001", "1,000", "NaN", ""])
@pytest.mark.parametrize("way", ["6*6*1", "6*5"])
def test_what_is_no_amount_is_asked_again(wired: Wired, entry: str, way: str) -> None:
    shop = Shop(wired).open()
    shop.member()
    if way == "6*5":
        shop.shift()
    call = wired.dial(AMA, text=way)
    assert call.send(entry).startswith("CON An amount reads like 500 or 500.00.\n")


def test_a_till_that_somebody_takes_meanwhile_is_not_opened(wired: Wired) -> None:
    shop = Shop(wired).open()
    shop.member()
    call = wired.dial(AMA, text="6*6*1*500")
    shop.shift(shop.member(BIM))
    assert call.send("1") == (
        "END Till LAG-1/1 cannot be opened now: somebody else has it, or it is not used any more."
    )
    assert wired.dial(AMA, text="6*6").body == ("CON Open which till?\n1 LAG-1/2\n0 Back 00 Home")


def test_a_till_that_is_not_used_any_more_is_not_opened(wired: Wired) -> None:
    shop = Shop(wired).open(tills=1)
    shop.member()
    call = wired.dial(AMA, text="6*6*1*500")
    wired.run(lambda c: c.execute(update(tills).values(status="closed")).rowcount)
    assert call.send("1").startswith("END Till LAG-1/1 cannot be opened now:")
    assert wired.dial(AMA, text="6*6").body.startswith("CON No till is free.\nCashier")


def test_who_has_a_till_open_opens_no_second_one(wired: Wired) -> None:
    shop = Shop(wired).open()
    shop.member()
    first, second = wired.dial(AMA, text="6*6*1*500"), wired.dial(AMA, text="6*6*2*300")
    assert first.send("1") == "END Till LAG-1/1 is open with NGN 500.00."
    assert second.send("1") == "END You have till LAG-1/1 open already. Close it first."
    assert first.post(first.text) == "END Till LAG-1/1 is open with NGN 500.00."


def test_a_member_of_no_outlet_is_told_so(wired: Wired) -> None:
    shop = Shop(wired).open()
    shop.member(outlet="NOWHERE")
    assert wired.dial(AMA, text="6*6").body == (
        "END You work at no outlet yet. Please ask the office."
    )


def test_only_tills_of_ones_own_outlet_are_offered(wired: Wired) -> None:
    shop = Shop(wired).open(tills=1)
    now = wired.clock.now()
    wired.run(lambda c: manage.create_outlet(c, "ABJ-1", "Abuja", "BANK", "NGN", BY, now))
    wired.run(lambda c: manage.create_till(c, "ABJ-1", Decimal("9.00"), "NGN", BY, now))
    shop.member()
    assert wired.dial(AMA, text="6*6").body == (f"CON Open which till?\n1 {CODE}/1\n0 Back 00 Home")


def test_the_right_count_closes_the_till_and_owes_the_outlet(wired: Wired) -> None:
    shop = opened(wired, cash="500.00")
    paid(wired, "60.00")
    call = wired.dial(AMA, text="6*5")
    assert call.body == (
        "CON Close till LAG-1/1: count the cash in its drawer and enter the sum. If none, enter"
        " 000.\n0 Back 00 Home"
    )
    assert call.send("440") == (
        "CON You counted NGN 440.00. Close till LAG-1/1? Nothing can be paid after that.\n"
        "1 Confirm\n0 Back 00 Home"
    )
    assert call.send("1") == (
        "END Till LAG-1/1 is closed. Counted NGN 440.00, difference NGN 0.00."
    )
    assert (shop.account().balance, shop.owed()) == (NONE, Decimal("60.00"))
    assert wired.dial(AMA, text="6").body == MENU
    assert wired.breaches() == []


def test_a_wrong_count_waits_for_a_manager(wired: Wired) -> None:
    shop = opened(wired, cash="500.00")
    shift = shift_of(shop)
    assert shift is not None
    paid(wired, "60.00")
    waits = (
        "END Till LAG-1/1: counted NGN 430.00. Your manager must accept it. Nothing is paid until"
        " then."
    )
    assert closed(wired, "430") == waits
    assert shop.owed() == 0
    assert wired.dial(AMA, text="6*5").body == waits
    assert shop.accept(shop.stand(shift)).state == State.CLOSED
    assert (shop.account().balance, shop.owed()) == (NONE, Decimal("60.00"))
    assert wired.breaches() == []


def test_a_count_that_is_sent_back_is_counted_anew(wired: Wired) -> None:
    shop = opened(wired)
    shift = shift_of(shop)
    assert shift is not None
    assert closed(wired, "430").startswith("END Till LAG-1/1: counted NGN 430.00")
    shop.send_back(shop.stand(shift))
    older = wired.dial(AMA, text="6*5*500")
    assert closed(wired, "500") == (
        "END Till LAG-1/1: counted NGN 500.00. Your manager must accept it. Nothing is paid until"
        " then."
    )
    shop.send_back(shop.stand(shift))
    assert older.send("1").startswith("CON Close till LAG-1/1: count the cash")
    assert shop.stand(shift).state == State.OPEN


def test_a_second_count_from_an_older_call_changes_nothing(wired: Wired) -> None:
    shop = opened(wired)
    first, second = wired.dial(AMA, text="6*5*430"), wired.dial(AMA, text="6*5*500")
    waits = first.send("1")
    assert waits.startswith("END Till LAG-1/1: counted NGN 430.00. Your manager")
    assert second.send("1") == waits
    shift = shift_of(shop)
    assert shift is not None
    assert (shift.state, shift.counted_cash) == (State.COUNTED, Decimal("430.00"))


def test_a_manager_has_a_till_of_their_own_but_accepts_nothing_of_it(wired: Wired) -> None:
    shop = Shop(wired).open()
    shop.manager()
    assert wired.dial(MUSA, text="6*6*1*100").send("1").startswith("END Till LAG-1/1 is open")
    paid(wired, "60.00", MUSA)
    call = wired.dial(MUSA, text="6*5*30")
    assert call.send("1").startswith("END Till LAG-1/1: counted NGN 30.00. Your manager")
    assert shop.owed() == 0
