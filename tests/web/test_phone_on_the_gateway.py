"""The phone page on the whole gateway: real menus, real SMS, real money."""

from collections.abc import Iterator
from decimal import Decimal

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser import served
from tests.support.wired import ADA, BELLO, Wired
from tests.web.phone_page import PhonePage


@pytest.fixture
def handset(browser: Browser, wired: Wired) -> Iterator[PhonePage]:
    """The page as the gateway itself serves it."""
    with served(wired.app) as address:
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        opened = PhonePage(context.new_page(), f"{address}/phone")
        opened.open()
        yield opened
        context.close()


def test_a_stranger_dials_reads_redeems_and_sees_the_balance(
    handset: PhonePage, wired: Wired
) -> None:
    issued = wired.issue("500.00", deliver=True)
    assert wired.send_all() == 1
    handset.call()
    expect(handset.screen).to_contain_text("1 Redeem token")
    handset.answer("1")
    expect(handset.screen).to_contain_text("Enter the token")
    handset.answer(issued.reveal())
    expect(handset.screen).to_contain_text("You have received NGN 500.00.")
    handset.hang_up()
    handset.call()
    handset.answer("4")
    handset.answer("1")
    expect(handset.screen).to_contain_text("Balance NGN 500.00")
    assert wired.breaches() == []


def test_the_code_in_an_sms_redeems_when_it_is_pressed(handset: PhonePage, wired: Wired) -> None:
    issued = wired.issue("75.00", to=ADA, digits=11, deliver=True)
    wired.send_all()
    handset.open_newest_message()
    handset.page.locator("#message-text .inline").last.click()
    expect(handset.screen).to_contain_text("You have received NGN 75.00.")
    assert wired.balance(ADA) == Decimal("75.00")
    assert wired.redeem(issued.reveal(), BELLO).serial == ""


def test_a_dropped_call_goes_on_where_it_was(handset: PhonePage, wired: Wired) -> None:
    issued = wired.issue("75.00")
    handset.call()
    handset.answer("1")
    expect(handset.screen).to_contain_text("Enter the token")
    handset.hang_up()
    handset.call()
    expect(handset.screen).to_contain_text("9 Continue")
    handset.answer("9")
    expect(handset.screen).to_contain_text("Enter the token")
    handset.answer(issued.reveal())
    expect(handset.screen).to_contain_text("You have received NGN 75.00.")
