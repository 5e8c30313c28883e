"""The phone's SMS: the inbox, what a message lets one dial or type, and writing one."""

import re
from datetime import UTC, datetime

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Route, expect

from gateway.web.phone import Sms
from tests.web.phone_page import PhonePage
from tests.web.scripted_gateway import (
    ADA,
    BAYO,
    REPLIES,
    TOKEN,
    TOKEN_SMS,
    Gateway,
    application,
)

REDEEMED = REPLIES[f"1*{TOKEN}"].removeprefix("END ")


@pytest.fixture
def client(gateway: Gateway) -> FlaskClient:
    return application(gateway).test_client()


def test_a_message_arrives_while_one_watches(phone: PhonePage, gateway: Gateway) -> None:
    expect(phone.page.locator("#inbox-empty")).to_be_visible()
    gateway.deliver(ADA, TOKEN_SMS)
    expect(phone.page.locator(".message .preview")).to_have_text(TOKEN_SMS)
    expect(phone.unread("Ada")).to_have_text("1")
    expect(phone.page.locator("#lcd-unread")).to_have_text("1")
    expect(phone.page.locator("#announce")).to_have_text("New message for Ada from Tokens")


def test_the_newest_message_stands_first(phone: PhonePage, gateway: Gateway) -> None:
    gateway.deliver(ADA, "The first")
    gateway.deliver(ADA, "The second")
    phone.come_back()
    expect(phone.page.locator(".preview")).to_have_text(["The second", "The first"])


def test_another_phones_message_shows_on_its_badge(phone: PhonePage, gateway: Gateway) -> None:
    gateway.deliver(BAYO, TOKEN_SMS)
    phone.come_back()
    expect(phone.unread("Bayo")).to_have_text("1")
    expect(phone.page.locator(".message")).to_have_count(0)
    phone.switch_to("Bayo")
    expect(phone.page.locator(".message")).to_have_count(1)


def test_an_opened_message_counts_as_read_after_a_reload(
    phone: PhonePage, gateway: Gateway
) -> None:
    gateway.deliver(ADA, TOKEN_SMS)
    phone.open_newest_message()
    expect(phone.page.locator("#message-text")).to_have_text(TOKEN_SMS)
    expect(phone.page.locator(".chip:has-text('Ada') .badge")).to_be_hidden()
    phone.open()
    expect(phone.page.locator(".message")).to_have_count(1)
    expect(phone.page.locator(".message-list .unread")).to_have_count(0)
    expect(phone.page.locator(".chip:has-text('Ada') .badge")).to_be_hidden()


def test_the_browser_keeps_no_text_of_a_message(phone: PhonePage, gateway: Gateway) -> None:
    gateway.deliver(ADA, TOKEN_SMS)
    phone.open_newest_message()
    phone.page.locator("#message-text .inline").last.click()
    expect(phone.screen).to_have_text(REDEEMED)
    kept = phone.page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert not re.search(r"\d{10}|Token", kept.replace(ADA, ""))


def test_a_dial_string_in_a_message_is_dialled_by_a_press(
    phone: PhonePage, gateway: Gateway
) -> None:
    gateway.deliver(ADA, TOKEN_SMS)
    phone.open_newest_message()
    phone.page.click(f"#message-text .inline:has-text('*384*1*1*{TOKEN}#')")
    expect(phone.screen).to_have_text(REDEEMED)
    assert gateway.texts == [f"1*{TOKEN}"]


def test_the_digits_of_a_token_are_typed_by_a_press(phone: PhonePage, gateway: Gateway) -> None:
    gateway.deliver(ADA, TOKEN_SMS)
    phone.open_newest_message()
    phone.press("*384*1*1#")
    phone.call()
    expect(phone.screen).to_contain_text("Enter the token")
    phone.page.click("#message-text .inline:has-text('1234 5678')")
    expect(phone.entry).to_have_value(TOKEN)
    phone.page.keyboard.press("Enter")
    expect(phone.screen).to_have_text(REDEEMED)


@pytest.mark.parametrize(
    ("text", "pressable"),
    [
        (
            "Token 0001 2345 674, dial *384*1*1*00012345674#",
            ["0001 2345 674", "*384*1*1*00012345674#"],
        ),
        ("Call 0800 123 4567 or +2348030000001", []),
        ("Token 1234 5678 9012 345672", []),
        ("Pay NGN 500.00 by 30 Dec 2026", []),
        ("Dial *384*1#.", ["*384*1#"]),
    ],
)
def test_only_codes_and_right_tokens_can_be_pressed(
    phone: PhonePage, gateway: Gateway, text: str, pressable: list[str]
) -> None:
    gateway.deliver(ADA, text)
    phone.open_newest_message()
    expect(phone.page.locator("#message-text")).to_have_text(text)
    expect(phone.page.locator("#message-text .inline")).to_have_text(pressable)


def test_a_small_screen_shows_the_phone_when_a_code_is_dialled(
    phone: PhonePage, gateway: Gateway
) -> None:
    phone.resize(360, 740)
    gateway.deliver(ADA, TOKEN_SMS)
    phone.come_back()
    expect(phone.page.locator("#tab-badge")).to_have_text("1")
    phone.page.click(".tabs [data-tab=messages]")
    phone.open_newest_message()
    phone.page.locator("#message-text .inline").last.click()
    expect(phone.screen).to_be_visible()
    expect(phone.screen).to_have_text(REDEEMED)


