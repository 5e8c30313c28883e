"""The counter's pages are escaped, light, readable by everybody, and print the receipt alone."""

import pytest
from playwright.sync_api import Page, Response, expect

from gateway.people.staff.store import Role
from tests.support.axe import violations
from tests.web.counter.desk import Desk, landed
from tests.web.counter.window import Front, Window
from tests.web.staffed import PHONES, PIN

SIZES = ((1280, 860), (820, 1100), (390, 800))
BYTES_MAX = 100_000
MARKUP = '<b id="bold">"\'&{{7*7}}'
OTHER = "+2348030000055"
LONG = "Wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww"  # as long as a name may be
VOID = {"reason": "empty", "manager": PHONES[Role.MANAGER], "pin": PIN}


def test_markup_in_any_name_stays_text(desk: Desk) -> None:
    desk.rename(MARKUP)
    desk.staffed.hire(Role.CASHIER, MARKUP, OTHER, desk.shop.outlet)
    teller = desk.shop.member(OTHER)
    shift = desk.shop.shift(teller, till=2)
    path = f"/counter/payments/{desk.shop.pay('60.00', teller).reference}"
    desk.shop.count("1.00", teller)
    page = f"/counter/shifts/{shift.id}"
    pages = [
        desk.cashier.get("/counter"),
        *(desk.manager.get(place) for place in ("/counter/outlet", path, page)),
        desk.manager.post(f"{page}/accept", counts="1", reason="\u200b"),
        landed(desk.manager.post(f"{page}/accept", counts="1", reason=MARKUP), desk.manager),
        desk.manager.get("/counter/outlet"),
    ]
    for each in pages:
        assert '<b id="bold">' not in each.text
        assert "&lt;b id=" in each.text
        assert "{{7*7}}" in each.text


def decided(desk: Desk) -> dict[str, str]:
    """Pages of each kind at a busy counter of long names and large amounts, by their names."""
    desk.rename(LONG)
    desk.staffed.hire(Role.CASHIER, LONG, OTHER, desk.shop.outlet)
    teller = desk.shop.member(OTHER)
    other = desk.shop.shift(teller, till=2, cash="9000000000000.00")
    desk.shop.pay("8000000000000.00", teller)
    desk.shop.count("1.00", teller)
    desk.open()
    paths = {name: desk.found("70000000000.00") for name in ("shown", "declined", "voided")}
    paths["paid"] = desk.paid("80000000000.00")
    later = desk.wired.issue("60.00")
    desk.cashier.post(f"{desk.shown(later.reveal())}/decline")
    desk.wired.redeem(later.reveal())
    desk.cashier.post(f"{paths['declined']}/decline")
    desk.confirm(paths["voided"])
    desk.cashier.post(f"{paths['voided']}/void", **VOID)
    places = {"pay": "/counter", "today": "/counter/today", "close": "/counter/close"}
    return {**paths, **places, "count": f"/counter/shifts/{other.id}"}


def is_wider(page: Page) -> bool:
    """Whether the page has to be moved sideways to be read."""
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    return bool(page.evaluate(wide))


def looked_at(window: Window, path: str) -> list[str]:
    """What is wrong with a page at any width."""
    window.open(path)
    found: list[str] = []
    for details in window.page.locator("details").all():
        details.evaluate("fold => { fold.open = true; }")
    for width, height in SIZES:
        window.page.set_viewport_size({"width": width, "height": height})
        found += violations(window.page)
        if is_wider(window.page):
            found.append(f"wider than {width}")
    return found


@pytest.fixture
def busy(rich_front: Front) -> dict[str, str]:
    """The pages of a busy counter."""
    return decided(rich_front.desk)


def test_every_page_can_be_read_and_used_by_everybody_at_every_width(
    rich_front: Front, busy: dict[str, str]
) -> None:
    window, boss = rich_front.window(), rich_front.window(Role.MANAGER)
    outlet = {"outlet": "/counter/outlet", "later": "/counter/outlet/later", "open": "/counter"}
    seen = {name: looked_at(window, path) for name, path in busy.items() if name != "count"}
    seen |= {name: looked_at(boss, path) for name, path in outlet.items()}
    seen["count"] = looked_at(boss, busy["count"])
    assert seen == {name: [] for name in seen}


def test_what_was_refused_can_be_read_by_everybody(rich_front: Front, busy: dict[str, str]) -> None:
    window, found = rich_front.window(script=False), {}
    window.open()
    window.entry.fill("12")
    window.press("Look up")
    assert window.page.locator("[role=alert]").count() == 1
    # Axe is script itself: the same page is looked at where script runs.
    seeing = rich_front.window()
    seeing.page.set_content(window.page.content())
    found["mistyped"] = violations(seeing.page)
    seeing.open("/counter/close")
    seeing.page.get_by_label("Cash counted, NGN").fill("many")
    seeing.press("This is the count")
    expect(seeing.page.locator(".problem")).to_contain_text("An amount reads like")
    found["count"] = violations(seeing.page)
    seeing.open(busy["paid"])
    seeing.page.get_by_text("The drawer was empty?").click()
    for label in ("Reason", "Manager's phone number", "Manager's PIN"):
        seeing.page.get_by_label(label).fill("1111")
    seeing.press("Take the payment back")
    expect(seeing.page.locator("details [role=alert]")).to_be_visible()
    found["void"] = violations(seeing.page)
    assert found == {name: [] for name in found}


def weighed(window: Window, path: str) -> int:
    """What a page and all that it loads come to, in bytes, before any compression."""
    sizes: list[int] = []

    def add(answer: Response) -> None:
        sizes.append(len(answer.body()))

    window.page.on("response", add)
    window.open(path)
    window.page.wait_for_load_state("networkidle")
    return sum(sizes)


def test_no_page_weighs_more_than_a_slow_line_carries(
    rich_front: Front, busy: dict[str, str]
) -> None:
    for name, path in busy.items():
        window = rich_front.window(Role.MANAGER if name == "count" else Role.CASHIER)
        assert 1_000 < weighed(window, path) < BYTES_MAX, name
        window.page.close()


def test_no_page_blocks_its_own_parts_or_fails_in_its_script(
    rich_front: Front, busy: dict[str, str]
) -> None:
    window, faults = rich_front.window(), []
    window.page.on("console", lambda said: faults.append(said.text))
    window.page.on("pageerror", lambda error: faults.append(str(error)))
    for name, path in busy.items():
        if name != "count":
            window.open(path)
            window.page.wait_for_load_state("networkidle")
    assert faults == []


@pytest.mark.parametrize("name", ["paid", "voided"])
def test_printing_shows_the_receipt_and_nothing_else(
    rich_front: Front, busy: dict[str, str], name: str
) -> None:
    window = rich_front.window()
    window.open(f"{busy[name]}?again")
    expect(window.page.get_by_role("button", name="Print the receipt")).to_be_visible()
    window.page.emulate_media(media="print")
    seen = window.page.locator("body").inner_text()
    receipt = window.page.locator(".receipt").inner_text()
    assert " ".join(seen.split()) == " ".join(receipt.split())
    for expected in ("Outlet", "Till", "Cashier", "Chika Obi", "Serial", "Paid", "NGN"):
        assert expected in seen
    for link in window.page.locator("a, button, input").all():
        assert not link.is_visible()


def test_the_button_prints(rich_front: Front, busy: dict[str, str]) -> None:
    window = rich_front.window()
    window.open(busy["paid"])
    window.page.evaluate("window.print = () => { document.title = 'printed'; }")
    window.press("Print the receipt")
    expect(window.page).to_have_title("printed")
