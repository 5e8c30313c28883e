"""No answer to a form with a PIN stays at its address: a reload never sends the PIN again."""

import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from gateway.people.staff.store import Role
from gateway.web.pages.refused import COOKIE, KEPT_FOR
from tests.support.clock import SteppedClock
from tests.web.counter.desk import Desk
from tests.web.staffed import PHONES, PIN, Visitor, source, words

WRONG = "8264"
TWO = {"new": "6139", "again": "6138"}


@dataclass(frozen=True)
class Form:
    """A form with a PIN: its page, its address, and how it is filled in wrongly."""

    browser: Visitor
    page: str
    path: str
    fields: dict[str, str]
    said: str


def _login(desk: Desk) -> Form:
    phone = PHONES[Role.OPERATOR]
    said = "This phone and PIN do not match."
    page = "/console/login"
    return Form(desk.staffed.visitor(), page, page, {"phone": phone, "pin": WRONG}, said)


def _pin(desk: Desk) -> Form:
    fields = {"phone": PHONES[Role.CASHIER], "pin": PIN, **TWO}
    page = "/counter/pin"
    return Form(desk.cashier, page, page, fields, "The two new PINs are not the same.")


def _void(desk: Desk) -> Form:
    desk.open()
    page = desk.paid()
    fields = {"reason": "empty", "manager": PHONES[Role.MANAGER], "pin": WRONG}
    said = "This phone and PIN do not match."
    return Form(desk.cashier, page, f"{page}/void", fields, said)


def _hire(desk: Desk) -> Form:
    fields = {"name": "Ama", "phone": "+2348030000077", "role": "cashier", "outlet": "LAG-01"}
    fields |= {"pin": "6139", "again": "6138", "reason": "busy"}
    page, said = "/console/staff", "The two PINs are not the same."
    return Form(desk.staffed.within(Role.ADMIN), page, page, fields, said)


def _reset(desk: Desk) -> Form:
    page = f"/console/staff/{desk.teller.id}"
    fields = {"pin": "1234", "again": "1234", "reason": "forgot it"}
    said = "This PIN is too easy to guess."
    return Form(desk.staffed.within(Role.ADMIN), page, f"{page}/pin", fields, said)


FORMS: tuple[Callable[[Desk], Form], ...] = (_login, _pin, _void, _hire, _reset)


def test_every_view_whose_page_asks_for_a_pin_says_so(desk: Desk) -> None:
    adapter, views = desk.wired.app.url_map.bind(""), desk.wired.app.view_functions
    asked = set()
    for make in FORMS:
        form = make(desk)
        for each in re.findall("<form.*?</form>", form.browser.get(form.page).text, re.DOTALL):
            action = re.search('action="([^"]*)"', each)
            if 'type="password"' in each and action:
                endpoint = adapter.match(action[1], "POST")[0]
                assert vars(views[endpoint])["pin_form"], endpoint
                asked.add(endpoint)
    marked = {name for name, view in views.items() if "pin_form" in vars(view)}
    assert marked - asked == {"counter.enter", "console.change"}  # the same, of the other area


@pytest.mark.parametrize("make", FORMS)
def test_why_it_is_refused_is_said_once_at_the_address_of_its_page(
    desk: Desk, make: Callable[[Desk], Form]
) -> None:
    form = make(desk)
    sent = form.browser.post(form.path, **form.fields)
    assert (sent.status_code, sent.headers["Location"]) == (303, form.page)
    page = form.browser.get(form.page)
    assert (page.status_code, form.said in words(page)) == (422, True)
    for name, value in form.fields.items():
        if name in ("pin", "new", "again"):
            assert value not in source(page)
        elif name not in ("role", "outlet"):
            assert f'value="{value}"' in page.text
    again = form.browser.get(form.page)
    assert (again.status_code, form.said in words(again)) == (200, False)


@pytest.mark.parametrize("make", FORMS)
def test_what_the_browser_carries_of_it_holds_no_pin(
    desk: Desk, make: Callable[[Desk], Form]
) -> None:
    form = make(desk)
    sent = form.browser.post(form.path, **form.fields)
    header = next(value for value in sent.headers.getlist("Set-Cookie") if COOKIE in value)
    assert {"HttpOnly", "SameSite=Strict", f"Max-Age={KEPT_FOR.seconds}"} <= set(header.split("; "))
    carried = form.browser.client.get_cookie(COOKIE)
    assert carried is not None
    *_, typed = json.loads(urlsafe_b64decode(carried.value.rpartition(".")[0]))
    assert {"pin", "new", "again", "csrf"} & set(typed) == set()
    assert not {form.fields["pin"], form.fields.get("again")} & set(typed.values())


