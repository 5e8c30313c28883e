"""What every page says about itself, and errors that are pages too."""

from collections.abc import Iterator

import pytest

from app import web_application
from gateway.people.staff.store import Role
from gateway.settings import PRODUCTION
from gateway.web.pages.answers import CAME_IN
from gateway.web.pages.door import COOKIE
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.mariadb import PrivateMariaDB
from tests.support.wired import Wired
from tests.web.routes import EVERYBODY, staff_routes
from tests.web.staffed import PHONES, Staffed, Visitor


@pytest.fixture
def production(sqlite_url: str, clock: SteppedClock) -> Iterator[Staffed]:
    """The application as it runs in production."""
    whole = Wired(sqlite_url, clock, mode=PRODUCTION, sms_channels=("africastalking",))
    yield Staffed(whole)
    whole.close()


def test_every_page_and_every_answer_is_guarded(staffed: Staffed) -> None:
    visitors = {role: staffed.within(role) for role in Role}
    for route in staff_routes(staffed.wired.app):
        visitor = visitors[(route.roles or EVERYBODY[route.area])[-1]]
        # Without the key a form is refused in a page as well, and nobody is logged out.
        form = {"reason": "because"} if route.method == "POST" else None
        visits = (
            visitor.client.open(route.path, method=route.method, data=form),
            visitor.client.open(route.path, method=route.method),
            staffed.visitor().client.open(route.path, method=route.method),
            visitor.client.open(route.path, method="DELETE"),
            visitor.client.get(f"{route.path}/nowhere/at/all"),
        )
        for answer in visits:
            headers = answer.headers
            assert headers["Cache-Control"] == "no-store"
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["Referrer-Policy"] == "same-origin"
            policy = headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy
            assert "frame-ancestors 'none'" in policy
            assert "form-action 'self'" in policy
            assert "unsafe" not in policy
            assert "*" not in policy


def test_no_page_holds_code_or_style_of_its_own(staffed: Staffed) -> None:
    found = {}
    visitors = {role: staffed.within(role) for role in Role}
    for route in staff_routes(staffed.wired.app):
        if route.method != "GET":
            continue
        text = visitors[(route.roles or EVERYBODY[route.area])[-1]].get(route.path).text
        inline = [
            mark
            for mark in ("<script>", "<style", " style=", " onclick=", "javascript:", "http://")
            if mark in text.replace("http://www.w3.org/2000/svg", "")
        ]
        if inline or len(text) > 100_000:
            found[route.path] = inline
    assert found == {}


def cookies(visitor: Visitor, phone: str) -> list[str]:
    """The cookies of a first visit, a login and a logout, as they are set."""
    first = visitor.get(f"{visitor.area}/login")
    entered = visitor.log_in(phone)
    left = visitor.post(f"{visitor.area}/logout")
    return [header for a in (first, entered, left) for header in a.headers.getlist("Set-Cookie")]


def test_in_production_the_cookie_is_for_our_pages_over_tls_alone(production: Staffed) -> None:
    given = cookies(production.visitor(), PHONES[Role.OPERATOR])
    assert len(given) >= 3
    for cookie in given:
        assert cookie.startswith((f"__Host-{COOKIE}=", f"{CAME_IN}="))
        assert {"HttpOnly", "Secure", "SameSite=Strict"} <= set(cookie.split("; "))
        assert "Domain" not in cookie


def test_in_the_demo_it_differs_only_in_travelling_without_tls(staffed: Staffed) -> None:
    for cookie in cookies(staffed.visitor(), PHONES[Role.OPERATOR]):
        words = set(cookie.split("; "))
        assert {"HttpOnly", "SameSite=Strict"} <= words
        assert "Secure" not in words


# Method, path, status.
ERRORS = (
    ("GET", "/console/nowhere", 404),
    ("GET", "/counter/nowhere", 404),
    ("GET", "/console/", 404),
    ("GET", "/console/login/", 404),
    ("GET", "/console//login", 404),
    ("GET", "/console/%00", 404),
    ("GET", "/console/%E9%FF", 404),
    ("GET", "/console/../app.py", 404),
    ("DELETE", "/counter", 405),
    ("PUT", "/console/login", 405),
    ("GET", "/console/logout", 405),
    ("OPTIONS", "/console/login", 405),
)


@pytest.mark.parametrize(("method", "path", "status"), ERRORS)
def test_an_error_of_an_area_is_a_page_with_a_way_back(
    production: Staffed, method: str, path: str, status: int
) -> None:
    area = "/" + path.split("/")[1]
    for visitor in (production.visitor(), production.within(Role.OPERATOR)):
        answer = visitor.client.open(path, method=method, headers={"Accept": "application/json"})
        assert answer.status_code == status
        assert answer.content_type == "text/html; charset=utf-8"
        assert f'href="{area}"' in answer.text


def test_a_fault_of_ours_says_nothing_of_itself_in_a_page(production: Staffed) -> None:
    app = web_application(production.wired.gateway)

    def broken() -> str:
        raise RuntimeError("it holds 377116677499346086")

    app.add_url_rule("/console/broken", view_func=broken)
    with captured_log() as log:
        answer = app.test_client().get("/console/broken")
        assert "377116677499346086" not in log.text()
    assert answer.status_code == 500
    assert "Something went wrong on our side." in answer.text
    assert "377116677499346086" not in answer.text


def test_a_database_that_is_away_is_said_in_a_page_and_the_session_outlives_it(
    private_mariadb: PrivateMariaDB, clock: SteppedClock
) -> None:
    private_mariadb.create_database("gateway")
    wired = Wired(private_mariadb.url("gateway"), clock)
    wired.gateway.database.upgrade()
    visitor = Staffed(wired).within(Role.OPERATOR)
    assert visitor.get("/console").status_code == 200
    private_mariadb.kill()
    away = visitor.get("/console")
    assert away.status_code == 503
    assert "The database cannot be reached just now." in away.text
    private_mariadb.start()
    assert visitor.get("/console").status_code == 200
    wired.close()


def test_the_folder_of_files_gives_out_those_of_the_pages_alone(production: Staffed) -> None:
    client = production.wired.client
    with client.get("/static/pages.css") as given:
        assert given.status_code == 200
        assert given.headers["X-Content-Type-Options"] == "nosniff"
    for name in ("phone.js", "../app.py", "%2e%2e/app.py", "pages.css/x", "", "PAGES.CSS"):
        assert client.get(f"/static/{name}").status_code == 404
