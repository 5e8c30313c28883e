"""Africa's Talking's callbacks: raw bodies in, messages out, and the reply's bytes."""

from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest

from gateway.channels.africastalking import AfricasTalkingChannel
from gateway.channels.base import (
    Delivery,
    DeliveryReport,
    Inbound,
    InboundSms,
    Malformed,
    UssdEnd,
    UssdReply,
    UssdTurn,
)
from gateway.errors import Misconfigured
from gateway.settings import AfricasTalking
from tests.channels.bodies import inbound, sample
from tests.channels.contract import SmsContract

CHANNEL = AfricasTalkingChannel(AfricasTalking())
SHARED_CODE = AfricasTalkingChannel(AfricasTalking(text_prefix="33"))
CAPTURED = "ATUid_7c898d72eb11f723ed8ea05ef232f279"
OTHER = "ATUid_05af06225e6163ec2dc9dc9cf8bc97aa"
PHONE = "+254700000001"
REPORT_ID = "ATXid_00Abc9d8e7f6a5b4c3d2e1f009876543"
MESSAGE_ID = "0f1c7a52-6d4e-4b7f-9a55-2f4f3e1d9b10"
INSTANT = datetime(2026, 5, 3, 6, 4, 45, tzinfo=UTC)

USSD_NAMES = {
    "session": "sessionId",
    "phone": "phoneNumber",
    "service_code": "serviceCode",
    "network": "networkCode",
    "text": "text",
    "status": "status",
}
MESSAGE_NAMES = {"id": "id", "sender": "from", "recipient": "to", "text": "text", "date": "date"}
REPORT_NAMES = {"id": "id", "status": "status", "reason": "failureReason"}

WORDS = {
    "Sent": Delivery.INTERIM,
    "Submitted": Delivery.INTERIM,
    "Buffered": Delivery.INTERIM,
    "Success": Delivery.DELIVERED,
    "Failed": Delivery.FAILED,
    "Rejected": Delivery.FAILED,
    "AbsentSubscriber": Delivery.FAILED,
    "Expired": Delivery.FAILED,
}


def form(fields: Mapping[str, str], names: Mapping[str, str]) -> Inbound:
    return inbound(urlencode({names[name]: value for name, value in fields.items()}).encode())


def body(name: str) -> Inbound:
    return inbound(sample(f"africastalking/{name}.form"))


class TestSms(SmsContract):
    channel = CHANNEL
    words = WORDS

    def message(self, fields: Mapping[str, str]) -> Inbound:
        return form(fields, MESSAGE_NAMES)

    def report(self, fields: Mapping[str, str]) -> Inbound:
        return form(fields, REPORT_NAMES)

    def date(self, instant: datetime) -> str:
        return instant.strftime("%Y-%m-%d %H:%M:%S")


def turn(session_id: str, service_code: str, network: str, text: str) -> UssdTurn:
    return UssdTurn("africastalking", session_id, PHONE, service_code, network, text)


TURNS = {
    "ussd-first-dial": turn(CAPTURED, "*384*44135#", "99999", ""),
    "ussd-later-turn": turn(CAPTURED, "*384*44135#", "99999", "1*2"),
    "ussd-plus-unescaped": turn(OTHER, "*384*123#", "63902", "1"),
    "ussd-hash-escaped": turn(OTHER, "*384*1#", "63902", "1*902100000000000014#"),
    "ussd-hash-unescaped": turn(OTHER, "*384*1#", "63902", "1*902100000000000014#"),
    "ussd-spaces": turn(OTHER, "*384*1#", "63902", " 1 "),
    "ussd-nul": turn(OTHER, "*384*1#", "63902", "1*\x00"),
    "ussd-newline": turn(OTHER, "*384*1#", "63902", "1*12\n34"),
    "ussd-shared-code": turn(OTHER, "*384*123#", "63902", "33"),
}


@pytest.mark.parametrize("name", TURNS)
def test_a_callback_is_read_from_its_raw_body(name: str) -> None:
    assert CHANNEL.parse_turn(body(name)) == TURNS[name]


def test_undecodable_bytes_are_an_entry_like_any_other() -> None:
    text = CHANNEL.parse_turn(body("ussd-undecodable")).text
    assert isinstance(text, str)
    assert text.startswith("1*")
    assert not text.removeprefix("1*").isdigit()


@pytest.mark.parametrize("name", ["ussd-no-session", "ussd-no-phone"])
def test_a_callback_without_session_or_phone_is_malformed(name: str) -> None:
    with pytest.raises(Malformed):
        CHANNEL.parse_turn(body(name))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("33", ""),
        ("33*1", "1"),
        ("33*33", "33"),
        ("33*1*33", "1*33"),
        ("331", "331"),
        ("1*33", "1*33"),
        ("", ""),
        ("33*", ""),
    ],
)
def test_a_shared_codes_extension_is_cut_once_from_the_front(text: str, left: str) -> None:
    request = form({"session": CAPTURED, "phone": PHONE, "text": text}, USSD_NAMES)
    assert SHARED_CODE.parse_turn(request).text == left


