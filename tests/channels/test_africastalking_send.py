"""Sending over Africa's Talking: what is accepted, refused, and tried later."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from gateway.channels.africastalking import AfricasTalkingChannel
from gateway.channels.base import Handover
from gateway.errors import OutcomeUnknown, Refused, Throttled
from gateway.settings import AfricasTalking
from tests.channels.sending import JSON, PHONE, PLAIN, TEXT, body, channel, failure, send
from tests.emulators.africastalking import SmsApi
from tests.emulators.africastalking_answers import (
    ACCEPT_WITH_CHARSET,
    Behaviour,
    answer,
    refuse,
    refuse_whole,
    slow,
)

MESSAGE_ID = "ATXid_00Abc9d8e7f6a5b4c3d2e1f009876543"


# --- accepted ---------------------------------------------------------------------------------


def test_an_accepted_message_has_the_apis_id_and_cost(api: SmsApi) -> None:
    handover = send(channel(api.url))
    assert handover == Handover(api.requests[0].message_id, "KES 0.8000", delivered=False)
    assert handover.message_id.startswith("ATXid_")


def test_the_form_on_the_wire_is_the_apis(api: SmsApi) -> None:
    send(channel(api.url, sender_id="TOKENS"))
    (request,) = api.requests
    assert request.form == {
        "username": "wallet",
        "to": PHONE,
        "message": TEXT,
        "bulkSMSMode": "1",
        "from": "TOKENS",
    }
    assert request.api_key == "atsk_1"
    assert request.headers["Accept"] == JSON


@pytest.mark.parametrize(
    ("ours", "given", "wired"),
    [("", None, None), ("", "", None), ("TOKENS", None, "TOKENS"), ("TOKENS", "SHOP", "SHOP")],
)
def test_a_sender_id_is_left_out_when_there_is_none(
    api: SmsApi, ours: str, given: str | None, wired: str | None
) -> None:
    send(channel(api.url, sender_id=ours), sender_id=given)
    assert api.requests[0].sender_id == wired


@pytest.mark.parametrize("ending", ["", "/", "/version1", "/version1/"])
def test_the_base_url_may_end_as_the_vendor_or_we_write_it(api: SmsApi, ending: str) -> None:
    send(channel(api.url + ending))
    assert len(api.messages) == 1


@pytest.mark.parametrize("code", [100, 101, 102])
def test_processed_sent_and_queued_are_accepted(api: SmsApi, code: int) -> None:
    api.script(Behaviour(code=code, word="Sent"))
    assert send(channel(api.url)).message_id == api.requests[0].message_id


@pytest.mark.parametrize(
    ("status", "content_type"),
    [
        (201, JSON),
        (200, JSON),
        (201, "application/json; charset=utf-8"),
        (201, "text/plain"),
        (409, JSON),
        (500, JSON),
    ],
)
def test_the_body_decides_under_any_status_and_content_type(
    api: SmsApi, status: int, content_type: str
) -> None:
    api.script(answer(status, body("sent-accepted.json"), content_type))
    assert send(channel(api.url)) == Handover(MESSAGE_ID, "KES 0.8000")


def test_an_answer_that_names_a_charset_is_read_too(api: SmsApi) -> None:
    api.script(ACCEPT_WITH_CHARSET)
    assert send(channel(api.url)).message_id == api.requests[0].message_id


@pytest.mark.parametrize(
    "message_id",
    ['"None"', "null", "17", '"' + "x" * 129 + '"', '""', '" "', r'"ATX\ud800"', r'"ATX\u0000"'],
)
def test_an_id_that_is_none_is_not_an_id(api: SmsApi, message_id: str) -> None:
    text = body("sent-accepted.json").replace(f'"{MESSAGE_ID}"', message_id)
    api.script(answer(201, text, JSON))
    assert send(channel(api.url)).message_id == ""


def test_a_slow_answer_within_the_time_is_an_answer(api: SmsApi) -> None:
    api.script(slow(0.3))
    assert send(channel(api.url)).message_id == api.requests[0].message_id


def test_threads_may_share_the_channel(api: SmsApi) -> None:
    shared = channel(api.url)
    numbers = [f"+23480300000{n:02}" for n in range(12)]
    with ThreadPoolExecutor(4) as threads:
        ids = list(
            threads.map(lambda number: send(shared, number, f"to {number}").message_id, numbers)
        )
    assert {(m.to, m.text, m.message_id) for m in api.messages} == {
        (number, f"to {number}", message_id)
        for number, message_id in zip(numbers, ids, strict=True)
    }


# --- refused before anything is sent ------------------------------------------------------------


@pytest.mark.parametrize(
    "phone",
    [
        "",
        "+",
        "2348030000001",
        "+0348030000001",
        "+1234567",
        "+2348030000001\n",
        "+2348030000001000",
        "+2348030000001,+2348030000002",
        "+\u0662\u0663\u0664\u0668\u0660\u0663\u0660\u0660",
        "+234 803 000 0001",
        "MTN",
    ],
)
def test_what_is_not_e164_never_reaches_the_line(api: SmsApi, phone: str) -> None:
    with pytest.raises(Refused):
        send(channel(api.url), phone)
    assert api.requests == []


def test_an_empty_message_never_reaches_the_line(api: SmsApi) -> None:
    with pytest.raises(Refused):
        send(channel(api.url), text="")
    assert api.requests == []


# --- the recipient's status codes ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "word", "alarm"),
    [
        (401, "RiskHold", True),
        (402, "InvalidSenderId", True),
        (403, "InvalidPhoneNumber", False),
        (404, "UnsupportedNumberType", False),
        (406, "UserInBlacklist", False),
        (409, "DoNotDisturbRejection", False),
        (502, "RejectedByGateway", True),
    ],
)
def test_a_final_status_code_refuses(api: SmsApi, code: int, word: str, alarm: bool) -> None:
    api.answer_to(PHONE, refuse(code, word))
    error = failure(channel(api.url))
    assert isinstance(error, Refused)
    assert (error.reason, error.alarm) == (word, alarm)


@pytest.mark.parametrize(
    ("code", "word", "alarm", "seconds"),
    [
        (405, "InsufficientBalance", True, 300),
        (407, "CouldNotRoute", False, 60),
        (500, "InternalServerError", False, 60),
        (501, "GatewayError", False, 60),
    ],
)
def test_a_passing_status_code_is_tried_later(
    api: SmsApi, code: int, word: str, alarm: bool, seconds: int
) -> None:
    api.answer_to(PHONE, refuse(code, word))
    error = failure(channel(api.url))
    assert isinstance(error, Throttled)
    assert (error.reason, error.alarm, error.retry_after) == (word, alarm, seconds)


@pytest.mark.parametrize("code", [0, 99, 103, 400, 408, 503, 999])
def test_an_unknown_status_code_leaves_the_outcome_unknown(api: SmsApi, code: int) -> None:
    api.script(refuse(code, "SomethingNew"))
    error = failure(channel(api.url))
    assert isinstance(error, OutcomeUnknown)
    assert error.reason == "unknown status code: SomethingNew"


@pytest.mark.parametrize("status", [201, 409])
def test_do_not_disturb_refuses_under_either_http_status(api: SmsApi, status: int) -> None:
    api.script(answer(status, body("sent-do-not-disturb.json"), JSON, takes=False))
    error = failure(channel(api.url))
    assert isinstance(error, Refused)
    assert error.reason == "DoNotDisturbRejection"


# --- the whole request refused ------------------------------------------------------------------


def test_an_invalid_sender_id_refuses_and_alarms(api: SmsApi) -> None:
    api.script(answer(201, body("sent-invalid-sender.json"), JSON, takes=False))
    error = failure(channel(api.url))
    assert isinstance(error, Refused)
    assert (error.reason, error.alarm) == ("InvalidSenderId", True)


@pytest.mark.parametrize(
    ("word", "kind", "alarm"),
    [
        ("InvalidPhoneNumber", Refused, False),
        ("InsufficientBalance", Throttled, True),
        ("SomethingNew", Refused, True),
        ("", Refused, True),
    ],
)
def test_no_recipient_at_all_is_refused_for_the_reason_given(
    api: SmsApi, word: str, kind: type[Refused | Throttled], alarm: bool
) -> None:
    api.script(refuse_whole(word))
    error = failure(channel(api.url))
    assert isinstance(error, kind)
    assert error.alarm is alarm


def test_sent_without_a_recipient_leaves_the_outcome_unknown(api: SmsApi) -> None:
    api.script(refuse_whole("Sent to 1/1 Total Cost: KES 0.8000"))
    assert isinstance(failure(channel(api.url)), OutcomeUnknown)


def test_a_wrong_key_holds_messages_back_and_alarms(api: SmsApi) -> None:
    wrong = AfricasTalkingChannel(AfricasTalking("wallet", "atsk_2", base_url=api.url))
    error = failure(wrong)
    assert isinstance(error, Throttled)
    assert (error.reason, error.alarm, error.retry_after) == ("credentials refused", True, 300)
    assert api.messages == []


def test_a_missing_key_holds_messages_back_and_alarms(api: SmsApi) -> None:
    text = "The resource requires authentication, which was not supplied with the request"
    api.script(answer(401, text, PLAIN, takes=False))
    error = failure(channel(api.url))
    assert isinstance(error, Throttled)
    assert error.alarm
