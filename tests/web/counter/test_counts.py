"""Counts on the pages: a word about the one on the page, and one made in another's stead."""

from gateway.people.staff.store import Role
from tests.outlets.staging import naira
from tests.web.counter.desk import Desk, landed, words


def field(page: str, name: str) -> str:
    """What a hidden field holds."""
    return page.partition(f'name="{name}" value="')[2].partition('"')[0]


def test_a_button_of_an_older_page_accepts_nothing_else(desk: Desk) -> None:
    shift = desk.open("500.00")
    form = {"shift": str(shift.id)}
    desk.cashier.post("/counter/close", **form, counts="0", counted="495")
    path = f"/counter/shifts/{shift.id}"
    page = desk.manager.get(path)
    assert "5.00 short" in words(page)
    seen = field(page.text, "counts")
    other = desk.another("+2348030000055", Role.MANAGER)
    other.post(f"{path}/recount", counts=seen, reason="count again")
    counts = field(desk.cashier.get("/counter/close").text, "counts")
    desk.cashier.post("/counter/close", **form, counts=counts, counted="1")
    for action in ("accept", "recount"):
        for stale in ({"counts": seen}, {}, {"counts": "x"}):
            answer = desk.manager.post(f"{path}/{action}", **stale, reason="5 is fine, coins")
            assert answer.status_code == 422
            said = words(answer)
            assert "The drawer was counted anew since you looked: look at the new count." in said
            assert "499.00 short" in said
    assert desk.shop.stand(shift).state == "counted"
    fresh = field(desk.manager.get(path).text, "counts")
    assert desk.manager.post(f"{path}/accept", counts=fresh, reason="seen").status_code == 303
    assert desk.shop.stand(shift).accepted_reason == "seen"


def test_a_manager_counts_the_till_of_one_who_left(desk: Desk) -> None:
    shift = desk.open("500.00")
    desk.paid("60.00")
    desk.shop.dismiss(desk.teller)
    path = f"/counter/shifts/{shift.id}"
    page = desk.manager.get(path)
    assert "Count it yourself, if Chika Obi is not there" in words(page)
    form = {"counts": field(page.text, "counts"), "counted": "439"}
    refused = desk.manager.post(f"{path}/count", **form, reason=" ")
    assert refused.status_code == 422
    assert "Say why: the reason is blank." in words(refused)
    refused = desk.manager.post(f"{path}/count", counts="0", counted="many", reason="left")
    assert "An amount reads like 500 or 500.00." in words(refused)
    answers = [desk.manager.post(f"{path}/count", **form, reason="she left") for _ in range(2)]
    first, said = (words(landed(answer, desk.manager)) for answer in answers)
    assert first == said
    assert "NGN 1.00 short Counted by Musa Bala" in said
    assert "You made this count: another manager accepts it, or an operator." in said
    assert "Accept the variance" not in said
    assert desk.shop.trail("shift.count_for") == ["variance -1.00: she left"]
    other = desk.another("+2348030000055", Role.MANAGER)
    other.post(f"{path}/accept", counts="1", reason="a note was torn")
    assert desk.shop.owed() == naira("60.00")
    assert desk.wired.breaches() == []
