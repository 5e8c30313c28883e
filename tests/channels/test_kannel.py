"""Kannel's calls: messages by get-url and post-url, delivery reports, and odd charsets."""

from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest

from gateway.channels.base import (
    Delivery,
    DeliveryReport,
    Inbound,
    InboundSms,
    Malformed,
    SmsChannel,
)
from gateway.channels.kannel import KannelChannel
from gateway.errors import Misconfigured
from gateway.settings.kannel import Kannel
from tests.channels.bodies import inbound, sample
from tests.channels.contract import SmsContract

CHANNEL: SmsChannel = KannelChannel(Kannel(), "")
MESSAGE_ID = "098e6266-2837-46d4-aa86-3c933ac3df0c"
SENDER = "+2348031234567"
MESSAGE_NAMES = {"id": "id", "sender": "from", "recipient": "to", "date": "time"}
REPORT_NAMES = {"id": "id", "status": "type"}
PLAIN = 'text/plain; charset="UTF-8"'
WORDS = {
    "1": Delivery.DELIVERED,
    "2": Delivery.FAILED,
    "4": Delivery.INTERIM,
    "8": Delivery.INTERIM,
    "16": Delivery.FAILED,
}


def query(fields: Mapping[str, str], names: Mapping[str, str]) -> str:
    """The fields as Kannel writes them into a URL."""
    return urlencode({names[name]: value for name, value in fields.items() if name in names})


class ByPost(SmsContract):
    channel = CHANNEL
    words = WORDS

    def message(self, fields: Mapping[str, str]) -> Inbound:
        return inbound(
            fields.get("text", "").encode(),
            query=f"{query(fields, MESSAGE_NAMES)}&charset=UTF-8",
            content_type=PLAIN,
        )

    def report(self, fields: Mapping[str, str]) -> Inbound:
        return inbound(query=query(fields, REPORT_NAMES), method="GET")

    def date(self, instant: datetime) -> str:
        return f"{instant.timestamp():.0f}"


class TestByPost(ByPost):
    """The text is the body of a post-url."""


class TestByGet(ByPost):
    """The text is a field of a get-url."""

    def message(self, fields: Mapping[str, str]) -> Inbound:
        names = {**MESSAGE_NAMES, "text": "text"}
        return inbound(query=f"charset=UTF-8&{query(fields, names)}", method="GET")


def recorded(name: str) -> Inbound:
    """A request that a Kannel 1.4.5 made: its line, its content type, and its body."""
    head, _, body = sample(f"kannel/{name}.http").partition(b"\n\n")
    line, _, content_type = head.decode().partition("\n")
    method, target = line.split(" ")
    return inbound(body, query=target.partition("?")[2], content_type=content_type, method=method)


def message(text: str, sender: str = SENDER, message_id: str = MESSAGE_ID) -> InboundSms:
    sent_at = datetime(2026, 11, 30, 23, 12, 27, tzinfo=UTC)
    return InboundSms("kannel", message_id, sender, "44567", text, sent_at)


MESSAGES = {
    "post-spaces": message("TOKEN 1234  5678"),
    "post-no-plus": message("%41b%2B@", "2348031234567"),
    "post-accents": message("na\xefve \u20ac \xc0"),
    "post-not-utf8": message("latin \ufffd"),
    "post-8-bit": message("AB"),
    "post-empty": message(""),
    "get-spaces": message("TOKEN 1234  5678"),
    "get-latin-1": message("d\xe9j\xe0 vu"),
    "get-ucs-2": message("\uff14\uff19 \u20a6"),
    "post-ucs-2": message("\uff14\uff19 \u20a6"),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_is_read_from_what_kannel_sends(name: str) -> None:
    assert CHANNEL.parse_message(recorded(name)) == MESSAGES[name]


@pytest.mark.parametrize(
    ("name", "report"),
    [
        ("report-accepted", ("8", Delivery.INTERIM, "")),
        ("report-delivered", ("1", Delivery.DELIVERED, "")),
        ("report-rejected", ("16", Delivery.FAILED, "rejected by the SMSC")),
    ],
)
def test_a_report_is_read_from_what_kannel_sends(
    name: str, report: tuple[str, Delivery, str]
) -> None:
    status, delivery, reason = report
    said = DeliveryReport("kannel", "sms17-261130231213-0", delivery, status, reason, SENDER)
    assert CHANNEL.parse_report(recorded(name)) == said


@pytest.mark.parametrize("charset", ["", "klingon", "rot13", "hex", "UTF-8", "utf-8", "8-BIT"])
def test_a_charset_that_nobody_knows_is_read_as_utf8(charset: str) -> None:
    request = inbound(
        "4907 \u20a6".encode(),
        query=urlencode({"id": "1", "from": SENDER, "charset": charset}),
        content_type=PLAIN,
    )
    assert CHANNEL.parse_message(request).text == "4907 \u20a6"


def test_a_message_in_a_form_has_no_id_and_is_malformed() -> None:
    with pytest.raises(Malformed):
        CHANNEL.parse_message(inbound(b"id=1&from=%2B2348031234567&text=BAL"))


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"sendsms_url": "localhost:13013"}, "KANNEL_SENDSMS_URL"),
        ({"sendsms_url": "http://u:p@localhost/"}, "KANNEL_SENDSMS_URL"),
        ({"sendsms_url": "http://localhost/x?smsc=A"}, "KANNEL_SENDSMS_URL"),
        ({"username": "a b"}, "KANNEL_USERNAME"),
        ({"password": "pass-w\xf6rd"}, "KANNEL_PASSWORD"),
        ({"password": "pass-word\r\nX-Kannel-To: 1"}, "KANNEL_PASSWORD"),
        ({"sender": "B" * 17}, "KANNEL_SENDER"),
        ({"sender": "Shop\n"}, "KANNEL_SENDER"),
    ],
)
def test_settings_that_cannot_be_used_are_refused_at_start(
    changed: dict[str, str], named: str
) -> None:
    with pytest.raises(Misconfigured, match=named) as raised:
        KannelChannel(Kannel(**changed), "")
    assert "pass-w" not in str(raised.value)


@pytest.mark.parametrize("url", ["localhost", "http://h/%d", "https://h/receipts?id=1"])
def test_an_address_that_kannel_could_not_call_is_refused_at_start(url: str) -> None:
    with pytest.raises(Misconfigured, match="KANNEL_CALLBACK_URL"):
        KannelChannel(Kannel(), url)


def test_the_password_is_not_in_the_settings_repr() -> None:
    assert "pass-word" not in repr(Kannel(password="pass-word"))
