"""What a cashier has paid today, and what a manager sees of the outlet."""

import pytest

from gateway.people.staff.store import Role
from gateway.web.counter import outlet, today
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO
from tests.web.counter.desk import Desk, words
from tests.web.staffed import PHONES, PIN


def test_todays_list_adds_up_what_was_paid_and_taken_back(desk: Desk) -> None:
    desk.open()
    first = desk.paid("60.00")
    desk.paid("40.50")
    taken = {"reason": "empty", "manager": PHONES[Role.MANAGER], "pin": PIN}
    desk.cashier.post(f"{first}/void", **taken)
    said = words(desk.cashier.get("/counter/today"))
    assert "Paid out 1 NGN 40.50" in said
    assert "Taken back 1 NGN 60.00" in said
    assert "Times are those of Africa/Lagos." in said


def test_the_list_outlives_the_till_and_ends_with_the_day(desk: Desk, clock: SteppedClock) -> None:
    desk.open(cash="500.00")
    desk.paid("60.00")
    desk.shop.count("440.00", desk.teller)
    assert "Paid out 1 NGN 60.00" in words(desk.cashier.get("/counter/today"))
    clock.advance(hours=15)
    desk.come_in()
    assert "None yet." in words(desk.cashier.get("/counter/today"))


def test_a_shift_over_midnight_is_listed_whole(desk: Desk, clock: SteppedClock) -> None:
    clock.advance(hours=13, minutes=30)  # 23:30 in Lagos
    desk.come_in()
    desk.open()
    desk.paid("60.00")
    clock.advance(hours=1)
    desk.come_in()
    said = words(desk.cashier.get("/counter/today"))
    assert "2 Mar 2026 23:30" in said
    assert "Paid out 1 NGN 60.00" in said


def test_a_long_list_is_read_page_by_page(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(today, "ROWS", 2)
    desk.open()
    serials = [desk.shop.pay(f"{n}.00", desk.teller).serial for n in range(1, 6)]
    path, seen = "/counter/today", []
    for size in (2, 2, 1):
        page = desk.cashier.get(path)
        rows = [serial for serial in reversed(serials) if serial in page.text]
        assert len(rows) == size
        assert "Paid out 5 NGN 15.00" in words(page)
        seen += rows
        path = page.text.partition('href="/counter/today?')[2].partition('"')[0]
        path = f"/counter/today?{path}"
    assert seen == serials[::-1]


@pytest.mark.parametrize("before", ["x", "-1", "99999999999999999999", "'"])
def test_an_odd_place_in_a_list_is_no_fault(desk: Desk, before: str) -> None:
    for path, visitor in (("today", desk.cashier), ("outlet", desk.manager)):
        assert visitor.get(f"/counter/{path}", query_string={"before": before}).status_code == 200


def test_the_manager_sees_every_till_with_its_shift_and_limit(desk: Desk) -> None:
    desk.open(cash="500.00")
    desk.paid("60.00")
    said = words(desk.manager.get("/counter/outlet"))
    assert "Shop LAG-01 LAG-01 · settles to GB00BANK1" in said
    assert "LAG-01/1 open Chika Obi, since 10:00 NGN 60.00 of NGN 1,000.00" in said
    assert "LAG-01/2 free at most NGN 1,000.00" in said
    assert "None yet. A shift appears here once its cash was counted and accepted." in said
    assert "440.00" not in said


def test_closed_shifts_are_listed_newest_first_page_by_page(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outlet, "ROWS", 2)
    shifts = []
    for _ in range(3):
        shifts.append(desk.open(cash="0.00").id)
        desk.shop.count("0.00", desk.teller)
    page = desk.manager.get("/counter/outlet").text
    assert [n for n in shifts if f"/counter/shifts/{n}" in page] == shifts[1:]
    older = desk.manager.get(f"/counter/outlet?before={shifts[1]}").text
    assert [n for n in shifts if f"/counter/shifts/{n}" in older] == shifts[:1]


def test_a_shifts_page_shows_the_manager_its_payments(desk: Desk) -> None:
    shift = desk.open()
    path = desk.paid("60.00")
    assert f'href="{path}"' in desk.manager.get(f"/counter/shifts/{shift.id}").text


def test_a_token_not_paid_here_and_redeemed_later_is_reported_to_the_manager(desk: Desk) -> None:
    desk.open()
    issued, own = desk.wired.issue("60.00"), desk.wired.issue("70.00")
    for one in (issued, own):
        desk.cashier.post(f"{desk.shown(one.reveal())}/decline")
    desk.paid("80.00")
    assert "None." in words(desk.manager.get("/counter/outlet/later"))
    desk.wired.redeem(issued.reveal(), BELLO)
    desk.wired.redeem(own.reveal(), PHONES[Role.CASHIER])
    page = desk.manager.get("/counter/outlet/later")
    said = words(page)
    assert f"Chika Obi, till LAG-01/1 {issued.serial} NGN 60.00 10:00 phone" in said
    assert "the cashier's own phone" in said
    assert "80.00" not in said
    assert BELLO not in page.text
    assert ADA not in page.text


@pytest.mark.parametrize("path", ["/counter/outlet", "/counter/outlet/later"])
def test_the_outlet_is_its_managers_alone(desk: Desk, path: str) -> None:
    assert desk.cashier.get(path).status_code == 403
    stranger = desk.another("+2348030000077", Role.MANAGER, outlet="ABJ-01")
    answer = stranger.get(path)
    assert answer.status_code == 404
    assert "Your outlet “ABJ-01” is not set up: ask an operator" in words(answer)
