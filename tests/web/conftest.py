"""What tests of the pages share: one Chromium a process, and the phone of a scripted gateway."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, ConsoleMessage, expect

from tests.support.browser import chromium, served
from tests.web.phone_page import PhonePage
from tests.web.scripted_gateway import Gateway, application

BROWSER_PATIENCE_MS = 15_000  # other test processes share the processor


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium; a test opens its own context in it."""
    expect.set_options(timeout=BROWSER_PATIENCE_MS)
    with chromium() as started:
        yield started


@pytest.fixture
def gateway() -> Gateway:
    """The script that the phone's endpoints answer from."""
    return Gateway()


@pytest.fixture
def phone(browser: Browser, gateway: Gateway) -> Iterator[PhonePage]:
    """The phone page on a wide screen; no script error or blocked resource goes unseen."""
    faults: list[str] = []

    def heed(message: ConsoleMessage) -> None:
        # The browser reports every failed request here; those the tests provoke themselves.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            faults.append(message.text)

    with served(application(gateway)) as address:
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        page = context.new_page()
        page.on("console", heed)
        page.on("pageerror", lambda error: faults.append(str(error)))
        opened = PhonePage(page, f"{address}/phone")
        opened.open()
        yield opened
        gateway.answers.set()
        context.close()
    assert faults == []
