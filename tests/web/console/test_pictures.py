"""The pictures of the front page: the right numbers, in words and a table too, for every eye."""

import re
from collections.abc import Iterator
from datetime import timedelta
from functools import partial

import pytest
from playwright.sync_api import Browser, Page
from sqlalchemy import func

from gateway.database.spans import by_span, first_since
from gateway.ledger.overview import store as ledger
from gateway.ledger.store import movements
from gateway.people.staff.store import Role
from tests.support.axe import violations
from tests.support.browser import served
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired
from tests.web.console import waiting
from tests.web.staffed import Staffed, Visitor, log_in

SIZES = ((1280, 860), (820, 1100), (390, 800))
_ROW = re.compile(r'<tr><th scope="row">([^<]*)</th><td class="amount">(\d+)</td><td [^>]*>(\d+)<')


def by_hour(visitor: Visitor) -> dict[str, tuple[int, int]]:
    """The rows of the hours, without those of nothing."""
    found = _ROW.findall(visitor.get("/console").text)
    counted = {name: (int(first), int(second)) for name, first, second in found if ":" in name}
    return {name: pair for name, pair in counted.items() if pair != (0, 0)}


def test_redemptions_and_failures_stand_at_their_local_hour(
    wired: Wired, staffed: Staffed, clock: SteppedClock
) -> None:
    wired.redeem(wired.issue().reveal())
    token = wired.issue().reveal()
    wired.redeem(token)
    wired.redeem(token, BELLO)  # used: refused, and counted at who has entered it
    clock.advance(hours=2, minutes=30)
    wired.redeem(wired.issue().reveal())
    wired.redeem("902100000000000014", BELLO)
    clock.advance(minutes=40)
    found = by_hour(staffed.within(Role.OPERATOR))
    assert found == {"10:00": (2, 1), "12:00": (1, 1)}


def test_what_was_a_day_ago_is_not_in_the_picture(
    wired: Wired, staffed: Staffed, clock: SteppedClock
) -> None:
    wired.redeem(wired.issue().reveal())
    wired.redeem("902100000000000014", BELLO)
    clock.advance(hours=24)
    wired.redeem(wired.issue().reveal())
    assert by_hour(staffed.within(Role.OPERATOR)) == {"10:00": (1, 0)}


def test_a_right_entry_and_one_that_was_mistyped_are_no_failures(
    wired: Wired, operator: Visitor
) -> None:
    token = wired.issue().reveal()
    wired.redeem(token[:-1] + str((int(token[-1]) + 1) % 10), ADA)
    wired.redeem(token, ADA)
    assert by_hour(operator) == {"10:00": (1, 0)}


def test_what_waits_in_the_outbox_stands_at_its_age(
    wired: Wired, staffed: Staffed, clock: SteppedClock
) -> None:
    for minutes in (400, 50, 9, 0):
        wired.issue(deliver=True)
        clock.advance(minutes=minutes)
    text = staffed.within(Role.OPERATOR).get("/console").text
    found = {name: int(sms) for name, sms, _ in _ROW.findall(text)}
    ages = {name: found[name] for name in found if name.startswith("&lt;") or name == "longer"}
    assert ages == {
        "&lt; 1 min": 1,
        "&lt; 5 min": 0,
        "&lt; 15 min": 1,
        "&lt; 1 h": 1,
        "&lt; 6 h": 0,
        "longer": 1,
    }
    assert "4 SMS and 0 tasks are due" in text


def test_a_place_in_time_is_found_without_an_index(wired: Wired, clock: SteppedClock) -> None:
    c = movements.c
    for _ in range(40):
        wired.issue("1.00")
        clock.advance(minutes=17)
    now = clock.now()
    for minutes in (0, 1, 100, 339, 340, 341, 680, 10_000):
        bounds = [now - timedelta(minutes=minutes), now]
        every = wired.run(partial(by_span, at=c.at, bounds=bounds, what=func.count()))
        assert wired.run(partial(ledger.moved, kind="issue", bounds=bounds)) == every
        first = wired.run(partial(first_since, ids=c.id, at=c.at, since=bounds[0]))
        assert first >= 40 - minutes // 17 - 1


