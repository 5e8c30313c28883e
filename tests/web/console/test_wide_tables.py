"""A table wider than its card shows that there is more, and what matters comes first."""

from playwright.sync_api import Browser, Page, ViewportSize

from gateway.people.staff.store import Role
from tests.support.browser import served
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, Wired
from tests.web.staffed import Staffed, log_in

PHONE = ViewportSize(width=390, height=800)
DESKTOP = ViewportSize(width=1280, height=860)
EDGE = 4.0  # pixels at the right side of a table, beside its words
FIRST = ("Serial", "Amount", "State")


def edge(page: Page) -> bytes:
    """The right edge of the table's card, as it is seen."""
    box = page.locator(".scroll").bounding_box()
    assert box is not None
    left = box["x"] + box["width"] - EDGE
    return page.screenshot(clip={"x": left, "y": box["y"] + 2, "width": EDGE, "height": 24.0})


def test_a_shadow_lies_where_there_is_more_until_its_end_is_reached(
    browser: Browser, sqlite_url: str, clock: SteppedClock
) -> None:
    wired = Wired(sqlite_url, clock)
    Staffed(wired)
    for _ in range(3):
        wired.issue("1250000.00", ADA)
    with served(wired.app) as address, browser.new_context() as context:
        page = context.new_page()
        log_in(page, address, Role.OPERATOR)
        page.set_viewport_size(DESKTOP)
        page.goto(f"{address}/console/tokens?phone=%2B{ADA[1:]}")
        plain = edge(page)
        page.set_viewport_size(PHONE)
        table = page.locator(".scroll")
        assert table.evaluate("it => it.scrollWidth > it.clientWidth")
        assert edge(page) != plain
        for head in FIRST:
            box = page.get_by_role("columnheader", name=head).bounding_box()
            assert box is not None
            assert box["x"] + box["width"] <= PHONE["width"]
        table.evaluate("it => { it.scrollLeft = it.scrollWidth }")
        assert edge(page) == plain
    wired.close()
