"""Where the login leads: back to the page one wanted, and never anywhere else."""

from urllib.parse import quote, urljoin, urlsplit

import pytest

from gateway.people.staff.store import Role
from tests.web.staffed import PHONES, Staffed

WELCOME = (
    "/console",
    "/console?page=2",
    "/console/tokens",
    "/console/tokens?q=K7M2&page=3",
    "/console/tokens?q=%C3%A9",
    "/console/pin",
)
HOSTILE = (
    "",
    "/",
    "//evil.example",
    "///evil.example",
    "////evil.example/console",
    "/\\evil.example",
    "\\\\evil.example",
    "/console\\..\\..\\evil.example",
    "https://evil.example/console",
    "https:/console",
    "https:evil.example",
    "HTTPS://EVIL.EXAMPLE",
    "javascript:alert(1)",
    "data:text/html,x",
    "/console//evil.example",
    "/console/..//evil.example",
    "/console/../phone",
    "/console/./../counter",
    "/console/%2e%2e/counter",
    "/console/%2E./counter",
    "/console/x/..",
    "/consoles",
    "/console.evil.example",
    "/console@evil.example",
    "/counter",
    "/phone",
    "/console/login",
    "/console/login?next=/console/login",
    "/console/logout",
    "console",
    " /console",
    "/console /x",
    "\t//evil.example",
    "/console\r\nSet-Cookie: a=b",
    "/console\n",
    "/console/\x00",
    "/console/é",
    "/console/\u2028",
    "/console?" + "x" * 5000,
    "@evil.example",
    "?next=//evil.example",
    "#",
)


@pytest.mark.parametrize("wanted", WELCOME)
def test_the_login_leads_back_to_the_page_that_was_wanted(staffed: Staffed, wanted: str) -> None:
    answer = staffed.visitor().log_in(PHONES[Role.OPERATOR], next=wanted)
    assert (answer.status_code, answer.location) == (303, wanted)


def test_the_login_leads_nowhere_else(staffed: Staffed) -> None:
    elsewhere = {}
    for wanted in HOSTILE:
        visitor = staffed.visitor()
        asked = quote(wanted)
        shown = visitor.get(f"/console/login?next={asked}")
        assert 'name="next" value="/console"' in shown.text, wanted
        by_form = visitor.log_in(PHONES[Role.OPERATOR], next=wanted)
        already_in = visitor.get(f"/console/login?next={asked}")
        for answer in (by_form, already_in):
            if (answer.status_code, answer.location) != (303, "/console"):
                elsewhere[wanted] = answer.location
    assert elsewhere == {}


def test_of_two_wishes_neither_leads_elsewhere(staffed: Staffed) -> None:
    visitor = staffed.visitor()
    form = {
        "csrf": visitor.form_key(),
        "phone": PHONES[Role.OPERATOR],
        "pin": "7391",
        "next": ["/console", "//evil.example"],
    }
    answer = visitor.client.post("/console/login?next=//evil.example", data=form)
    assert answer.location == "/console"


# What is asked for by whoever is not in: the way back is to just that, or to the front page.
ASKED = (
    ("/console/tokens?q=a%26b&x=%2F%2Fevil", "/console/tokens?q=a%26b&x=%2F%2Fevil"),
    ("/console?next=//evil.example", "/console?next=//evil.example"),
    ("/console?" + "x" * 2000, "/console"),
)


@pytest.mark.parametrize(("asked", "back"), ASKED)
def test_whoever_is_sent_to_the_login_comes_back_to_what_they_asked_for(
    staffed: Staffed, asked: str, back: str
) -> None:
    visitor = staffed.visitor()
    sent = visitor.get(asked.replace("/console/tokens", "/console"))
    assert sent.status_code == 303
    location = sent.location or ""
    assert urlsplit(urljoin("http://here", location)).path == "/console/login"
    with visitor.client as client:
        form = {"csrf": visitor.form_key(), "phone": PHONES[Role.OPERATOR], "pin": "7391"}
        way = location.partition("?next=")[2]
        answer = client.post(f"/console/login?next={way}", data=form)
    assert answer.location == back.replace("/console/tokens", "/console")


def test_an_address_with_bytes_that_are_no_text_is_answered_all_the_same(
    staffed: Staffed,
) -> None:
    raw = {"QUERY_STRING": "x=\xff\xfe"}  # as a server hands on what it could not read
    answer = staffed.visitor().client.get("/console", environ_overrides=raw)
    assert answer.status_code == 303
