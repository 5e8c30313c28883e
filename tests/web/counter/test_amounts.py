"""Amounts on pages have their thousands apart; what is typed has none, and is read back so."""

from decimal import Decimal

import pytest
from playwright.sync_api import expect

from gateway.formats import money
from gateway.people.staff.store import Role
from tests.support.wired import ADA
from tests.web.counter.desk import Desk, words
from tests.web.counter.window import Front

TAKES = "Digits and a point, no commas: such as 72 or 72.90."
# What is typed, and how it is read back.
READ: tuple[tuple[str, str], ...] = (
    ("", ""),
    ("7", "That is 7.00."),
    ("1250000", "That is 1,250,000.00."),
    ("0001500.5", "That is 1,500.50."),
    ("1500.", ""),
    ("1,500", "Leave the commas out."),
    ("1500.505", "Digits and a point alone, such as 72.90."),
    ("1e3", "Digits and a point alone, such as 72.90."),
    ("999999999999999.99", "That is 999,999,999,999,999.99."),
)


def test_pages_group_what_the_phone_and_the_sms_do_not(desk: Desk) -> None:
    desk.open("20000.00")
    issued = desk.wired.issue("1250000.00", ADA, deliver=True)
    desk.wired.send_all()
    page = desk.cashier.get(desk.shown(issued.reveal()))
    assert "Pay NGN 1,250,000.00" in words(page)
    assert "1250000.00" not in words(page)
    operator = desk.staffed.within(Role.OPERATOR)
    assert "NGN 1,250,000.00" in words(operator.get(f"/console/tokens/{issued.serial}"))
    assert "NGN 1250000.00" in desk.wired.gateway.inbox(ADA)[0].text
    assert "NGN 1250000.00" in desk.wired.dial(text="3*1").body


def test_a_field_says_what_it_takes_and_takes_no_commas(desk: Desk) -> None:
    desk.open("500.00")
    assert TAKES in words(desk.cashier.get("/counter/close"))
    shift = str(desk.open().id)
    answer = desk.cashier.post("/counter/close", shift=shift, counts="0", counted="1,500.00")
    assert answer.status_code == 422
    assert "An amount reads like 500 or 500.00." in words(answer)
    assert 'value="1,500.00"' in answer.text


@pytest.mark.parametrize("amount", ["0.00", "999.99", "1000.00", "-1234567.80"])
def test_an_amount_kept_as_text_is_grouped_as_a_number_is(amount: str) -> None:
    number = Decimal(amount)
    assert money.grouped(number).replace(",", "") == amount
    if number >= 0:
        assert money.regrouped(amount) == money.grouped(number)


def test_an_amount_is_read_back_while_it_is_typed(one_front: Front) -> None:
    one_front.desk.open()
    window = one_front.window()
    window.open("/counter/close")
    for typed, said in READ:
        window.page.fill("#counted", typed)
        expect(window.page.locator("#counted-reads")).to_have_text(said)
