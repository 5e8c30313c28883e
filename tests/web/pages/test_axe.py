"""The pages before the login can be seen, read and used by everybody; and a fault is found."""

import pytest
from playwright.sync_api import Browser

from tests.support.axe import violations
from tests.support.browser import served
from tests.support.clock import SteppedClock
from tests.support.wired import Wired

SIZES = ((1280, 860), (820, 1100), (390, 800))


@pytest.mark.parametrize("area", ["/counter", "/console"])
def test_whoever_is_not_in_yet_can_read_and_use_every_page(
    browser: Browser, sqlite_url: str, clock: SteppedClock, area: str
) -> None:
    found: dict[tuple[str, object], list[str]] = {}
    with served(Wired(sqlite_url, clock).app) as address, browser.new_context() as context:
        page = context.new_page()
        for path in ("login", "pin"):
            page.goto(f"{address}{area}/{path}")
            for width, height in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                found[path, width] = violations(page)
            page.click("main button")  # empty: the browser says what is missing
            page.locator("form input").evaluate_all("all => all.forEach(i => i.required = false)")
            page.click("main button")
            assert page.locator("[role=alert]").count() == 1
            found[path, "refused"] = violations(page)
    assert found == {place: [] for place in found}


def test_faults_are_found_and_said_in_a_line_each(browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.set_content('<html lang="en"><title>A page</title><p style="color:#aaa">Pale</p>')
        (pale,) = violations(page)
        assert pale.startswith("color-contrast: p: ")
        page.set_content("<title>A page</title><main><input><img src='data:,'></main>")
        assert sorted(line.partition(":")[0] for line in violations(page)) == [
            "html-has-lang",
            "image-alt",
            "label",
        ]
