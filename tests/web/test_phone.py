"""The phone in a real Chromium: dialling, answering, dropping, repeating, and what goes wrong."""

import re
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Route, expect

from tests.web.phone_page import PhonePage
from tests.web.scripted_gateway import ADA, BAYO, REPLIES, ROOT, SERVICE_CODE, TOKEN, Gateway

CARRIER_PROBLEM = "Connection problem or invalid MMI code."
ROOT_SCREEN = ROOT.removeprefix("CON ")
TOKEN_PROMPT = REPLIES["1"].removeprefix("CON ")
REDEEMED = REPLIES[f"1*{TOKEN}"].removeprefix("END ")


def test_a_visitor_reads_in_one_line_what_to_do(phone: PhonePage) -> None:
    expect(phone.page.locator(".hint")).to_have_text(f"Press the green key to dial {SERVICE_CODE}")


def test_the_green_key_dials_the_service_code(phone: PhonePage) -> None:
    phone.call()
    expect(phone.screen).to_have_text(ROOT_SCREEN)


def test_line_breaks_of_a_reply_are_lines_of_the_screen(phone: PhonePage) -> None:
    phone.call()
    expect(phone.screen).to_have_text(ROOT_SCREEN)
    assert phone.screen.evaluate("node => node.innerText") == ROOT_SCREEN


def test_a_request_has_the_aggregators_fields(phone: PhonePage, gateway: Gateway) -> None:
    phone.call()
    expect(phone.screen).to_have_text(ROOT_SCREEN)
    [body] = gateway.bodies
    fields = parse_qsl(body.decode(), keep_blank_values=True)
    session_id = dict(fields)["sessionId"]
    assert re.fullmatch(r"ATUid_[0-9a-f]{32}", session_id)
    assert body.decode() == (
        f"sessionId={session_id}&phoneNumber=%2B2348030000001&networkCode=62130"
        "&serviceCode=%2A384%2A1%23&text="
    )


def test_answers_add_up_in_one_session(phone: PhonePage, gateway: Gateway) -> None:
    phone.call()
    expect(phone.screen).to_have_text(ROOT_SCREEN)
    phone.answer("1")
    expect(phone.screen).to_have_text(TOKEN_PROMPT)
    phone.answer(TOKEN)
    expect(phone.screen).to_have_text(REDEEMED)
    assert gateway.texts == ["", "1", f"1*{TOKEN}"]
    assert len({turn["sessionId"] for turn in gateway.turns}) == 1


def test_an_answer_may_hold_stars_and_hashes(phone: PhonePage, gateway: Gateway) -> None:
    phone.call()
    expect(phone.screen).to_have_text(ROOT_SCREEN)
    phone.answer("12*34#")
    expect(phone.screen).to_have_text("Invalid choice.")
    assert gateway.texts == ["", "12*34#"]


def test_an_empty_answer_is_not_sent(phone: PhonePage, gateway: Gateway) -> None:
    phone.call()
    expect(phone.screen).to_have_text(ROOT_SCREEN)
    phone.call()
    phone.answer("0")
    expect(phone.screen).to_have_text("Goodbye.")
    assert gateway.texts == ["", "0"]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (SERVICE_CODE, ""),
        ("*384*1*4#", "4"),
        (f"*384*1*1*{TOKEN}#", f"1*{TOKEN}"),
    ],
)
def test_a_typed_code_is_dialled(phone: PhonePage, gateway: Gateway, code: str, text: str) -> None:
    phone.press(code)
    phone.call()
    expect(phone.screen).to_have_text(REPLIES[text][4:])
    assert gateway.texts == [text]
    assert gateway.turns[0]["serviceCode"] == SERVICE_CODE


@pytest.mark.parametrize("code", ["*123#", "*384*12#", "*384#"])
def test_another_operators_code_fails_as_on_any_network(
    phone: PhonePage, gateway: Gateway, code: str
) -> None:
    phone.press(code)
    phone.call()
    expect(phone.screen).to_have_text(CARRIER_PROBLEM)
    assert gateway.turns == []


@pytest.mark.parametrize("number", ["08030000001", "*384*1"])
def test_a_plain_number_is_told_from_a_code(
    phone: PhonePage, gateway: Gateway, number: str
) -> None:
    phone.press(number)
    phone.call()
    expect(phone.screen).to_contain_text("A code begins with * and ends with #.")
    assert gateway.turns == []


def test_after_the_end_the_green_key_dials_again(phone: PhonePage, gateway: Gateway) -> None:
    phone.press("*384*1*0#")
    phone.call()
    expect(phone.screen).to_have_text("Goodbye.")
    phone.call()
    expect(phone.screen).to_have_text(ROOT_SCREEN)
    first, second = (turn["sessionId"] for turn in gateway.turns)
    assert first != second


def test_after_the_end_a_key_begins_a_new_number(phone: PhonePage) -> None:
    phone.press("*384*1*0#")
    phone.call()
    expect(phone.screen).to_have_text("Goodbye.")
    phone.press("*3")
    expect(phone.entry).to_have_value("*3")


def test_hanging_up_sends_nothing_and_redialling_opens_a_new_session(
    phone: PhonePage, gateway: Gateway
) -> None:
    phone.call()
    expect(phone.screen).to_have_text(ROOT_SCREEN)
    phone.answer("1")
    expect(phone.screen).to_have_text(TOKEN_PROMPT)
    phone.hang_up()
    expect(phone.screen).to_have_text("Call dropped. Dial again to continue.")
    gateway.replies[""] = f"{ROOT}\n9 Continue"
    phone.call()
    expect(phone.screen).to_contain_text("9 Continue")
    assert gateway.texts == ["", "1", ""]
    assert gateway.turns[1]["sessionId"] != gateway.turns[2]["sessionId"]


