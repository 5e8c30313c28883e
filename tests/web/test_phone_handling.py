"""Handling the phone: by keyboard, by mouse, on a small screen; and the rules of its page."""

import re

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import expect

from tests.web.phone_page import PhonePage
from tests.web.scripted_gateway import ROOT, TOKEN, Gateway, application

ROOT_SCREEN = ROOT.removeprefix("CON ")
PAGE_BYTES_MAX = 100_000


@pytest.fixture
def client(gateway: Gateway) -> FlaskClient:
    return application(gateway).test_client()


def test_a_dialogue_is_held_by_keyboard_alone(phone: PhonePage, gateway: Gateway) -> None:
    keyboard = phone.page.keyboard
    keyboard.type("*384*1#")
    expect(phone.entry).to_have_value("*384*1#")
    keyboard.press("Enter")
    expect(phone.screen).to_have_text(ROOT_SCREEN)
    keyboard.type("12")
    keyboard.press("Backspace")
    keyboard.press("Enter")
    expect(phone.screen).to_contain_text("Enter the token")
    keyboard.press("Escape")
    expect(phone.screen).to_contain_text("Call dropped")
    assert gateway.texts == ["", "1"]


def test_every_control_is_reached_by_tab_and_shows_its_focus(phone: PhonePage) -> None:
    wanted = {"entry", "key-left", "key-call", "key-up", "key-down", "key-right", "key-end"}
    seen: set[str] = set()
    for _ in range(40):
        phone.page.keyboard.press("Tab")
        active = phone.page.evaluate(
            "[document.activeElement.id, getComputedStyle(document.activeElement).outlineStyle]"
        )
        if active[0]:
            assert active[1] == "solid", active[0]
        seen.add(active[0])
    assert wanted <= seen


def test_enter_on_a_focused_key_presses_that_key(phone: PhonePage, gateway: Gateway) -> None:
    phone.page.locator('[data-key="5"]').focus()
    phone.page.keyboard.press("Enter")
    expect(phone.entry).to_have_value("5")
    assert gateway.turns == []


@pytest.mark.parametrize("pressed", ['.keypad [data-key="1"]', ".chip:has-text('Ada')", "#repeat"])
def test_enter_after_a_mouse_press_means_send(phone: PhonePage, pressed: str) -> None:
    phone.call()
    expect(phone.screen).to_have_text(ROOT_SCREEN)
    phone.page.keyboard.type("1" if "key" not in pressed else "")
    phone.page.click(pressed)
    expect(phone.entry).to_have_value("1")
    expect(phone.page.locator("#repeat")).to_be_enabled()
    phone.page.keyboard.press("Enter")
    expect(phone.screen).to_contain_text("Enter the token")


def test_the_soft_keys_do_what_the_screen_says(phone: PhonePage) -> None:
    left, right = phone.page.locator("#key-left"), phone.page.locator("#key-right")
    expect(left).to_have_accessible_name("Call")
    left.click()
    expect(phone.screen).to_have_text(ROOT_SCREEN)
    expect(left).to_have_accessible_name("Send")
    phone.press("0")
    expect(right).to_have_accessible_name("Clear")
    right.click()
    expect(phone.entry).to_have_value("")
    expect(right).to_have_accessible_name("Hang up")
    phone.press("0")
    left.click()
    expect(phone.screen).to_have_text("Goodbye.")
    expect(left).to_have_accessible_name("OK")
    left.click()
    expect(phone.screen).to_have_text("")


def test_a_token_is_pasted_with_its_spaces(phone: PhonePage) -> None:
    phone.call()
    expect(phone.screen).to_have_text(ROOT_SCREEN)
    phone.page.evaluate(
        """() => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text", " 1234 5678 9012 345671\\n");
          document.body.dispatchEvent(
            new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true}));
        }"""
    )
    expect(phone.entry).to_have_value(TOKEN)


def test_a_long_menu_scrolls_by_key(phone: PhonePage) -> None:
    phone.press("*384*1*4*2#")
    phone.call()
    expect(phone.screen).to_contain_text("98 More")
    expect(phone.page.locator("#lcd-more")).to_be_visible()
    phone.page.click("#key-down")
    phone.page.click("#key-down")
    expect(phone.page.locator("#lcd-more")).to_be_hidden()
    phone.page.keyboard.press("ArrowUp")
    expect(phone.page.locator("#lcd-more")).to_be_visible()


def test_screen_readers_hear_each_screen(phone: PhonePage) -> None:
    expect(phone.page.get_by_role("status", name="Screen")).to_have_count(1)
    phone.call()
    expect(phone.page.get_by_role("status", name="Screen")).to_have_text(ROOT_SCREEN)
    expect(phone.entry).to_have_accessible_name("Your answer")


