"""What a long list shows first never pushes out what waits, and its end can be reached."""

import re

import pytest

from gateway.outlets import counter
from gateway.people.staff.store import Role
from gateway.web.console import reading
from gateway.web.counter import outlet, shift
from tests.support.wired import BELLO
from tests.web.counter.desk import OUTLET, Desk, words
from tests.web.staffed import Visitor


def every(visitor: Visitor, path: str, pattern: str) -> list[str]:
    """What is found on a list's pages, from the first one to the last."""
    found: list[str] = []
    for _ in range(9):
        page = visitor.get(path).text
        found += dict.fromkeys(re.findall(pattern, page))
        way = re.search(r'href="([^"]*)">(?:Older ones|Next page)', page)
        if way is None:
            return found
        path = way[1].replace("&amp;", "&")
    raise AssertionError("the list has no end")


def test_a_count_waits_on_the_managers_page_however_many_shifts_follow(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counter, "LISTED_MAX", 2)
    desk.open("500.00")
    desk.shop.count("400", desk.teller)
    other = desk.shop.member("+2348030000077")
    for _ in range(3):
        desk.shop.shift(other, 2, "1.00")
        desk.shop.count("1.00", other)
    said = words(desk.manager.get("/counter/outlet"))
    assert "Counts that wait" in said
    assert f"{OUTLET}/1 free" not in said
    monkeypatch.setattr(outlet, "ROWS", 1)
    closed = every(desk.manager, "/counter/outlet", r'class="whole" href="/counter/shifts/(\d+)"')
    assert closed == ["4", "3", "2"]


def test_a_shifts_payments_are_all_listed_page_by_page(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shift, "ROWS", 2)
    at = desk.open()
    paid = [desk.shop.pay("1.00", desk.teller).reference for _ in range(5)]
    seen = every(desk.manager, f"/counter/shifts/{at.id}", "/counter/payments/([0-9a-f]{16})")
    assert seen == paid[::-1]


def test_all_that_was_redeemed_later_can_be_read(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outlet, "ROWS", 2)
    monkeypatch.setattr(reading, "ROWS_MAX", 2)
    desk.open()
    issued = [desk.wired.issue("5.00") for _ in range(3)]
    for one in issued:
        desk.cashier.post(f"{desk.shown(one.reveal())}/decline")
        desk.wired.redeem(one.reveal(), BELLO)
    serials = [one.serial for one in issued][::-1]
    found = every(desk.manager, "/counter/outlet/later", "|".join(serials))
    assert found == serials
    operator = desk.staffed.within(Role.OPERATOR)
    assert every(operator, f"/console/outlets/{OUTLET}", "|".join(serials)) == serials


def test_the_office_reads_all_open_shifts_page_by_page(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "ROWS_MAX", 1)
    desk.open()
    desk.shop.shift(desk.shop.member("+2348030000077"), 2)
    operator = desk.staffed.within(Role.OPERATOR)
    found = every(operator, "/console/outlets", rf"{OUTLET}/tills/(\d)")
    assert found == ["2", "1"]


def test_cash_that_is_not_what_was_left_is_seen_by_manager_and_office(desk: Desk) -> None:
    desk.open("500.00")
    desk.shop.count("500.00", desk.teller)
    begun = desk.open("20.00")
    assert "began with NGN 480.00 less than was left" in words(desk.manager.get("/counter/outlet"))
    page = words(desk.manager.get(f"/counter/shifts/{begun.id}"))
    assert "Left by the shift before NGN 500.00 differs" in page
    operator = desk.staffed.within(Role.OPERATOR)
    assert "Shifts that began with other cash than was left" in words(operator.get("/console"))
    said = words(operator.get("/console/outlets"))
    assert f"{OUTLET}/1 Chika Obi 500.00 20.00" in said