def test_a_slow_answer_shows_that_the_code_is_running(phone: PhonePage, gateway: Gateway) -> None:
    gateway.answers.clear()
    phone.call()
    expect(phone.screen).to_have_text("USSD code running…")
    phone.press("1")
    phone.call()
    gateway.answers.set()
    expect(phone.screen).to_have_text(ROOT_SCREEN)
    expect(phone.entry).to_have_value("")
    assert gateway.texts == [""]


def test_a_reply_after_hanging_up_is_not_shown(phone: PhonePage, gateway: Gateway) -> None:
    gateway.answers.clear()
    phone.call()
    expect(phone.screen).to_have_text("USSD code running…")
    phone.hang_up()
    gateway.answers.set()
    expect(phone.newest.locator(".verdict")).to_have_text(
        "The session was over: the reply was not shown."
    )
    expect(phone.screen).to_have_text("Call dropped. Dial again to continue.")


def test_a_repeat_is_the_same_request_and_compares_the_bytes(
    phone: PhonePage, gateway: Gateway
) -> None:
    phone.call()
    expect(phone.screen).to_have_text(ROOT_SCREEN)
    phone.page.click("#repeat")
    expect(phone.newest.locator(".verdict")).to_contain_text("✓ The same bytes came back.")
    first, again = gateway.bodies
    assert first == again
    gateway.replies[""] = f"{ROOT} "
    phone.page.click("#repeat")
    expect(phone.newest.locator(".verdict")).to_contain_text("✗ Other bytes came back.")


def test_a_repeat_after_hanging_up_leaves_the_phone_alone(
    phone: PhonePage, gateway: Gateway
) -> None:
    phone.call()
    expect(phone.screen).to_have_text(ROOT_SCREEN)
    phone.hang_up()
    phone.page.click("#repeat")
    expect(phone.newest.locator(".verdict")).to_contain_text("✓ The same bytes came back.")
    expect(phone.screen).to_have_text("Call dropped. Dial again to continue.")


@pytest.mark.parametrize(
    ("status", "reply"),
    [
        (500, ROOT),
        (404, "Not found"),
        (200, ""),
        (200, " CON leading space"),
        (200, "CONtinue"),
        (200, "<html>error</html>"),
    ],
)
def test_an_unusable_reply_is_shown_as_the_carrier_shows_it(
    phone: PhonePage, gateway: Gateway, status: int, reply: str
) -> None:
    gateway.ussd_status = status
    gateway.replies[""] = reply
    phone.call()
    expect(phone.screen).to_have_text(CARRIER_PROBLEM)
    expect(phone.newest.locator(".reply")).to_contain_text(f"{status} text/plain")


def test_a_gateway_out_of_reach_is_shown_as_the_carrier_shows_it(phone: PhonePage) -> None:
    def refuse(route: Route) -> None:
        route.abort("connectionrefused")

    phone.page.route("**/ussd/**", refuse)
    phone.call()
    expect(phone.screen).to_have_text(CARRIER_PROBLEM)
    expect(phone.newest.locator(".reply")).to_have_text("no connection")
    phone.page.unroute("**/ussd/**")
    phone.call()
    expect(phone.screen).to_have_text(ROOT_SCREEN)


def test_the_carrier_waits_ten_seconds(phone: PhonePage, gateway: Gateway) -> None:
    phone.page.clock.install()
    phone.open()
    gateway.answers.clear()
    phone.call()
    phone.page.clock.fast_forward(9_000)
    expect(phone.screen).to_have_text("USSD code running…")
    phone.page.clock.fast_forward(1_500)
    expect(phone.screen).to_have_text(CARRIER_PROBLEM)
    expect(phone.newest.locator(".reply")).to_have_text("no answer within 10 s")


def test_markup_in_a_reply_is_text(phone: PhonePage, gateway: Gateway) -> None:
    gateway.replies[""] = "END <b>NGN</b> & <img src=x onerror=alert(1)>"
    phone.call()
    expect(phone.screen).to_have_text("<b>NGN</b> & <img src=x onerror=alert(1)>")
    expect(phone.page.locator("main img")).to_have_count(0)


def test_the_log_shows_request_and_reply_as_they_went_over_the_wire(
    phone: PhonePage, gateway: Gateway
) -> None:
    phone.call()
    expect(phone.screen).to_have_text(ROOT_SCREEN)
    sent = gateway.bodies[0].decode()
    request, reply = phone.newest.locator(".request"), phone.newest.locator(".reply")
    assert request.text_content() == f"POST /ussd/africastalking/s3cret\n\n{sent}"
    assert reply.text_content() == f"200 text/plain; charset=utf-8\n\n{ROOT}"
    request.select_text()
    assert sent in phone.page.evaluate("getSelection().toString()")
    phone.page.click("#log > summary")
    expect(request).to_be_hidden()


def test_each_phone_has_its_own_session(phone: PhonePage, gateway: Gateway) -> None:
    phone.call()
    expect(phone.screen).to_have_text(ROOT_SCREEN)
    phone.answer("1")
    expect(phone.screen).to_have_text(TOKEN_PROMPT)
    phone.switch_to("Bayo")
    expect(phone.screen).to_have_text("")
    expect(phone.page.locator("#exchanges > li")).to_have_count(0)
    phone.call()
    expect(phone.screen).to_have_text(ROOT_SCREEN)
    phone.switch_to("Ada")
    expect(phone.screen).to_have_text(TOKEN_PROMPT)
    phone.answer(TOKEN)
    expect(phone.screen).to_have_text(REDEEMED)
    assert [turn["phoneNumber"] for turn in gateway.turns] == [ADA, ADA, BAYO, ADA]
    assert gateway.turns[3]["text"] == f"1*{TOKEN}"
