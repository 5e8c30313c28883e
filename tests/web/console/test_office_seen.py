"""The pages of the office can be seen, read and used by everybody; and a switch in a browser."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from decimal import Decimal

import pytest
from playwright.sync_api import Browser, expect
from sqlalchemy import Connection

from gateway.audit import trail
from gateway.outbox import queue
from gateway.outbox.queue import Lease
from gateway.partners import profiles
from gateway.people.staff import store as people
from gateway.people.staff.store import Role
from gateway.settings.limits import Money
from gateway.switches import operate
from gateway.tokens.guesses import limits
from gateway.tokens.guesses import store as guesses
from tests.support.browser import served
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, Wired
from tests.web.console.shop import CODE, Shop
from tests.web.looks import faults
from tests.web.staffed import Staffed, log_in

LONG = "a-reason-without-a-single-blank-" * 6
MARKUP = "<script>alert(1)</script><b>Eve</b>"
ROOT = "cli:root"
CAPS = Money(
    tiers={"basic": {"debit": Decimal("50000.00"), "balance": Decimal("999999999999.99")}},
    agent={"a_day": Decimal("2000000.00")},
    fees={"send": [(Decimal("1000.00"), Decimal("10.00")), (Decimal("5000.00"), Decimal("25.50"))]},
)


@pytest.fixture
def staffed(sqlite_url: str, clock: SteppedClock) -> Iterator[Staffed]:
    """The staff of a gateway with caps and fees."""
    whole = Wired(sqlite_url, clock, money=CAPS)
    yield Staffed(whole)
    whole.close()


def messages(wired: Wired) -> Sequence[str]:
    """A token that could not be sent, and what waits."""
    now = wired.clock.now()
    wired.issue(to=ADA, deliver=True)
    wired.run(lambda c: queue.claim_next(c, "w", now))
    wired.run(lambda c: queue.refused(c, Lease(1, "w"), LONG + MARKUP, now))
    wired.issue(to=ADA, deliver=True)
    tabs = [f"outbox?show={tab}" for tab in ("waiting", "failed", "unknown", "dropped", "all")]
    return (*tabs, "outbox/1", "outbox/2")


def guessers(wired: Wired) -> Sequence[str]:
    """Many who are limited, and an open breaker."""
    now = wired.clock.now()

    def work(connection: Connection) -> None:
        for source in (f"phone:{ADA}", "cashier:staff:1", f"typing:{ADA}", f"blocked:{ADA}"):
            guesses.add(connection, source, now, 40)
        guesses.add(connection, "channel:africastalking", now, 2_500)
        guesses.add(connection, limits.SHORT_BREAKER, now, 9_999)

    wired.run(work)
    return ("limits",)


def partners(wired: Wired) -> Sequence[str]:
    """Two, one of them with a float; and a funding that waits."""
    now, gateway = wired.clock.now(), wired.gateway
    name = f"{MARKUP} Limited"
    wired.run(lambda c: profiles.create(c, name, "eve", ROOT, now))
    wired.run(lambda c: profiles.create(c, "W" * 64, "w" * 20, ROOT, now))
    details = ("eve", Decimal("999999999999.99"), "NGN", "FT-" + "9" * 32, ROOT, LONG, now)
    wired.run(lambda c: gateway.partners.funding.ask(c, gateway.approvals, *details))
    return ("partners", "partners/eve", f"partners/{'w' * 20}", "partners/house")


def staff(staffed: Staffed) -> Sequence[str]:
    """Somebody who is locked out, and somebody who waits."""
    wired, now = staffed.wired, staffed.wired.clock.now()
    staffed.hire(Role.OPERATOR, MARKUP[:40], "+2348030000031")
    cashier = staffed.member(Role.CASHIER).id
    for _ in range(5):
        wired.run(lambda c: people.count_try(c, cashier, now, 5, timedelta(hours=1)))
    tabs = [f"staff?show={tab}" for tab in ("active", "waiting", "disabled")]
    return (*tabs, *(f"staff/{number}" for number in range(1, 6)))


def shops(staffed: Staffed) -> Sequence[str]:
    """An outlet whose drawer is counted wrong."""
    shop = Shop(staffed)
    shift = shop.open()
    shop.pay(shift)
    shop.count(shift, "1.00")
    return ("outlets", f"outlets/{CODE}", f"outlets/{CODE}/tills/1", f"outlets/{CODE}/tills/2")


def thrown(wired: Wired) -> Sequence[str]:
    """A part that is paused, and the trail of it."""
    now = wired.clock.now()
    said = (ROOT, LONG + MARKUP, now, trail.record)
    wired.run(lambda c: operate.pause(c, "sms", *said))
    more = ("audit?subject=sms", "audit?actor=nobody", "audit?day=x", "audit?from=1")
    return ("switches", "audit", *more)


def test_messages_limits_switches_and_the_trail_can_be_used_by_everybody(
    browser: Browser, staffed: Staffed
) -> None:
    paths = (*messages(staffed.wired), *guessers(staffed.wired), *thrown(staffed.wired))
    with served(staffed.wired.app) as address, browser.new_context() as context:
        page = context.new_page()
        log_in(page, address, Role.OPERATOR)
        assert faults(page, address, paths) == []


def test_staff_partners_and_outlets_can_be_used_by_everybody(
    browser: Browser, staffed: Staffed
) -> None:
    paths = (*staff(staffed), *partners(staffed.wired), *shops(staffed))
    with served(staffed.wired.app) as address, browser.new_context() as context:
        page = context.new_page()
        log_in(page, address, Role.ADMIN)
        assert faults(page, address, paths) == []


def test_a_switch_is_thrown_once_whatever_is_clicked_and_callers_see_it(
    browser: Browser, staffed: Staffed
) -> None:
    token = staffed.wired.issue(to=ADA).reveal()
    with served(staffed.wired.app) as address, browser.new_context() as context:
        page = context.new_page()
        log_in(page, address, Role.OPERATOR)
        page.click("nav >> text=Switches")
        page.click("summary:has-text('Pause Redeeming')")
        page.fill("#redeem-pause-reason", MARKUP)
        page.click("#redeem-pause button", click_count=2)
        expect(page.locator("[role=status]")).to_have_text(
            "Paused, in every process within a second."
        )
        page.reload()
        page.go_back()
        page.goto(f"{address}/console/switches")
        expect(page.get_by_text(f"“{MARKUP}”")).to_be_visible()
        call = staffed.wired.dial(ADA, text=f"1*{token}")
        assert call.body.startswith("END Redeeming is paused.")
    assert [line[1] for line in staffed.trail("redeem")] == ["switch.pause"]


def test_a_tab_key_reaches_every_form_of_a_page(browser: Browser, staffed: Staffed) -> None:
    with served(staffed.wired.app) as address, browser.new_context() as context:
        page = context.new_page()
        log_in(page, address, Role.ADMIN)
        page.goto(f"{address}/console/staff")
        page.keyboard.press("Tab")
        expect(page.locator(":focus")).to_have_text("To the content")
        page.keyboard.press("Enter")
        for _ in range(20):
            page.keyboard.press("Tab")
            if page.locator("summary:focus").count():
                break
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        expect(page.locator(":focus")).to_have_attribute("name", "name")
