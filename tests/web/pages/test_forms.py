"""Forms: each carries the key of its browser, or nothing happens."""

import pytest

from gateway.people.staff.store import Role
from tests.end_to_end.leaks import rows_of
from tests.web.routes import EVERYBODY, Route, staff_routes
from tests.web.staffed import AREAS, PHONES, PIN, Staffed

PIN_FORMS = ("/login", "/pin", "/void", "/console/staff")
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
    visitors = {role: staffed.within(role) for role in Role}
    old = {role: visitor.form_key() for role, visitor in visitors.items()}
    if key == "old":
        for role, visitor in visitors.items():
            visitor.log_in(PHONES[role])
    before, taken = kept(staffed), {}
    for route in routes:
        role = (route.roles or EVERYBODY[route.area])[-1]
        forms: dict[str, dict[str, object]] = {
            "missing": {},
            "empty": {"csrf": ""},
            "foreign": {"csrf": foreign},
            "old": {"csrf": old[role]},
            "doubled": {"csrf": [foreign, old[role]]},
            "in the address": {},
        }
        path = f"{route.path}?csrf={old[role]}" if key == "in the address" else route.path
        form = {**forms[key], "reason": "because", "phone": PHONES[role], "pin": PIN}
        browser = visitors[role]
        answer = browser.client.post(path, data=form)
        if answer.status_code == 303 and route.path.endswith(PIN_FORMS):
            answer = browser.get(answer.headers["Location"])  # where no reload sends the PIN
            is_there = answer.status_code != 404  # there is no payment of this name
        else:
            is_there = True
        if is_there and (answer.status_code not in (403, 422) or STALE not in answer.text):
            taken[route.path] = answer.status_code
    assert taken == {}
    assert kept(staffed) == before


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
    visitors = {area: staffed.visitor(area) for area in EVERYBODY}
    keys = {area: visitor.form_key() for area, visitor in visitors.items()}
    before = kept(staffed)
    for route in posting(staffed):
        if route.roles:
            form = {"csrf": keys[route.area], "reason": "because"}
            answer = visitors[route.area].client.post(route.path, data=form)
            found = (answer.status_code, answer.location)
            if found != (303, f"{route.area}/login"):
                wrong[route.path] = found
    assert wrong == {}
    assert kept(staffed) == before


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
    if answer.status_code == 303:
        assert answer.headers["Location"] == path
        answer = visitor.get(path)
        assert STALE in answer.text
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
    answer = visitor.refused("/console/login", phone="\x00", pin="\x00", **more)
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