@pytest.mark.parametrize("key", ["old", "foreign", "none"])
@pytest.mark.parametrize("make", FORMS)
def test_a_form_that_is_not_of_this_session_stays_at_no_address_that_a_reload_sends(
    desk: Desk, make: Callable[[Desk], Form], key: str
) -> None:
    form = make(desk)
    csrf = {"old": "0" * 64, "foreign": desk.manager.form_key(), "none": ""}[key]
    sent = form.browser.client.post(form.path, data={**form.fields, "csrf": csrf})
    assert (sent.status_code, sent.headers["Location"]) == (303, form.page)
    page = form.browser.get(form.page)
    assert "This form was not from this session." in words(page)
    for name in ("reason", "name", "phone", "manager"):
        if name in form.fields and not (name == "phone" and form.path.endswith("/pin")):
            assert f'value="{form.fields[name]}"' not in page.text  # it may be anybody's
    assert "This form was not" not in form.browser.get(form.page).text


@pytest.mark.parametrize("make", FORMS)
def test_a_tokens_digits_that_are_typed_beside_a_pin_lie_in_no_cookie(
    desk: Desk, make: Callable[[Desk], Form]
) -> None:
    form, digits = make(desk), desk.wired.issue("60.00").reveal()
    fields = {
        name: value if name in ("pin", "new", "again", "role") else f"{digits[:9]} {digits[9:]}"
        for name, value in form.fields.items()
    }
    page = form.page
    form.browser.post(form.path, **fields)
    carried = form.browser.client.get_cookie(COOKIE)
    assert carried is not None
    *_, typed = json.loads(urlsafe_b64decode(carried.value.rpartition(".")[0]))
    assert not [entry for entry in typed.values() if digits[:9] in entry]
    assert digits[:9] not in form.browser.get(page).text


@pytest.mark.parametrize("make", FORMS)
def test_what_another_page_or_another_browser_was_told_is_not_said(
    desk: Desk, make: Callable[[Desk], Form], clock: SteppedClock
) -> None:
    form = make(desk)
    form.browser.post(form.path, **form.fields)
    carried = form.browser.client.get_cookie(COOKIE)
    assert carried is not None
    other = desk.staffed.visitor("/console")
    for value in (carried.value, carried.value[:-1], "x.y", "é.é", ".", "e30=." + "0" * 64):
        other.client.set_cookie(COOKIE, value)
        for path in ("/console/login", "/console/pin"):
            page = other.get(path)
            assert (page.status_code, form.said in page.text) == (200, False)
    assert form.said not in form.browser.get(f"{form.browser.area}/logout").text
    clock.advance(seconds=KEPT_FOR.total_seconds())
    late = form.browser.get(form.page)
    assert (late.status_code, form.said in words(late)) == (200, False)


def test_however_much_is_typed_the_refusal_is_said(desk: Desk) -> None:
    form = _hire(desk)
    long = dict.fromkeys(("name", "phone", "outlet", "reason"), "😀" * 1000)
    page = form.browser.refused(form.path, **{**form.fields, **long})
    assert (page.status_code, "no phone number" in page.text) == (422, True)


def test_a_refused_login_still_leads_where_one_wanted_to_go(desk: Desk) -> None:
    visitor, phone = desk.staffed.visitor(), PHONES[Role.OPERATOR]
    sent = visitor.log_in(phone, WRONG, next="/console/tokens?find=1")
    assert sent.headers["Location"] == "/console/login?next=/console/tokens%3Ffind%3D1"
    page = visitor.get(sent.headers["Location"])
    assert 'name="next" value="/console/tokens?find=1"' in page.text


def test_somebody_else_who_fails_to_log_in_where_one_is_in_is_told_so(desk: Desk) -> None:
    page = desk.cashier.kept_out(PHONES[Role.MANAGER], WRONG)
    assert "This phone and PIN do not match." in words(page)
    assert desk.cashier.get("/counter/login").status_code == 303
