"""Forms: each carries the key of its browser, or nothing happens."""

import pytest

from gateway.people.staff.store import Role
from tests.end_to_end.leaks import rows_of
from tests.web.routes import Route, staff_routes
from tests.web.staffed import AREAS, PHONES, Staffed

STALE = "This form was not from this session."


def kept(staffed: Staffed) -> list[tuple[str, str]]:
    """Everything in the database, but for when a session was last used."""
    rows = rows_of(staffed.wired.gateway.settings.database_url)
    return sorted(row for row in rows if row[0] != "staff_sessions.seen_at")


def posting(staffed: Staffed) -> list[Route]:
    """Every route that takes a form."""
    return [route for route in staff_routes(staffed.wired.app) if route.method == "POST"]


@pytest.mark.parametrize("key", ["missing", "empty", "foreign", "old", "doubled", "in the address"])
def test_no_form_of_any_page_is_taken_without_the_key_of_its_browser(
    staffed: Staffed, key: str
) -> None:
    routes = posting(staffed)
    assert {"/counter/login", "/console/login", "/counter/logout", "/console/pin"} <= {
        route.path for route in routes
    }
    foreign = staffed.within(Role.ADMIN).form_key()
    taken = {}
    for route in routes:
        role = Role.MANAGER if route.area == "/counter" else Role.ADMIN
        visitor = staffed.within(route.roles[0] if route.roles else role)
        old = visitor.form_key()
        if key == "old":
            visitor.log_in(PHONES[route.roles[0] if route.roles else role])
        forms: dict[str, dict[str, object]] = {
            "missing": {},
            "empty": {"csrf": ""},
            "foreign": {"csrf": foreign},
            "old": {"csrf": old},
            "doubled": {"csrf": [foreign, old]},
            "in the address": {},
        }
        before = kept(staffed)
        path = f"{route.path}?csrf={old}" if key == "in the address" else route.path
        answer = visitor.client.post(path, data={**forms[key], "reason": "because"})
        if answer.status_code != 403 or STALE not in answer.text or kept(staffed) != before:
            taken[route.path] = answer.status_code
    assert taken == {}


def test_the_key_of_ones_own_browser_is_taken_and_stays_good_for_further_forms(
    staffed: Staffed,
) -> None:
    visitor = staffed.visitor()
    key = visitor.form_key()
    assert visitor.form_key() == key
    form = {"csrf": key, "phone": PHONES[Role.OPERATOR], "pin": "7391"}
    assert visitor.client.post("/console/login", data=form).status_code == 303


def test_a_form_after_the_session_is_over_leads_to_the_login_and_does_nothing(
    staffed: Staffed,
) -> None:
    wrong = {}
    for route in posting(staffed):
        if not route.roles:
            continue
        visitor = staffed.visitor(route.area)
        key = visitor.form_key()
        before = kept(staffed)
        answer = visitor.client.post(route.path, data={"csrf": key, "reason": "because"})
        found = (answer.status_code, answer.location)
        if found != (303, f"{route.area}/login") or kept(staffed) != before:
            wrong[route.path] = found
    assert wrong == {}


# Bodies that are no form, or one that nobody would fill in.
BODIES = (
    (b"", "application/x-www-form-urlencoded"),
    (b"csrf", "multipart/form-data"),
    (b"--x\r\nbroken", "multipart/form-data; boundary=x"),
    (b'{"csrf": "1"}', "application/json"),
    (b"\xff\xfe\x00&csrf=%00%ff", "application/x-www-form-urlencoded"),
    (b"csrf=\xed\xa0\x80", "application/x-www-form-urlencoded"),
    (b"a=1&" * 10_000, "application/x-www-form-urlencoded"),
)


@pytest.mark.parametrize(("body", "kind"), BODIES)
@pytest.mark.parametrize("path", ["/console/login", "/counter/pin"])
def test_a_broken_form_is_refused_in_a_page(
    staffed: Staffed, body: bytes, kind: str, path: str
) -> None:
    visitor = staffed.visitor()
    visitor.form_key()
    before = kept(staffed)
    answer = visitor.client.post(path, data=body, content_type=kind)
    assert answer.status_code in (400, 403)
    assert answer.content_type == "text/html; charset=utf-8"
    assert kept(staffed) == before


@pytest.mark.parametrize("path", ["/console/login", "/counter/login", "/console/pin"])
def test_a_form_that_is_too_large_is_refused_in_a_page(staffed: Staffed, path: str) -> None:
    visitor = staffed.visitor()
    answer = visitor.post(path, phone="0" * 100_000)
    assert answer.status_code == 413
    assert "That was too much at once." in answer.text


def test_many_fields_and_null_bytes_get_the_form_again(staffed: Staffed) -> None:
    visitor = staffed.visitor()
    more = {f"x\x00{n}": "\x00" for n in range(150)}
    answer = visitor.post("/console/login", phone="\x00", pin="\x00", **more)
    assert answer.status_code == 422


@pytest.mark.parametrize("role", [Role.CASHIER, Role.OPERATOR])
def test_no_header_turns_a_look_into_a_deed(staffed: Staffed, role: Role) -> None:
    visitor = staffed.within(role)
    area = AREAS[role]
    for header in ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"):
        before = kept(staffed)
        looked = visitor.client.get(area, headers={header: "POST"})
        assert looked.status_code == 200
        left = visitor.client.get(f"{area}/logout?_method=POST", headers={header: "POST"})
        assert left.status_code == 405
        assert kept(staffed) == before