def test_markup_in_a_message_is_text(phone: PhonePage, gateway: Gateway) -> None:
    text = "<script>alert(1)</script> & <b>NGN</b>"
    gateway.deliver(ADA, text, sender="<i>x</i>")
    phone.open_newest_message()
    expect(phone.page.locator("#message-text")).to_have_text(text)
    expect(phone.page.locator("#message-from")).to_have_text("<i>x</i>")


def test_an_sms_has_the_aggregators_fields(phone: PhonePage, gateway: Gateway) -> None:
    phone.page.click("#compose-open")
    phone.page.keyboard.type("REDEEM 1234 & more")
    phone.page.click("#compose-send")
    expect(phone.page.locator(".message .from")).to_have_text("To 38400")
    [message] = gateway.messages
    assert re.fullmatch(r"[0-9a-f]{32}", message.pop("id"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", message.pop("date"))
    assert message == {"from": ADA, "to": "38400", "text": "REDEEM 1234 & more"}


def test_two_sms_have_two_ids(phone: PhonePage, gateway: Gateway) -> None:
    for count in (1, 2):
        phone.page.click("#compose-open")
        phone.page.fill("#compose-text", "BAL")
        phone.page.click("#compose-send")
        expect(phone.page.locator(".message")).to_have_count(count)
    first, second = gateway.messages
    assert first["id"] != second["id"]


def test_an_sms_that_fails_keeps_its_text(phone: PhonePage, gateway: Gateway) -> None:
    gateway.sms_status = 500
    phone.page.click("#compose-open")
    phone.page.fill("#compose-text", "BAL")
    phone.page.click("#compose-send")
    expect(phone.page.locator("#compose-problem")).to_have_text("Message not sent. Try again.")
    expect(phone.page.locator("#compose-text")).to_have_value("BAL")
    gateway.sms_status = 200
    phone.page.click("#compose-send")
    expect(phone.page.locator(".message .preview")).to_have_text("BAL")


def test_an_empty_sms_is_not_sent(phone: PhonePage, gateway: Gateway) -> None:
    phone.page.click("#compose-open")
    phone.page.fill("#compose-text", "  ")
    phone.page.click("#compose-send")
    expect(phone.page.locator("#compose-problem")).to_have_text("Write something first.")
    assert gateway.messages == []


def test_an_inbox_out_of_reach_is_said_and_tried_again(phone: PhonePage, gateway: Gateway) -> None:
    def refuse(route: Route) -> None:
        route.abort("connectionrefused")

    phone.page.route("**/phone/inbox*", refuse)
    phone.come_back()
    expect(phone.page.locator("#inbox-problem")).to_contain_text("cannot be fetched")
    gateway.deliver(ADA, TOKEN_SMS)
    phone.page.unroute("**/phone/inbox*")
    expect(phone.page.locator(".message")).to_have_count(1)
    expect(phone.page.locator("#inbox-problem")).to_have_text("")


def test_no_inbox_is_fetched_while_nobody_looks(phone: PhonePage) -> None:
    fetched: list[str] = []
    phone.page.clock.install()
    phone.open()
    phone.page.evaluate(
        "Object.defineProperty(document, 'visibilityState', {value: 'hidden', configurable: true})"
    )
    phone.page.on("request", lambda request: fetched.append(request.url))
    phone.page.clock.run_for(10_000)
    assert fetched == []
    phone.page.evaluate("delete document.visibilityState")
    with phone.page.expect_request("**/phone/inbox*"):
        phone.page.clock.run_for(2_000)


def test_the_inboxes_of_several_phones_come_in_one_answer(
    client: FlaskClient, gateway: Gateway
) -> None:
    at = datetime(2026, 11, 30, 13, 5, 7, tzinfo=UTC)
    gateway.inboxes[ADA] = [Sms(id=7, sender="Tokens", text="Hello", at=at)]
    answer = client.get("/phone/inbox", query_string={"phone": [ADA, BAYO]})
    assert answer.headers["Cache-Control"] == "no-store"
    message = {"id": 7, "from": "Tokens", "text": "Hello", "at": "2026-11-30T13:05:07+00:00"}
    assert answer.get_json() == {
        "inboxes": [
            {"phone": ADA, "shown": "+234 803 000 0001", "messages": [message]},
            {"phone": BAYO, "shown": "+234 803 000 0002", "messages": []},
        ]
    }


def test_an_inbox_shows_its_newest_thirty(client: FlaskClient, gateway: Gateway) -> None:
    for number in range(35):
        gateway.deliver(ADA, f"Message {number}")
    [inbox] = client.get("/phone/inbox", query_string={"phone": ADA}).get_json()["inboxes"]
    texts = [message["text"] for message in inbox["messages"]]
    assert texts == [f"Message {number}" for number in range(34, 4, -1)]


@pytest.mark.parametrize("spelled", [[], [""], ["0803"], ["08030000001"], [ADA, "x"], [ADA] * 41])
def test_an_inbox_of_no_phone_is_refused(client: FlaskClient, spelled: list[str]) -> None:
    answer = client.get("/phone/inbox", query_string={"phone": spelled})
    assert answer.status_code == 422
    assert answer.mimetype == "application/problem+json"
    assert answer.get_json()["code"] == "invalid_request"
