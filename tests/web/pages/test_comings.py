"""What whoever comes in is told, once, and where those go who stand before a wrong door."""

from gateway.outlets import manage
from gateway.people.staff.store import Role
from tests.support.clock import SteppedClock
from tests.web.staffed import NAMES, PHONES, Staffed, Visitor

OUT = "You were logged out."


def came_in(staffed: Staffed, role: Role, area: str) -> Visitor:
    """A browser that somebody has logged in with."""
    visitor = staffed.visitor(area)
    assert visitor.log_in(PHONES[role]).status_code == 303
    return visitor


def test_the_bar_leads_to_the_form_for_a_pin_with_ones_phone_in_it(staffed: Staffed) -> None:
    for role, area in ((Role.MANAGER, "/counter"), (Role.ADMIN, "/console")):
        visitor = staffed.within(role)
        assert f'<a href="{area}/pin">Change PIN</a>' in visitor.get(area).text
        assert f'value="{PHONES[role]}"' in visitor.get(f"{area}/pin").text


def test_a_session_that_ended_is_said_at_the_login_and_why_is_not(
    staffed: Staffed, clock: SteppedClock
) -> None:
    disable, now = staffed.wired.gateway.roster.disable, clock.now()
    let_go = came_in(staffed, Role.CASHIER, "/counter")
    phone = PHONES[Role.CASHIER]
    staffed.wired.run(lambda c: disable(c, phone, "cli:test", "left", now))
    idle = came_in(staffed, Role.OPERATOR, "/console")
    clock.advance(seconds=31 * 60)
    for visitor in (let_go, idle):
        assert visitor.get(visitor.area).status_code == 303
        said = visitor.get(f"{visitor.area}/login").text
        assert OUT in said
        assert "disabled" not in said
        assert OUT not in visitor.get(f"{visitor.area}/login").text


def test_who_logs_out_or_was_never_in_is_told_of_no_end(staffed: Staffed) -> None:
    stranger = staffed.visitor("/counter")
    for _ in range(2):
        stranger.get("/counter")
        assert OUT not in stranger.get("/counter/login").text
    visitor = came_in(staffed, Role.CASHIER, "/counter")
    visitor.post("/counter/logout")
    assert OUT not in visitor.get("/counter/login").text


def test_the_wrong_area_shows_the_way_to_ones_own_and_out(staffed: Staffed) -> None:
    for role, wrong, own in (
        (Role.MANAGER, "/console", "/counter"),
        (Role.OPERATOR, "/counter", "/console"),
    ):
        visitor = staffed.within(role)
        answer = visitor.get(wrong)
        assert answer.status_code == 403
        assert NAMES[role] in answer.text
        assert f'<a class="button" href="{own}">' in answer.text
        assert f'href="{wrong}"' not in answer.text
        assert visitor.post(f"{wrong}/logout").status_code == 303
        assert visitor.get(own).status_code == 303


def test_a_manager_without_a_till_comes_in_where_counts_wait(staffed: Staffed) -> None:
    now = staffed.wired.clock.now()
    assert staffed.visitor("/counter").log_in(PHONES[Role.MANAGER]).location == "/counter"
    named = ("LAG-01", "Lagos Mall", "Bank 1", "NGN", "cli:test")
    staffed.wired.run(lambda c: manage.create_outlet(c, *named, now))
    come = {
        role: staffed.visitor("/counter").log_in(PHONES[role], next="/counter").location
        for role in (Role.MANAGER, Role.CASHIER)
    }
    assert come == {Role.MANAGER: "/counter/outlet", Role.CASHIER: "/counter"}
    asked = staffed.visitor("/counter").log_in(PHONES[Role.MANAGER], next="/counter/today")
    assert asked.location == "/counter/today"
