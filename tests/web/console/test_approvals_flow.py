"""Four eyes in a real browser, and who may see the pages of money at all."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal

import pytest
from playwright.sync_api import Browser, Page, expect

from gateway.ledger import floats
from gateway.people.staff.store import Role
from gateway.web.pages.door import AT_CONSOLE
from tests.cli.conftest import CommandLine
from tests.support.browser import served
from tests.support.log import captured_log
from tests.support.wired import Wired
from tests.web.staffed import PHONES, PIN, Staffed, log_in

FUND = ("house", "fund", "--amount", "70000.00", "--reference", "FT-<b>9</b>", "--pin-stdin")
WHY = ("--reason", "paid in <i>today</i>")


@contextmanager
def within(browser: Browser, address: str, role: Role) -> Iterator[Page]:
    """A browser of their own in which somebody is in."""
    with browser.new_context() as context:
        page = context.new_page()
        log_in(page, address, role)
        yield page


def funded(wired: Wired) -> Decimal | None:
    """What lies on the house's float."""
    found = wired.run(lambda c: floats.of_house(c, "NGN"))
    return None if found is None else found.balance


def forced(page: Page, path: str) -> int:
    """The status of an approval that a page does not offer, sent all the same."""
    key = page.locator("input[name=csrf]").first.input_value()
    return page.request.post(path, form={"csrf": key, "reason": "mine"}).status


def test_a_funding_is_asked_for_by_one_operator_and_done_once_by_another(
    staffed: Staffed, wired: Wired, browser: Browser
) -> None:
    with captured_log():
        command_line = CommandLine(wired.gateway.parts)
        asked = (*FUND, *WHY, "--as", PHONES[Role.OPERATOR])
        number = command_line.json(*asked, stdin=PIN + "\n")["approval"]
    with (
        served(wired.app) as address,
        within(browser, address, Role.OPERATOR) as first,
        within(browser, address, Role.ADMIN) as second,
    ):
        path = f"{address}/console/approvals/{number}"
        first.goto(path)
        expect(first.get_by_text("You asked for this yourself")).to_be_visible()
        expect(first.get_by_role("button", name="Approve, and do it now")).to_have_count(0)
        assert forced(first, f"{path}/approve") == 422
        assert funded(wired) is None

        second.goto(f"{address}/console/approvals")
        second.get_by_role("link", name="Fund a float").click()
        expect(second.locator(".statement")).to_have_text(
            "Puts NGN 70,000.00 on the float of house, as the bank received it under"
            " reference FT-<b>9</b>."
        )
        second.get_by_label("Reason").first.fill("it is on the bank's page")
        second.get_by_role("button", name="Approve, and do it now").dblclick()
        expect(second.get_by_role("status")).to_have_text("Approved, and done.")
        assert funded(wired) == Decimal("70000.00")

        second.reload()
        expect(second.get_by_text("Nothing any more: it is approved.")).to_be_visible()
        second.go_back()
        second.go_forward()
        assert forced(second, f"{path}/approve") == 200  # it answers as the first time
        first.reload()
        expect(first.get_by_text("house funded with NGN 70000.00").first).to_be_visible()
    assert funded(wired) == Decimal("70000.00")
    assert wired.breaches() == []


# Every page and form of money on the console.
PAGES = (
    "approvals",
    "approvals/1",
    "withdrawals",
    "withdrawals/NOBODYS",
    "deposits",
    "deposits/NOBODYS",
    "deposits/book",
    "deposits/callbacks/1",
    "disputes",
    "disputes/open",
    "disputes/NOBODYS",
    "reconciliation",
    "reconciliation/1",
)
FORMS = (
    *("approvals/1/approve", "approvals/1/refuse"),
    *(f"withdrawals/NOBODYS/{form}" for form in ("pay", "reject", "send", "seen")),
    *(f"deposits/NOBODYS/{form}" for form in ("confirm", "release", "reverse")),
    "deposits/book",
    *(f"disputes/NOBODYS/{form}" for form in ("refund", "release", "reject")),
    "disputes/open",
)


@pytest.mark.parametrize("role", list(Role))
def test_money_is_for_operators_and_admins_alone(staffed: Staffed, role: Role) -> None:
    visitor, may = staffed.within(role), role in AT_CONSOLE
    for page in PAGES:
        answer = visitor.get(f"/console/{page}")
        assert (answer.status_code == 403) is not may, page
    for form in FORMS:
        answer = visitor.post(f"/console/{form}", reason="x", txn_id="x", subject="x", days="1")
        assert answer.status_code in ((404, 422) if may else (403,)), form


def test_whoever_is_not_in_is_sent_to_the_login(staffed: Staffed) -> None:
    visitor = staffed.visitor()
    for page in PAGES:
        answer = visitor.get(f"/console/{page}")
        assert answer.headers["Location"] == f"/console/login?next=/console/{page}"
    for form in FORMS:
        answer = visitor.post(f"/console/{form}", reason="x")
        assert answer.headers["Location"] == "/console/login"


def test_a_form_without_its_key_changes_nothing(staffed: Staffed) -> None:
    visitor = staffed.within(Role.OPERATOR)
    for form in FORMS:
        answer = visitor.client.post(f"/console/{form}", data={"reason": "x"})
        assert answer.status_code == 403, form
