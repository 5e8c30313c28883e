"""Refunds of what a counter has paid: its till's while the shift is open, its outlet's after."""

import pytest
from sqlalchemy import Connection

from gateway.ledger import store as ledger_store
from gateway.ledger.limits import Stopped
from gateway.ledger.store import Account
from gateway.outlets.payments.store import State
from gateway.outlets.shifts.store import State as ShiftState
from tests.disputes.staging import ASKER, Office
from tests.outlets.staging import BIM, Shop, naira
from tests.support.races import race


@pytest.fixture
def shop(office: Office) -> Shop:
    """An outlet with two tills."""
    return Shop(office.wired).open()


def test_an_open_shift_gives_back_what_it_has_paid(office: Office, shop: Shop) -> None:
    shop.shift()
    paid = shop.pay("60.00")
    office.refund(office.open(paid.serial), "25.00")
    assert (shop.account().balance, shop.owed()) == (naira("35.00"), naira("0.00"))
    (line,) = shop.trail("till.refund")
    assert line.startswith(f"25.00 for {paid.serial}, dispute ")
    shift = shop.count("440.00")
    assert (shift.state, shop.owed()) == (ShiftState.CLOSED, naira("35.00"))
    assert shop.trail("shift.close") == ["paid 60.00, moved 35.00"]
    assert office.wired.breaches() == []


def test_a_refund_of_a_closed_shift_is_the_outlets_and_leaves_the_next_cashier_alone(
    office: Office, shop: Shop
) -> None:
    shop.shift()
    old = shop.pay("60.00")
    shop.count("440.00")
    bim = shop.member(BIM)
    shift = shop.shift(bim)
    mine = shop.pay("100.00", bim)
    office.refund(office.open(old.serial), "60.00")
    assert (shop.account().balance, shop.owed()) == (naira("100.00"), naira("0.00"))
    assert shop.void(mine.reference).state == State.VOIDED
    assert shop.trail("till.refund") == []
    (line,) = shop.trail("outlet.refund")
    assert line.startswith(f"60.00 for {old.serial}, dispute ")
    shop.count("500.00", bim)
    assert shop.stand(shift).variance == naira("0.00")
    assert office.wired.breaches() == []


def test_a_shift_that_waits_for_its_manager_still_has_its_money(office: Office, shop: Shop) -> None:
    shop.shift()
    paid = shop.pay("60.00")
    counted = shop.count("400.00")
    office.refund(office.open(paid.serial), "60.00")
    assert shop.account().balance == naira("0.00")
    shop.accept(counted)
    assert shop.owed() == naira("0.00")
    assert office.wired.breaches() == []


def test_what_a_shift_did_not_give_back_its_outlet_does(office: Office, shop: Shop) -> None:
    shop.shift()
    paid = shop.pay("60.00")
    office.refund(office.open(paid.serial), "10.00")
    shop.count("440.00")
    office.refund(office.open(paid.serial), "20.00")
    assert shop.owed() == naira("30.00")
    assert office.wired.breaches() == []


def test_a_frozen_outlet_is_not_pressed_and_the_house_pays(office: Office, shop: Shop) -> None:
    shop.shift()
    paid = shop.pay("60.00")
    shop.count("440.00")
    account = office.wired.run(lambda c: outlet_account(c, shop))
    shop.freeze(account)
    dispute, now = office.open(paid.serial), office.wired.clock.now()
    number = office.ask(dispute)
    with pytest.raises(Stopped):
        office.approve(number)
    office.wired.run(lambda c: office.approvals.refuse(c, number, ASKER, "frozen", now))
    assert shop.owed() == naira("60.00")
    assert office.wired.breaches() == []


@pytest.mark.parametrize("round_number", range(3))
def test_a_refund_and_the_close_of_its_shift_at_once_agree_on_who_has_the_money(
    office: Office, shop: Shop, round_number: int
) -> None:
    shop.shift()
    paid = shop.pay("60.00")
    number = office.ask(office.open(paid.serial), "20.00")

    def act(which: int) -> object:
        return shop.count("440.00") if which == round_number % 2 else office.approve(number)

    assert [one for one in race(2, act) if isinstance(one, Exception)] == []
    assert (shop.account().balance, shop.owed()) == (naira("0.00"), naira("40.00"))
    assert len(shop.trail("till.refund") + shop.trail("outlet.refund")) == 1
    assert office.wired.breaches() == []


def outlet_account(connection: Connection, shop: Shop) -> Account:
    """Where the money of closed shifts is."""
    return ledger_store.by_id(connection, shop.outlet_row(connection).account_id)