def test_every_button_has_a_name(phone: PhonePage) -> None:
    for button in phone.page.get_by_role("button").all():
        expect(button).to_have_accessible_name(re.compile(r"\S"))


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (768, 1024), (360, 740), (360, 640)])
def test_the_phone_fits_the_screen(phone: PhonePage, width: int, height: int) -> None:
    phone.resize(width, height)
    phone.call()
    expect(phone.screen).to_have_text(ROOT_SCREEN)
    assert phone.page.evaluate("document.documentElement.scrollWidth") == width
    last_key = phone.page.locator('[data-key="#"]').bounding_box()
    assert last_key is not None
    assert last_key["y"] + last_key["height"] <= height


def test_a_small_screen_has_tabs_for_messages_and_log(phone: PhonePage) -> None:
    phone.resize(360, 740)
    handset, messages, log = (
        phone.page.locator(f"#{name}") for name in ("handset", "messages", "log")
    )
    expect(handset).to_be_visible()
    expect(messages).to_be_hidden()
    phone.page.click(".tabs [data-tab=messages]")
    expect(messages).to_be_visible()
    expect(handset).to_be_hidden()
    phone.page.click(".tabs [data-tab=log]")
    expect(log).to_be_visible()
    expect(messages).to_be_hidden()


def test_who_wants_less_motion_gets_none(phone: PhonePage, gateway: Gateway) -> None:
    phone.page.emulate_media(reduced_motion="reduce")
    gateway.answers.clear()
    phone.call()
    expect(phone.screen).to_have_text("USSD code running…")
    moving = phone.page.evaluate("document.getAnimations().length")
    assert moving == 0
    expect(phone.screen).to_have_css("animation-name", "none")


def test_another_number_is_added_by_typing_it(phone: PhonePage, gateway: Gateway) -> None:
    phone.page.click("#add-open")
    phone.page.keyboard.type("+254 700 000 001")
    phone.page.keyboard.press("Enter")
    expect(phone.page.locator("#idle-number")).to_have_text("+254 700 000001")
    phone.call()
    expect(phone.screen).to_have_text(ROOT_SCREEN)
    assert gateway.turns[0]["phoneNumber"] == "+254700000001"
    phone.open()
    expect(phone.page.locator(".chip:has-text('+254 700 000001')")).to_have_count(1)


def test_a_number_that_is_none_is_refused_with_the_reason(phone: PhonePage) -> None:
    phone.page.click("#add-open")
    phone.page.keyboard.type("0803")
    phone.page.keyboard.press("Enter")
    expect(phone.page.locator("#add-problem")).to_have_text(
        "Write the whole number, with + and the country code."
    )
    expect(phone.page.locator("#add-number")).to_be_focused()


def test_a_gateway_without_people_asks_for_a_number(phone: PhonePage, gateway: Gateway) -> None:
    gateway.people = []
    phone.page.goto(phone.address)
    expect(phone.page.locator("#add-number")).to_be_focused()
    phone.page.keyboard.type("+2348030000009")
    phone.page.keyboard.press("Enter")
    phone.call()
    expect(phone.screen).to_have_text(ROOT_SCREEN)


def test_a_name_with_markup_is_shown_as_text(phone: PhonePage, gateway: Gateway) -> None:
    gateway.people = [("+2348030000001", "<i>Ada</i> \"A\" & 'B'")]
    phone.open()
    expect(phone.page.locator("#idle-name")).to_have_text("<i>Ada</i> \"A\" & 'B'")


def test_the_page_and_all_it_loads_are_small(client: FlaskClient) -> None:
    page = client.get("/phone")
    loaded = re.findall(r'(?:href|src)="(/phone/static/[^"]+)"', page.text)
    modules = {f"/phone/static/phone_{name}.js" for name in ("handset", "keys", "line", "panels")}
    answers = [client.get(path, buffered=True) for path in {*loaded, *modules}]
    assert {answer.status_code for answer in answers} == {200}
    assert sum(len(answer.data) for answer in [page, *answers]) < PAGE_BYTES_MAX


def test_the_page_runs_no_inline_code_and_is_not_kept(client: FlaskClient) -> None:
    page = client.get("/phone")
    assert page.headers["Content-Security-Policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    assert page.headers["Cache-Control"] == "no-store"
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", page.text)


@pytest.mark.parametrize("name", ["phone.py", "counter.css", "../phone.py", "%2e%2e/phone.py"])
def test_no_other_file_is_served(client: FlaskClient, name: str) -> None:
    assert client.get(f"/phone/static/{name}").status_code == 404


def test_every_route_of_the_phone_is_for_the_demo(gateway: Gateway) -> None:
    views = application(gateway).view_functions
    marked = {name: vars(view)["callers"] for name, view in views.items() if "phone." in name}
    assert marked == {
        "phone.root": ("demo",),
        "phone.page": ("demo",),
        "phone.inbox": ("demo",),
        "phone.asset": ("demo",),
    }