def test_the_extension_may_be_written_with_its_stars() -> None:
    channel = AfricasTalkingChannel(AfricasTalking(text_prefix="*33*"))
    assert channel.parse_turn(body("ussd-shared-code-later")).text == "1*33"


def test_a_session_end_is_read_without_what_was_entered_or_shown() -> None:
    assert CHANNEL.parse_end(body("ussd-end")) == UssdEnd(
        "africastalking", CAPTURED, PHONE, "Incomplete"
    )


def test_a_session_end_needs_no_phone() -> None:
    read = CHANNEL.parse_end(inbound(b"sessionId=ATUid_1&status=Failed"))
    assert read == UssdEnd("africastalking", "ATUid_1", "", "Failed")


def test_a_session_end_without_a_session_is_malformed() -> None:
    with pytest.raises(Malformed):
        CHANNEL.parse_end(inbound(b"phoneNumber=%2B254700000001&status=Failed"))


@pytest.mark.parametrize(
    ("reply", "body"),
    [
        (UssdReply("Enter token", ends=False), b"CON Enter token"),
        (UssdReply("Bye", ends=True), b"END Bye"),
        (UssdReply("1 Redeem\n0 Exit", ends=False), b"CON 1 Redeem\n0 Exit"),
        (UssdReply("\xe0 payer", ends=True), b"END \xc3\xa0 payer"),
    ],
)
def test_a_reply_begins_with_con_or_end_and_nothing_stands_before_it(
    reply: UssdReply, body: bytes
) -> None:
    assert CHANNEL.render(reply, inbound()) == body


def test_a_reply_is_plain_text() -> None:
    assert CHANNEL.content_type == "text/plain; charset=utf-8"


@pytest.mark.parametrize("name", ["sms-iso-date", "sms-spaced-date"])
def test_both_shapes_of_date_give_the_same_instant(name: str) -> None:
    assert CHANNEL.parse_message(body(name)) == InboundSms(
        "africastalking", MESSAGE_ID, PHONE, "21512", "Msg", INSTANT
    )


def test_an_odd_date_is_no_date() -> None:
    assert CHANNEL.parse_message(body("sms-odd-date")).sent_at is None


def test_a_message_without_a_date_keeps_its_text_to_the_last_space() -> None:
    assert CHANNEL.parse_message(body("sms-no-date")) == InboundSms(
        "africastalking", MESSAGE_ID, PHONE, "21512", " 9021 0000\n ", None
    )


@pytest.mark.parametrize(
    ("name", "report"),
    [
        (
            "report-success",
            DeliveryReport("africastalking", REPORT_ID, Delivery.DELIVERED, "Success", "", PHONE),
        ),
        (
            "report-failed",
            DeliveryReport(
                "africastalking", REPORT_ID, Delivery.FAILED, "Failed", "NotNetworkSubcriber", PHONE
            ),
        ),
        (
            "report-unknown-word",
            DeliveryReport("africastalking", REPORT_ID, Delivery.UNKNOWN_WORD, "Borked", ""),
        ),
    ],
)
def test_a_report_is_read_from_its_raw_body(name: str, report: DeliveryReport) -> None:
    assert CHANNEL.parse_report(body(name)) == report


def test_a_report_without_an_id_is_malformed() -> None:
    with pytest.raises(Malformed):
        CHANNEL.parse_report(body("report-no-id"))


def test_a_long_failure_reason_does_not_lose_the_report() -> None:
    read = CHANNEL.parse_report(
        form({"id": "1", "status": "Failed", "reason": "x" * 999}, REPORT_NAMES)
    )
    assert (read.delivery, len(read.reason)) == (Delivery.FAILED, 128)


@pytest.mark.parametrize(
    "base_url", ["localhost:9000", "ftp://127.0.0.1", "http://", "http://a b", "http://h:x", "x"]
)
def test_a_base_url_that_cannot_be_called_is_refused_at_start(base_url: str) -> None:
    with pytest.raises(Misconfigured, match="AFRICASTALKING_BASE_URL"):
        AfricasTalkingChannel(AfricasTalking(base_url=base_url))


@pytest.mark.parametrize("api_key", ["atsk one", "atsk\n", "\u043a\u043b\u044e\u0447"])
def test_a_key_that_no_header_can_carry_is_refused_at_start(api_key: str) -> None:
    with pytest.raises(Misconfigured, match="AFRICASTALKING_API_KEY") as raised:
        AfricasTalkingChannel(AfricasTalking(api_key=api_key))
    assert api_key not in str(raised.value)
