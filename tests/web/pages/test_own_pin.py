"""Whoever has a PIN that somebody else set does nothing before they have chosen their own."""

import pytest

from gateway.people.staff.hands import DEMO
from gateway.people.staff.store import Role, staff
from tests.end_to_end.leaks import rows_of
from tests.web.routes import staff_routes
from tests.web.staffed import AREAS, PHONES, PIN, Staffed, Visitor, words

MUST = "Somebody else has set your PIN and can act in your name: choose your own first."
NEW_PIN = "6139"


def given(staffed: Staffed, role: Role, by: str = "staff:9:Boss") -> Visitor:
    """Somebody who has logged in with a PIN that another one gave them."""
    row = staffed.member(role).id
    changed = staff.update().where(staff.c.id == row).values(pin_set_by=by, founder=None)
    staffed.wired.run(lambda c: c.execute(changed).rowcount)
    visitor = staffed.visitor(AREAS[role])
    assert visitor.log_in(PHONES[role]).status_code == 303
    return visitor


@pytest.mark.parametrize("role", list(Role))
def test_every_page_leads_to_choosing_ones_own(staffed: Staffed, role: Role) -> None:
    visitor, way = given(staffed, role), f"{AREAS[role]}/pin"
    url = staffed.wired.gateway.settings.database_url
    before, elsewhere = sorted(rows_of(url)), {}
    for route in staff_routes(staffed.wired.app):
        if route.roles:
            form = {"csrf": visitor.form_key(), "reason": "x", "pin": PIN, "again": PIN}
            sent = visitor.client.open(route.path, method=route.method, data=form)
            if (sent.status_code, sent.headers.get("Location")) != (303, way):
                elsewhere[route.path] = sent.status_code
    assert elsewhere == {}
    assert sorted(rows_of(url)) == before
    page = visitor.get(way)
    assert (page.status_code, MUST in words(page)) == (200, True)
    assert f'value="{PHONES[role]}"' in page.text


@pytest.mark.parametrize("role", list(Role))
def test_who_has_chosen_their_own_goes_on(staffed: Staffed, role: Role) -> None:
    visitor, area = given(staffed, role), AREAS[role]
    form = {"phone": PHONES[role], "pin": PIN, "new": PIN, "again": PIN}
    assert "This is the PIN as it was." in words(visitor.refused(f"{area}/pin", **form))
    assert visitor.get(area).status_code == 303
    chosen = visitor.post(f"{area}/pin", **{**form, "new": NEW_PIN, "again": NEW_PIN})
    assert (chosen.status_code, chosen.headers["Location"]) == (303, area)
    assert visitor.get(area).status_code == 200
    assert MUST not in words(visitor.get(f"{area}/pin"))


def test_the_way_out_is_open_all_the_same(staffed: Staffed) -> None:
    visitor = given(staffed, Role.CASHIER)
    assert visitor.get("/counter/login").status_code == 303
    assert visitor.post("/counter/logout").headers["Location"] == "/counter/login"
    assert visitor.get("/counter/login").status_code == 200


def test_the_pins_that_the_demo_prints_are_nobodys_secret(staffed: Staffed) -> None:
    assert given(staffed, Role.CASHIER, DEMO).get("/counter").status_code == 200
    assert given(staffed, Role.ADMIN, DEMO).get("/console").status_code == 200


def test_the_first_two_operators_count_as_having_chosen(staffed: Staffed) -> None:
    staffed.hire(Role.CASHIER, "Ama", "+2348030000077", own=False)
    assert staffed.within(Role.OPERATOR).get("/console").status_code == 200
    visitor = staffed.visitor("/counter")
    visitor.log_in("+2348030000077")
    assert visitor.get("/counter").headers["Location"] == "/counter/pin"
