"""Sending over Africa's Talking when the line or the answer fails: what is known afterwards."""

import socket
import ssl
from contextlib import ExitStack, closing
from typing import Any

import pytest

from gateway.channels.africastalking import AfricasTalkingChannel
from gateway.errors import OutcomeUnknown, Unreachable
from gateway.settings import AfricasTalking
from tests.channels.sending import JSON, PLAIN, TEXT, body, channel, closed_door, failure
from tests.emulators.africastalking import SmsApi
from tests.emulators.africastalking_answers import (
    DROP_AFTER_TAKING,
    DROP_UNREAD,
    SERVER_ERROR,
    Behaviour,
    answer,
    hang,
    redirect,
    refuse,
    refuse_whole,
)

# --- answers that say nothing -------------------------------------------------------------------

UNREADABLE = {
    "a server error": SERVER_ERROR,
    "an outage page": answer(503, "<html>Service Unavailable</html>", "text/html"),
    "an empty 2xx": answer(201, "", JSON),
    "an empty 5xx": answer(502, "", PLAIN),
    "text": answer(201, "OK", PLAIN),
    "JSON cut off": answer(201, body("sent-accepted.json")[:40], JSON),
    "text cut off": answer(201, body("sent-accepted.json")[:40], PLAIN),
    "XML": answer(201, body("sent-xml.xml"), "application/xml"),
    "another JSON": answer(201, '{"errorMessage": "no"}', JSON),
    "a JSON list": answer(201, "[]", JSON),
    "a JSON null": answer(201, "null", JSON),
    "no data": answer(201, '{"SMSMessageData": null}', JSON),
    "no list": answer(201, '{"SMSMessageData": {"Message": "Sent", "Recipients": null}}', JSON),
    "words for recipients": answer(201, '{"SMSMessageData": {"Recipients": ["x"]}}', JSON),
    "no status code": answer(201, body("sent-before-status-codes.json"), JSON),
    "two recipients": answer(
        201, '{"SMSMessageData": {"Recipients": [{"statusCode": 101}, {"statusCode": 403}]}}', JSON
    ),
    "an odd status code": answer(
        201, '{"SMSMessageData": {"Recipients": [{"statusCode": {"a": [1]}}]}}', JSON
    ),
    "a deep nest": answer(201, "[" * 100_000, JSON),
    "a deep nest as text": answer(201, "[" * 100_000, PLAIN),
    "a number too long": answer(201, "9" * 5000, JSON),
    "bytes that never come": Behaviour(short_by=10),
    "no answer": DROP_AFTER_TAKING,
    "a dropped line": DROP_UNREAD,
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_an_answer_that_says_nothing_leaves_the_outcome_unknown(api: SmsApi, name: str) -> None:
    api.script(UNREADABLE[name])
    assert isinstance(failure(channel(api.url)), OutcomeUnknown)


@pytest.mark.parametrize("takes", [True, False])
def test_a_hanging_api_leaves_the_outcome_unknown(api: SmsApi, takes: bool) -> None:
    api.script(hang(20, takes=takes))
    error = failure(channel(api.url, read_seconds=0.3))
    assert isinstance(error, OutcomeUnknown)
    assert error.reason == "no answer: ReadTimeout"
    assert len(api.messages) == int(takes)


# --- no line ------------------------------------------------------------------------------------


def test_a_refused_connection_is_unreachable() -> None:
    with closed_door() as url:
        error = failure(channel(url))
    assert isinstance(error, Unreachable)
    assert error.reason == "no connection: NewConnectionError"


def test_a_connection_that_is_not_taken_in_time_is_unreachable() -> None:
    with ExitStack() as stack:
        full = stack.enter_context(closing(socket.socket()))
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for _ in range(4):
            waiting = stack.enter_context(closing(socket.socket()))
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        settings = AfricasTalking("w", "k", base_url=f"http://127.0.0.1:{full.getsockname()[1]}")
        error = failure(AfricasTalkingChannel(settings, (0.3, 5.0)))
    assert isinstance(error, Unreachable)
    assert error.reason == "no connection: ConnectTimeoutError"


@pytest.mark.parametrize(
    ("username", "host"),
    [("sandbox", "api.sandbox.africastalking.com"), ("wallet", "api.africastalking.com")],
)
def test_a_host_that_is_not_found_is_unreachable(
    monkeypatch: pytest.MonkeyPatch, username: str, host: str
) -> None:
    asked: list[str] = []

    def not_found(name: str, *_rest: Any, **_named: Any) -> None:
        asked.append(name)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", not_found)
    error = failure(AfricasTalkingChannel(AfricasTalking(username, "atsk_1")))
    assert isinstance(error, Unreachable)
    assert asked == [host]


def test_a_certificate_that_is_not_trusted_is_unreachable(
    api: SmsApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    def untrusted(*_rest: Any, **_named: Any) -> None:
        raise ssl.SSLCertVerificationError(1, "certificate verify failed")

    monkeypatch.setattr(ssl.SSLContext, "wrap_socket", untrusted)
    error = failure(channel(api.url.replace("http://", "https://")))
    assert isinstance(error, Unreachable)
    assert api.requests == []


def test_another_fault_of_the_encryption_leaves_the_outcome_unknown(api: SmsApi) -> None:
    error = failure(channel(api.url.replace("http://", "https://")))
    assert isinstance(error, OutcomeUnknown)


def test_a_proxy_that_does_not_answer_is_unreachable(
    api: SmsApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closed_door() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        error = failure(channel(api.url))
    assert isinstance(error, Unreachable)
    assert api.requests == []


# --- sent elsewhere -----------------------------------------------------------------------------


def test_a_redirect_that_ends_in_a_fetch_is_no_hand_over(api: SmsApi) -> None:
    api.script(redirect(302, f"{api.url}/version1/messaging"))
    assert isinstance(failure(channel(api.url)), OutcomeUnknown)
    assert api.messages == []


def test_a_redirect_to_a_closed_door_is_not_unreachable(api: SmsApi) -> None:
    with closed_door() as elsewhere:
        api.script(redirect(307, f"{elsewhere}/version1/messaging"))
        assert isinstance(failure(channel(api.url)), OutcomeUnknown)


def test_a_redirect_in_a_circle_ends(api: SmsApi) -> None:
    api.usual = redirect(308, f"{api.url}/version1/messaging")
    error = failure(channel(api.url))
    assert isinstance(error, OutcomeUnknown)
    assert error.reason == "no answer: TooManyRedirects"


# --- digits -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "echo",
    [
        answer(400, f"cannot send: {TEXT}", PLAIN),
        answer(201, f"cannot send: {TEXT}", JSON),
        refuse_whole(f"cannot send: {TEXT}"),
        refuse(999, f"cannot send: {TEXT}"),
        DROP_AFTER_TAKING,
    ],
)
def test_neither_error_nor_log_repeats_digits_that_an_answer_echoes(
    api: SmsApi, echo: Behaviour, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    api.script(echo)
    error = failure(channel(api.url))
    assert not [c for c in f"{error} {error!r} {error.reason}" if c.isdigit()]
    assert not [written for written in ("4907 5029", "4907+5029") if written in caplog.text]
