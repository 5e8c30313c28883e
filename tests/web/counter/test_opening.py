"""Opening a till: one of the cashier's outlet, with the cash that lies in its drawer."""

import re
from collections.abc import Callable

import pytest
from werkzeug.test import TestResponse

from gateway.people.staff.store import Role
from tests.outlets.staging import naira
from tests.web.counter.desk import Desk, landed, words

OTHER = "+2348030000055"


def test_a_cashier_without_a_till_is_asked_to_open_one_of_their_outlet(desk: Desk) -> None:
    said = words(desk.cashier.get("/counter"))
    assert "Open a till" in said
    assert f"{desk.shop.outlet}/1 {desk.shop.outlet}/2" in said
    assert "Digits of the token" not in said


def test_a_till_that_is_opened_is_paid_from_at_once(desk: Desk) -> None:
    till = str(desk.shop.till(2).id)
    answer = desk.cashier.post("/counter/shifts", till=till, cash=" 500 ")
    said = words(landed(answer, desk.cashier))
    assert f"Till {desk.shop.outlet}/2 NGN 0.00 paid out since 10:00, at most NGN 1,000.00" in said
    assert "Digits of the token" in said
    assert desk.open(till=2).opening_cash == naira("500.00")


def test_an_empty_drawer_is_an_opening_too(desk: Desk) -> None:
    till = str(desk.shop.till().id)
    assert desk.cashier.post("/counter/shifts", till=till, cash="0").status_code == 303
    assert desk.open().opening_cash == naira("0.00")


def test_a_form_sent_twice_opens_one_till(desk: Desk) -> None:
    till = str(desk.shop.till().id)
    for _ in range(2):
        assert desk.cashier.post("/counter/shifts", till=till, cash="20").status_code == 303
    assert desk.shop.trail("shift.open") == ["with 20.00"]


def opening_form(desk: Desk, cash: str = "500.00") -> Callable[[], TestResponse]:
    """The form as it is now, filled in: however often it is sent, it is the same one."""
    page = desk.cashier.get("/counter").text
    fields = dict(re.findall('name="(after-[0-9]+)" value="([0-9]+)"', page))
    assert len(fields) == 2
    till = str(desk.shop.till().id)
    return lambda: desk.cashier.post("/counter/shifts", till=till, cash=cash, **fields)


def test_a_form_sent_again_after_its_till_was_closed_opens_nothing(desk: Desk) -> None:
    send = opening_form(desk)
    assert send().status_code == 303
    assert desk.shop.count("500.00", desk.teller).state == "closed"
    answer = send()
    assert answer.status_code == 422
    assert f"Till {desk.shop.outlet}/1 was opened since: count its drawer again." in words(answer)
    assert 'name="cash" type="text" value=""' in answer.text
    assert len(desk.shop.trail("shift.open")) == 1
    assert opening_form(desk)().status_code == 303
    assert len(desk.shop.trail("shift.open")) == 2


def test_a_form_filled_in_before_somebody_else_had_the_till_opens_nothing(desk: Desk) -> None:
    send = opening_form(desk)
    other = desk.shop.member(OTHER)
    desk.shop.shift(other)
    assert desk.shop.count("500.00", other).state == "closed"
    assert send().status_code == 422
    assert len(desk.shop.trail("shift.open")) == 1


def test_two_clicks_on_one_form_open_one_till(desk: Desk) -> None:
    send = opening_form(desk)
    assert [send().status_code, send().status_code] == [303, 303]
    assert len(desk.shop.trail("shift.open")) == 1


# The till, the cash, and what is said beside the field.
REFUSED: tuple[tuple[str, str, str], ...] = (
    ("", "20", "Choose a till."),
    ("one", "20", "Choose a till."),
    ("١", "20", "Choose a till."),
    ("999", "20", "There is no such till."),
    ("1", "1,000", "An amount reads like 500 or 500.00."),
    ("1", "-5", "An amount reads like 500 or 500.00."),
    ("1", "", "An amount reads like 500 or 500.00."),
    ("1", "٥", "An amount reads like 500 or 500.00."),
    ("1", "1e3", "An amount reads like 500 or 500.00."),
)


@pytest.mark.parametrize(("till", "cash", "said"), REFUSED)
def test_what_is_no_till_or_no_cash_is_said_beside_its_field(
    desk: Desk, till: str, cash: str, said: str
) -> None:
    chosen = str(desk.shop.till().id) if till == "1" else till
    answer = desk.cashier.post("/counter/shifts", till=chosen, cash=cash)
    assert answer.status_code == 422
    assert said in words(answer)
    assert desk.shop.trail("shift.open") == []


def test_a_till_that_somebody_else_has_is_not_offered_and_not_given(desk: Desk) -> None:
    desk.open()
    other = desk.another(OTHER)
    assert f"{desk.shop.outlet}/1" not in words(other.get("/counter"))
    answer = other.post("/counter/shifts", till=str(desk.shop.till().id), cash="0")
    assert answer.status_code == 422
    assert f"Till {desk.shop.outlet}/1 is Chika Obi's until it is closed." in words(answer)


def test_a_till_of_another_outlet_is_nobodys_here(desk: Desk) -> None:
    stranger = desk.another(OTHER, outlet="ABJ-01")
    assert "Your outlet “ABJ-01” is not set up yet." in words(stranger.get("/counter"))
    answer = stranger.post("/counter/shifts", till=str(desk.shop.till().id), cash="0")
    assert answer.status_code == 422
    assert desk.shop.trail("shift.open") == []


def test_when_every_till_is_taken_the_page_says_so(desk: Desk) -> None:
    desk.open()
    desk.shop.shift(desk.shop.member(OTHER), till=2)
    third = desk.another("+2348030000056")
    assert "No till of Shop LAG-01 is free." in words(third.get("/counter"))


def test_a_manager_pays_only_with_a_till_of_their_own(desk: Desk) -> None:
    said = words(desk.manager.get("/counter"))
    assert "You pay only with a till of your own." in said
    answer = desk.manager.post("/counter/payments", entry=desk.wired.issue().reveal())
    assert answer.status_code == 422
    assert "Your till is not open" in words(answer)
    desk.shop.shift(desk.staffed.member(Role.MANAGER))
    assert "Digits of the token" in words(desk.manager.get("/counter"))
