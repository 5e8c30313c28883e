"""Forced browsing: each page of each area is for the roles that it names, and for nobody else."""

from flask import Blueprint, Flask, Response

from gateway.people.staff.store import Role
from gateway.web.access import callers
from gateway.web.pages import door
from gateway.web.pages.door import allowed
from tests.end_to_end.leaks import rows_of
from tests.web.routes import EVERYBODY, staff_routes
from tests.web.staffed import Staffed, Visitor


def sent_to_the_login(status: int, location: str | None, area: str) -> bool:
    """Whether an answer is the way to the login of the area."""
    return status == 303 and (location or "").startswith(f"{area}/login")


def test_every_page_is_for_the_roles_that_it_names_and_for_no_other(staffed: Staffed) -> None:
    wrong = {}
    visitors = {role: staffed.within(role) for role in Role}
    keys = {role: visitor.form_key() for role, visitor in visitors.items()}
    for route in staff_routes(staffed.wired.app):
        if not route.roles:
            continue
        for role, visitor in visitors.items():
            form = {"csrf": keys[role]} if route.method == "POST" else None
            answer = visitor.client.open(route.path, method=route.method, data=form)
            is_let = not (
                answer.status_code == 403
                or answer.status_code >= 500
                or sent_to_the_login(answer.status_code, answer.location, route.area)
            )
            if is_let != (role in route.roles) or (not is_let and answer.status_code != 403):
                wrong[route.method, route.path, role] = answer.status_code
    assert wrong == {}


def test_whoever_is_not_in_is_sent_to_the_login_of_the_area_and_back(staffed: Staffed) -> None:
    wrong = {}
    for route in staff_routes(staffed.wired.app):
        if not route.roles or route.method != "GET":
            continue
        answer = staffed.visitor().client.get(f"{route.path}?page=2")
        expected = (303, f"{route.area}/login?next={route.path}%3Fpage%3D2")
        if (answer.status_code, answer.location) != expected:
            wrong[route.path] = (answer.status_code, answer.location)
    assert wrong == {}


def test_only_the_ways_in_and_out_are_for_whoever_comes(staffed: Staffed) -> None:
    open_to_all = {route.path for route in staff_routes(staffed.wired.app) if not route.roles}
    ways = ("login", "logout", "pin")
    assert open_to_all == {f"{area}/{way}" for area in ("/counter", "/console") for way in ways}


def test_the_counter_is_not_for_operators_and_the_console_not_for_cashiers(
    staffed: Staffed,
) -> None:
    for route in staff_routes(staffed.wired.app):
        counter = {Role.CASHIER, Role.MANAGER}
        mine = counter if route.area == "/counter" else {Role.OPERATOR, Role.ADMIN}
        assert set(route.roles) <= mine, route.path


def test_a_page_that_names_nobody_is_seen_by_nobody(staffed: Staffed) -> None:
    pages = Blueprint("hidden", __name__, url_prefix="/console", template_folder=None)
    door.guard(pages, staffed.wired.gateway.door())

    def bare() -> Response:
        return Response("secret")

    pages.add_url_rule("/bare", "bare", bare)
    pages.add_url_rule("/half", "half", callers("person")(lambda: Response("secret")))
    pages.add_url_rule("/open", "open", allowed()(lambda: Response("open")))
    app = Flask("app", static_folder=None)
    app.jinja_loader = staffed.wired.app.blueprints["console"].jinja_loader
    app.register_blueprint(pages)
    for path in ("/console/bare", "/console/half"):
        for role in Role:
            visitor = Visitor(app.test_client(), "/console")
            visitor.cookie = staffed.within(role).cookie
            answer = visitor.get(path)
            assert (answer.status_code, "secret" in answer.text) == (403, False)
        nobody = Visitor(app.test_client(), "/console").get(path)
        assert sent_to_the_login(nobody.status_code, nobody.location, "/console")
    assert app.test_client().get("/console/open").text == "open"


def test_looking_at_any_page_changes_nothing(staffed: Staffed) -> None:
    url = staffed.wired.gateway.settings.database_url
    visitors = {role: staffed.within(role) for role in Role}
    before, broken = list(rows_of(url)), {}
    for route in staff_routes(staffed.wired.app):
        if route.method != "GET":
            continue
        visitor = visitors[(route.roles or EVERYBODY[route.area])[-1]]
        for path in (route.path, f"{route.path}?page=2&q=1&from=1&find=x&show=all&day=2026-03-01"):
            answer = visitor.get(path)
            if answer.status_code >= 500:
                broken[path] = answer.status_code
    assert broken == {}
    assert list(rows_of(url)) == before
