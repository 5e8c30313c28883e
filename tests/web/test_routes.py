"""Errors come in the form of their path; the phone is the demo's alone; headers change nothing."""

from collections.abc import Iterator

import pytest
from flask import Flask, request

from app import web_application
from gateway.settings import PRODUCTION
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.wired import SECRET, Wired

PLAIN = "text/plain; charset=utf-8"
USSD = f"/ussd/africastalking/{SECRET}"
SMS = f"/sms/africastalking/{SECRET}/inbound"


@pytest.fixture
def demo(sqlite_url: str, clock: SteppedClock) -> Iterator[Wired]:
    """The demo's application."""
    whole = Wired(sqlite_url, clock)
    yield whole
    whole.close()


@pytest.fixture
def production(sqlite_url: str, clock: SteppedClock) -> Iterator[Wired]:
    """The application as it runs in production."""
    whole = Wired(sqlite_url, clock, mode=PRODUCTION, sms_channels=("africastalking",))
    yield whole
    whole.close()


@pytest.mark.parametrize("path", ["/phone", "/phone/inbox", "/phone/static/phone.js"])
def test_the_phone_is_served_in_demo_mode_alone(demo: Wired, production: Wired, path: str) -> None:
    with demo.client.get(path) as shown:
        assert shown.status_code in (200, 422)
    assert production.client.get(path).status_code == 404


# Method, path, and the status; every answer is plain text.
ERRORS: tuple[tuple[str, str, int], ...] = (
    ("POST", "/ussd/africastalking/a-wrong-secret", 404),
    ("POST", "/ussd/africastalking/a-wrong-secret/events", 404),
    ("POST", f"/ussd/pigeon/{SECRET}", 404),
    ("POST", f"{USSD}/nowhere", 404),
    ("GET", USSD, 405),
    ("PUT", USSD, 405),
    ("POST", "/sms/africastalking/a-wrong-secret/inbound", 404),
    ("POST", f"/sms/pigeon/{SECRET}/inbound", 404),
    ("DELETE", SMS, 405),
    ("POST", SMS, 400),
    ("POST", "/ussd/africastalking/%E9%FF", 404),
    ("POST", "/ussd/africastalking/%00", 404),
    ("GET", "/", 404),
    ("GET", "/static/app.py", 404),
    ("GET", "/phone/../app.py", 404),
)


@pytest.mark.parametrize("accept", ["application/json", "text/html", "*/*"])
@pytest.mark.parametrize(("method", "path", "status"), ERRORS)
def test_an_error_is_plain_text_whatever_is_accepted(
    production: Wired, method: str, path: str, status: int, accept: str
) -> None:
    answer = production.client.open(path, method=method, headers={"Accept": accept})
    assert (answer.status_code, answer.content_type) == (status, PLAIN)
    assert "<" not in answer.text
    assert SECRET not in answer.text


def test_an_error_under_api_is_problem_json(production: Wired) -> None:
    answer = production.client.get("/api/v1/nowhere")
    assert answer.status_code == 404
    assert answer.content_type == "application/problem+json"
    assert answer.json is not None
    assert answer.json["status"] == 404


def test_a_method_that_is_not_allowed_is_told_which_are(production: Wired) -> None:
    assert "POST" in production.client.get(USSD).headers["Allow"]


def test_a_fault_of_ours_says_nothing_of_itself_and_is_logged(demo: Wired) -> None:
    app = web_application(demo.gateway)

    def broken() -> str:
        raise RuntimeError("it holds 377116677499346086")

    app.add_url_rule("/broken", view_func=broken)
    with captured_log() as log:
        answer = app.test_client().get("/broken")
        assert "request_failed" in log.text()
        assert "377116677499346086" not in log.text()
    assert (answer.status_code, answer.text) == (500, "Internal Server Error")


def test_a_wrong_secret_and_an_unknown_channel_read_the_same(production: Wired) -> None:
    answers = {
        production.client.post(path).get_data()
        for path in ("/ussd/africastalking/wrong", f"/ussd/pigeon/{SECRET}", "/ussd/pigeon/wrong")
    }
    assert answers == {b"not found"}


def seen_by(wired: Wired, headers: dict[str, str]) -> tuple[str | None, str]:
    """The client's address and the scheme, as the application sees them behind these headers."""
    app: Flask = web_application(wired.gateway)
    app.add_url_rule("/who", view_func=lambda: {"who": [request.remote_addr, request.scheme]})
    answer = app.test_client().get("/who", headers=headers).json
    assert answer is not None
    address, scheme = answer["who"]
    return address, scheme


FORGED = {"X-Forwarded-For": "10.0.0.1, 10.0.0.2", "X-Forwarded-Proto": "https"}


def test_forwarded_headers_say_nothing_without_trusted_proxies(demo: Wired) -> None:
    assert seen_by(demo, FORGED) == ("127.0.0.1", "http")


def test_as_many_proxies_as_are_trusted_speak_for_the_client(
    sqlite_url: str, clock: SteppedClock
) -> None:
    behind_one = Wired(sqlite_url, clock, trusted_proxies=1)
    assert seen_by(behind_one, FORGED) == ("10.0.0.2", "https")
    behind_two = Wired(sqlite_url, clock, trusted_proxies=2)
    assert seen_by(behind_two, FORGED)[0] == "10.0.0.1"