def test_pictures_hold_no_style_and_no_script(wired: Wired, operator: Visitor) -> None:
    wired.redeem(wired.issue(deliver=True).reveal())
    answer = operator.get("/console")
    assert answer.text.count('<svg class="picture"') == 2
    assert "style=" not in answer.text
    assert "<script" not in answer.text
    assert "style-src 'self'" in answer.headers["Content-Security-Policy"]


def test_a_picture_says_in_words_what_it_shows(wired: Wired, operator: Visitor) -> None:
    wired.redeem(wired.issue().reveal())
    text = operator.get("/console").text
    assert "In the last 24 hours 1 redemptions, upwards, and 0 entries" in text
    assert 'role="img" aria-labelledby="by-hour by-hour-says"' in text


@pytest.fixture
def page(browser: Browser, sqlite_url: str, clock: SteppedClock) -> Iterator[Page]:
    """An operator at the front page, in a real browser; nothing may be blocked or fail."""
    wired = Wired(sqlite_url, clock)
    Staffed(wired)
    faults: list[str] = []
    with served(wired.app) as address, browser.new_context() as context:
        opened = context.new_page()
        opened.on("pageerror", lambda error: faults.append(str(error)))
        opened.on("console", lambda message: faults.append(message.text))
        _stage(wired)
        log_in(opened, address, Role.OPERATOR)
        yield opened
    wired.close()
    assert faults == []


def _stage(wired: Wired) -> None:
    wired.set_pin()
    for _ in range(3):
        wired.redeem(wired.issue(deliver=True).reveal())
    wired.issue(to=ADA, deliver=True, sender_name="<b>Ada</b>")
    waiting.withdrawal(wired, "W1", "manual")
    waiting.callback(wired, "conflict")


def test_everybody_can_see_read_and_use_the_pages(page: Page) -> None:
    address = page.url.removesuffix("/console")
    found: dict[tuple[str, int], list[str]] = {}
    for path in ("", "/tokens", "/people", f"/people?phone=%2B{ADA[1:]}"):
        page.goto(f"{address}/console{path}")
        for fold in page.locator("summary").all():
            fold.click()
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            found[path, width] = [*violations(page), *_overflow(page)]
    assert found == {seen: [] for seen in found}


def _overflow(page: Page) -> list[str]:
    """What a person would have to scroll sideways for."""
    root = "document.documentElement"
    return ["too wide"] if page.evaluate(f"{root}.scrollWidth > {root}.clientWidth") else []


def test_an_operator_goes_from_what_waits_to_a_deed_by_keyboard_alone(page: Page) -> None:
    address = page.url.removesuffix("/console")
    page.goto(f"{address}/console/tokens")
    page.fill("#find", "0803 000 0001")
    page.keyboard.press("Enter")
    page.locator("tbody a").first.focus()
    page.keyboard.press("Enter")
    page.locator("summary", has_text="Suspend").focus()
    page.keyboard.press("Enter")
    page.fill("#suspend-reason", "lost")
    page.keyboard.press("Enter")
    page.locator(".done").wait_for()
    assert "suspended" in page.locator(".heading .state").inner_text()
    page.reload()
    page.go_back()
    assert page.locator("h1").inner_text().startswith("Token")


def test_a_frozen_wallet_is_seen_at_once_and_the_form_is_gone(page: Page) -> None:
    address = page.url.removesuffix("/console")
    page.goto(f"{address}/console/people?phone=08030000001")
    page.click("text=Freeze the wallet")
    page.fill("#freeze-reason", "the phone was stolen")
    page.click("button.danger")
    page.locator(".done").wait_for()
    assert page.locator(".heading .state.bad").inner_text() == "frozen"
    assert page.locator("#freeze-reason").count() == 0
    assert violations(page) == []
