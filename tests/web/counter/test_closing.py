"""Closing a till: counted blind, the variance afterwards, and a manager who decides about it."""

import pytest

from gateway.people.staff.store import Role
from tests.outlets.staging import naira
from tests.web.counter.desk import Desk, landed, words
from tests.web.staffed import source

COUNTER_PAGES = ("/counter", "/counter/today", "/counter/close")


def test_before_the_count_no_page_of_the_cashier_says_what_is_expected(desk: Desk) -> None:
    shift = desk.open(cash="500.00")
    desk.paid("61.50")
    for path in (*COUNTER_PAGES, f"/counter/shifts/{shift.id}"):
        answer = desk.cashier.get(path, follow_redirects=True)
        assert answer.status_code == 200
        assert "438.50" not in answer.text
        assert "43850" not in source(answer)
        assert "xpected" not in answer.text
    assert "61.50" not in desk.cashier.get("/counter/close").text


def test_a_right_count_closes_the_till_at_once(desk: Desk) -> None:
    shift = desk.open(cash="500.00")
    desk.paid("60.00")
    answer = desk.cashier.post("/counter/close", shift=str(shift.id), counts="0", counted="440.00")
    said = words(landed(answer, desk.cashier))
    assert "The till is closed." in said
    assert "Expected NGN 440.00 Counted NGN 440.00 Variance none" in said
    assert "Open a till" in words(desk.cashier.get("/counter"))
    assert desk.shop.owed() == naira("60.00")
    assert desk.wired.breaches() == []


def test_a_variance_waits_for_the_manager_who_accepts_it_with_a_reason(desk: Desk) -> None:
    shift = desk.open(cash="500.00")
    desk.paid("60.00")
    form = {"shift": str(shift.id), "counted": "430", "counts": "0"}
    said = words(landed(desk.cashier.post("/counter/close", **form), desk.cashier))
    assert "The count is not as expected. It waits for your manager" in said
    assert "Counted NGN 430.00" in said
    for hidden in ("10.00", "440.00", "60.00", "500.00", "Variance", "Expected"):
        assert hidden not in said
    assert "waits for your manager" in words(desk.cashier.get("/counter", follow_redirects=True))
    outlet = words(desk.manager.get("/counter/outlet"))
    assert "Counts that wait for you" in outlet
    assert "NGN 10.00 short Decide about till LAG-01/1" in outlet
    page = f"/counter/shifts/{shift.id}"
    blank = desk.manager.post(f"{page}/accept", counts="1", reason="  ")
    assert blank.status_code == 422
    assert "Say why: the reason is blank." in words(blank)
    closed = desk.manager.post(f"{page}/accept", counts="1", reason="a note was torn")
    said = words(landed(closed, desk.manager))
    assert "Accepted by Musa Bala Reason a note was torn" in said
    assert "The till is closed." in words(desk.cashier.get(page))
    assert desk.wired.breaches() == []


def test_a_count_sent_back_is_counted_anew_and_is_blind_again(desk: Desk) -> None:
    shift = desk.open(cash="500.00")
    desk.cashier.post("/counter/close", shift=str(shift.id), counts="0", counted="430")
    page = f"/counter/shifts/{shift.id}"
    answer = desk.manager.post(f"{page}/recount", counts="1", reason="count the coins too")
    assert answer.status_code == 303
    assert "Cash counted" in words(desk.cashier.get("/counter/close"))
    assert "xpected" not in desk.manager.get(page).text
    answer = desk.cashier.post("/counter/close", shift=str(shift.id), counts="1", counted="500")
    said = words(landed(answer, desk.cashier))
    assert "The new count is kept. It waits for your manager" in said
    assert "Variance none Counts 2" in words(desk.manager.get(page))
    desk.manager.post(f"{page}/accept", counts="2", reason="now it is right")
    assert "The till is closed." in words(desk.cashier.get(page))
    assert [line[1] for line in desk.staffed.trail("LAG-01/1")][-2:] == [
        "shift.accept",
        "shift.close",
    ]


def test_a_count_sent_twice_comes_back_to_its_result_and_another_changes_nothing(
    desk: Desk,
) -> None:
    shift = desk.open(cash="500.00")
    for counted in ("430", "430", "500", "many"):
        answer = desk.cashier.post(
            "/counter/close", shift=str(shift.id), counts="0", counted=counted
        )
        assert "Counted NGN 430.00" in words(landed(answer, desk.cashier))
    assert len(desk.shop.trail("shift.count")) == 1


@pytest.mark.parametrize("counted", ["", "-1", "1,000", "１２", "1e3", "0.001"])
def test_what_is_no_amount_is_said_beside_the_field(desk: Desk, counted: str) -> None:
    shift = desk.open()
    answer = desk.cashier.post("/counter/close", shift=str(shift.id), counts="0", counted=counted)
    assert answer.status_code == 422
    assert "An amount reads like 500 or 500.00." in words(answer)
    assert desk.shop.trail("shift.count") == []


def test_a_frozen_till_is_closed_as_ever(desk: Desk) -> None:
    shift = desk.open(cash="500.00")
    desk.paid("60.00")
    desk.shop.freeze(desk.shop.account())
    answer = desk.cashier.post("/counter/close", shift=str(shift.id), counts="0", counted="440")
    assert answer.status_code == 303
    assert desk.shop.stand(shift).state == "closed"
    assert desk.shop.owed() == naira("60.00")


def test_nobody_counts_or_decides_anothers_till(desk: Desk) -> None:
    shift = desk.open()
    other = desk.another("+2348030000055")
    answer = other.post("/counter/close", shift=str(shift.id), counts="0", counted="500")
    assert other.get(answer.headers["Location"]).status_code == 404
    assert other.get(f"/counter/shifts/{shift.id}").status_code == 404
    assert (
        other.post(f"/counter/shifts/{shift.id}/accept", counts="1", reason="x").status_code == 403
    )
    stranger = desk.another("+2348030000077", Role.MANAGER, outlet="ABJ-01")
    assert (
        stranger.post(f"/counter/shifts/{shift.id}/accept", counts="1", reason="x").status_code
        == 404
    )
    assert (
        desk.cashier.post("/counter/close", shift="x", counts="0", counted="1").status_code == 400
    )
    assert (
        desk.cashier.post("/counter/close", shift="9999", counts="0", counted="1").status_code
        == 303
    )
    assert desk.shop.stand(shift).state == "open"


def test_a_manager_does_not_decide_about_their_own_till(desk: Desk) -> None:
    shift = desk.shop.shift(desk.staffed.member(Role.MANAGER))
    desk.manager.post("/counter/close", shift=str(shift.id), counts="0", counted="1")
    assert "short" not in words(desk.manager.get("/counter/outlet"))
    page = f"/counter/shifts/{shift.id}"
    assert "Nobody accepts their own count" in words(desk.manager.get(page))
    answer = desk.manager.post(f"{page}/accept", counts="1", reason="fine")
    assert answer.status_code == 422
    assert "another manager must" in words(answer)
    assert desk.shop.stand(shift).state == "counted"
