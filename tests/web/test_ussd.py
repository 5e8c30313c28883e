"""The USSD route as an aggregator meets it: forms, secrets, content types, errors, events."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app import web_application
from tests.support.log import Log, captured_log
from tests.support.wired import ADA, SECRET, Wired
from tests.ussd.posting import FORM, PATH, answer, form, play, post, post_raw

PLAIN = "text/plain; charset=utf-8"


@pytest.fixture
def log() -> Iterator[Log]:
    with captured_log() as captured:
        yield captured


@pytest.fixture
def client(wired: Wired) -> FlaskClient:
    return wired.app.test_client()


@pytest.mark.parametrize("accept", ["application/json", "text/html", "*/*", "image/png"])
def test_a_reply_is_bare_text_whatever_the_caller_accepts(wired: Wired, accept: str) -> None:
    given = answer(wired, form(""), {"Accept": accept})
    assert (given.status_code, given.content_type) == (200, PLAIN)
    body = given.get_data()
    assert body.startswith(b"CON Welcome.\n1 Redeem token\n2 Send token\n3 My tokens\n")
    assert b"\\n" not in body
    assert b"\r" not in body


def test_the_roots_numbers_are_those_of_the_contract(wired: Wired) -> None:
    assert post(wired, "").decode() == (
        "CON Welcome.\n1 Redeem token\n2 Send token\n3 My tokens\n4 My wallet\n5 Settings\n0 Exit"
    )


def test_no_cookie_referer_or_token_is_asked_for(wired: Wired) -> None:
    given = answer(wired, form(""))
    assert given.status_code == 200
    assert "Set-Cookie" not in given.headers


WRONG_PATHS = [
    "/ussd/africastalking/wrong-secret",
    f"/ussd/africastalking/{SECRET}x",
    f"/ussd/africastalking/{SECRET[:-1]}",
    f"/ussd/africastalking/{SECRET.upper()}",
    "/ussd/africastalking/%FF%FE",
    "/ussd/africastalking/%00",
    f"/ussd/nobody/{SECRET}",
    f"/ussd/simulator/{SECRET}",
    f"{PATH}/",
    f"{PATH}/other",
    f"/ussd//africastalking/{SECRET}",
    "/ussd/africastalking",
    "/ussd",
    "/ussd/africastalking/wrong-secret/events",
    f"/ussd/nobody/{SECRET}/events",
]


@pytest.mark.parametrize("path", WRONG_PATHS)
def test_a_wrong_path_is_a_plain_404_that_tells_nothing(client: FlaskClient, path: str) -> None:
    given = client.post(path, data=form(""), content_type=FORM)
    assert (given.status_code, given.content_type) == (404, PLAIN)
    assert given.get_data().lower() == b"not found"


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
@pytest.mark.parametrize("secret", [SECRET, "wrong"])
def test_another_method_is_a_plain_405(client: FlaskClient, method: str, secret: str) -> None:
    given = client.open(f"/ussd/africastalking/{secret}", method=method)
    assert (given.status_code, given.content_type) == (405, PLAIN)
    assert given.headers["Allow"] == "POST"


def test_both_secrets_are_taken_while_they_are_rotated(wired: Wired) -> None:
    new = "the-next-callback-secret"
    parts = replace(wired.gateway.settings, callback_secrets=(SECRET, new))
    rotating = Wired(parts.database_url, wired.clock, callback_secrets=(SECRET, new))
    paths = {f"/ussd/africastalking/{secret}": status for secret, status in rotation(new).items()}
    given = {
        path: rotating.client.post(path, data=form(""), content_type=FORM).status_code
        for path in paths
    }
    assert given == paths
    rotating.close()


def rotation(new: str) -> dict[str, int]:
    return {SECRET: 200, new: 200, f"{SECRET},{new}": 404, "": 404}


def test_an_error_of_the_program_is_plain_text_without_its_words(wired: Wired) -> None:
    app = web_application(wired.gateway)

    def fail() -> str:
        raise ValueError("490750293453273258 and a secret")

    app.add_url_rule("/ussd/fail", view_func=fail, methods=["POST"])
    given = app.test_client().post("/ussd/fail")
    assert (given.status_code, given.content_type) == (500, PLAIN)
    assert given.get_data() == b"Internal Server Error"


@pytest.mark.parametrize(
    ("body", "reply"),
    [
        (b"", b"END Something went wrong"),
        (b"text=1", b"END Something went wrong"),
        (b"sessionId=S1&text=", b"END Something went wrong"),
        (b"sessionId=+&phoneNumber=%2B2348030000001&text=", b"END Something went wrong"),
        (b"sessionId=S1&phoneNumber=MTN&text=", b"END Something went wrong"),
        (b"sessionId=S1&phoneNumber=%00&text=", b"END Something went wrong"),
        (b"sessionId=" + b"S" * 129 + b"&phoneNumber=%2B2348030000001", b"END Something went"),
        (b"sessionId=S1&phoneNumber=%2B2348030000001", b"CON Welcome."),
        (b"phoneNumber=08030000001&sessionId=S1&text=1", b"CON Enter the token"),
        (b'{"sessionId": "S1", "phoneNumber": "+2348030000001"}', b"END Something went wrong"),
    ],
    ids=range(10),
)
def test_a_request_that_lacks_something_gets_a_last_screen(
    wired: Wired, body: bytes, reply: bytes
) -> None:
    assert post_raw(wired, body).startswith(reply)


@pytest.mark.parametrize(
    "kind", [f"{FORM}; charset=UTF-8", "multipart/form-data", "text/plain", ""]
)
def test_any_content_type_is_answered_with_a_screen(wired: Wired, kind: str) -> None:
    given = wired.app.test_client().post(PATH, data=form(""), content_type=kind)
    assert given.status_code == 200
    wanted = b"CON Welcome." if kind.startswith(FORM) else b"END Something went wrong"
    assert given.get_data().startswith(wanted)


def test_many_parts_of_a_form_are_too_long(wired: Wired) -> None:
    fields = {f"field{number}": "1" for number in range(300)}
    given = wired.app.test_client().post(
        PATH, data=fields, content_type="multipart/form-data; boundary=x"
    )
    assert given.status_code == 200
    assert given.get_data().startswith(b"END That was too long.")


def test_of_a_repeated_field_the_last_counts(wired: Wired) -> None:
    assert post_raw(wired, b"text=4&" + form("1")).startswith(b"CON Enter the token")


def notice(status: str, session: str = "S1", text: str = "") -> bytes:
    return form(text, session).replace(b"text=", b"input=") + f"&status={status}".encode()


def events(wired: Wired, body: bytes) -> TestResponse:
    return wired.app.test_client().post(f"{PATH}/events", data=body, content_type=FORM)


def test_an_end_notice_reverses_nothing_and_is_logged_once(wired: Wired, log: Log) -> None:
    token = wired.issue("80.00").reveal()
    post(wired, f"1*{token}")
    assert wired.send_all() == 1
    log.lines()
    for session in ("S1", "S1", "unknown"):
        given = events(wired, notice("Failed", session, f"1*{token}"))
        assert (given.status_code, given.content_type, given.get_data()) == (200, PLAIN, b"ok")
    logged = log.text()
    assert logged.count('"ussd_ended"') == 1
    assert token not in logged
    assert SECRET not in logged
    assert wired.send_all() == 0
    assert wired.balance() == Decimal("80.00")
    assert post(wired, f"1*{token}").startswith(b"END You have received NGN 80.00.")
    assert wired.breaches() == []


@pytest.mark.parametrize("body", [b"", b"sessionId=S1", b"status=Success", b"\xff\xfe"])
def test_an_unreadable_end_notice_is_taken_and_ignored(wired: Wired, body: bytes) -> None:
    assert events(wired, body).status_code == 200


def test_a_notice_in_mid_dialogue_does_not_stop_it_or_its_resuming(wired: Wired) -> None:
    play(wired, "", "1")
    assert events(wired, notice("Incomplete")).status_code == 200
    assert b"9 Continue" in post(wired, "", "S2")
    assert post(wired, "1*5").startswith(b"CON A token has 18 or 11 digits.")


def test_a_request_is_logged_by_its_rule_with_neither_secret_nor_phone_nor_text(
    wired: Wired, log: Log
) -> None:
    token = wired.issue().reveal()
    post(wired, f"1*{token}")
    lines = log.text()
    assert '"rule":"/ussd/<channel>/<secret>"' in lines
    for hidden in (SECRET, token, ADA, ADA[1:], token[-8:]):
        assert hidden not in lines


@pytest.mark.parametrize(("network", "septets"), [("62130", 100), ("62160", 160), ("", 160)])
def test_a_screen_keeps_to_the_smaller_of_its_channel_and_its_network(
    wired: Wired, network: str, septets: int
) -> None:
    budgets = {"62130": 100, "62160": 182}
    narrow = Wired(str(wired.gateway.settings.database_url), wired.clock, ussd_budgets=budgets)
    for _ in range(8):
        narrow.issue("1234567.00")
    shown = post(narrow, "3", "S1", ADA, network)
    assert septets - 40 < len(shown) - len("CON ") <= septets
    narrow.close()


def test_the_application_holds_no_state_of_a_dialogue(wired: Wired) -> None:
    app: Flask = web_application(wired.gateway)
    post(wired, "")
    given = app.test_client().post(PATH, data=form("1"), content_type=FORM)
    assert given.get_data().startswith(b"CON Enter the token")
