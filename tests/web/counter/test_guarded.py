"""The counter's forms are taken from its own pages and from whoever still works here, alone."""

import pytest

from gateway.outlets.payments.store import State
from gateway.people.staff.store import Role
from tests.outlets.staging import naira
from tests.web.counter.desk import Desk, words
from tests.web.staffed import PHONES, PIN, source


def forms(desk: Desk) -> list[tuple[str, dict[str, str]]]:
    """Every form of the counter, filled in well."""
    shift, path = desk.open(), desk.found()
    manager = {"manager": PHONES[Role.MANAGER], "pin": PIN, "reason": "x"}
    return [
        ("/counter/payments", {"entry": desk.wired.issue().reveal()}),
        (f"{path}/confirm", {}),
        (f"{path}/decline", {}),
        (f"{path}/void", manager),
        (f"{path}/resend", {}),
        ("/counter/close", {"shift": str(shift.id), "counted": "500", "counts": "0"}),
        (f"/counter/shifts/{shift.id}/accept", {"reason": "x"}),
        (f"/counter/shifts/{shift.id}/recount", {"reason": "x"}),
        (f"/counter/shifts/{shift.id}/count", {"reason": "x"}),
        ("/counter/shifts", {"till": str(desk.shop.till(2).id), "cash": "1"}),
    ]


@pytest.mark.parametrize("key", [None, "", "0" * 64, "é"])
def test_a_form_without_its_key_is_refused_and_changes_nothing(desk: Desk, key: str | None) -> None:
    all_forms = forms(desk)
    before = desk.shop.stand(desk.open())
    for path, fields in all_forms:
        data = fields if key is None else {**fields, "csrf": key}
        for visitor in (desk.cashier, desk.manager):
            answer = visitor.client.post(path, data=data)
            if path.endswith("/void"):  # no reload sends its PIN again
                assert (answer.status_code, answer.location) == (303, path.removesuffix("/void"))
                answer = visitor.get(answer.headers["Location"])
            assert answer.status_code == 403
            assert "This form was not from this session." in words(answer)
    assert desk.shop.stand(before) == before
    assert desk.shop.account().balance == naira("0.00")
    assert desk.shop.trail("shift.open") == ["with 500.00"]


def test_the_key_of_somebody_elses_form_is_none(desk: Desk) -> None:
    desk.open()
    path = desk.found()
    key = desk.manager.form_key()
    assert desk.cashier.client.post(f"{path}/confirm", data={"csrf": key}).status_code == 403


def test_a_cashier_who_is_dismissed_with_an_open_page_does_nothing_any_more(desk: Desk) -> None:
    all_forms, key = forms(desk), desk.cashier.form_key()
    desk.shop.dismiss(desk.teller)
    for path, fields in all_forms:
        answer = desk.cashier.client.post(path, data={"csrf": key, **fields})
        assert answer.status_code == 303
        assert answer.headers["Location"].startswith("/counter/login")
    assert desk.shop.account().balance == naira("0.00")
    assert desk.cashier.get("/counter").status_code == 303


def test_a_cashier_who_was_moved_to_another_outlet_pays_nothing_here(desk: Desk) -> None:
    desk.open()
    path = desk.found()
    desk.move(desk.teller, "ABJ-01")
    answer = desk.cashier.post(f"{path}/confirm")
    assert answer.status_code == 404
    assert desk.shop.payment(path.rsplit("/", 1)[-1]).state == State.SHOWN


def test_a_planted_cookie_is_worth_nothing_after_the_login(desk: Desk) -> None:
    planted = desk.staffed.visitor("/counter")
    planted.get("/counter/login")
    victim = desk.staffed.visitor("/counter")
    victim.cookie = planted.cookie
    assert victim.log_in(PHONES[Role.CASHIER]).status_code == 303
    assert victim.get("/counter").status_code == 200
    assert planted.get("/counter").status_code == 303


def test_an_operator_is_not_let_in_at_the_counter(desk: Desk) -> None:
    operator = desk.staffed.within(Role.OPERATOR)
    shift = desk.open()
    for path in ("/counter", "/counter/today", "/counter/close", f"/counter/shifts/{shift.id}"):
        assert operator.get(path).status_code == 403


def test_no_page_repeats_the_digits_that_were_typed(desk: Desk) -> None:
    desk.open()
    digits = desk.wired.issue().reveal()
    path = desk.shown(digits)
    desk.confirm(path)
    pages = [desk.look_up(digits), desk.cashier.get(path), desk.cashier.get("/counter/today")]
    pages.append(desk.look_up("902100000000000014"))
    for page in pages:
        assert digits not in page.text
        assert digits[:6] not in source(page)
        assert "902100" not in source(page)
