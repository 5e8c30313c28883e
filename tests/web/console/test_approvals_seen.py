"""The pages of money can be seen, read and used by everybody, at every width, and stay small."""

from collections.abc import Iterator, Sequence
from datetime import date

import pytest
from playwright.sync_api import Browser
from sqlalchemy import Connection

from gateway.people.staff.store import Role
from gateway.providers.base.messages import Outcome
from gateway.reconciliation.run import BOOKS
from gateway.reconciliation.runs import store as runs
from gateway.reconciliation.runs.store import Finding
from tests.deposits.staging import Till, snippe_body, till
from tests.disputes.staging import Office, redeemed
from tests.support.browser import served
from tests.support.clock import SteppedClock
from tests.support.wired import Wired
from tests.web.console.answers import MARKUP
from tests.web.looks import faults
from tests.web.staffed import Staffed, log_in
from tests.withdrawals.staging import TAKEN, Desk

LONG = "a-reason-without-a-single-blank-" * 6


def withdrawals(wired: Wired) -> Sequence[str]:
    """One that nobody can tell of, one that contradicts, and their lists."""
    desk = Desk(wired)
    desk.fund("5000.00")
    desk.payer.says[0] = TAKEN
    unknown = desk.request()
    desk.work()
    odd = desk.request("11.00", intent="two")
    desk.hear(odd, Outcome.FAILED, reason=f"{LONG} {MARKUP}")
    desk.hear(odd, Outcome.SUCCEEDED, txn_id="C9" * 20)
    root = "withdrawals"
    return (
        root,
        f"{root}?show=unknown",
        f"{root}?show=paid",
        f"{root}/settle",
        f"{root}/{unknown.reference}",
        f"{root}/{odd.reference}",
    )


def disputes(wired: Wired, clock: SteppedClock) -> Sequence[str]:
    """One that is overdue, one whose refund waits, and their lists."""
    office = Office(wired, Desk(wired))
    made = office.open(redeemed(wired), days=1)
    office.ask(made, "40.00")
    clock.advance(days=3)
    root = "disputes"
    more = ("approvals", "approvals/1", "approvals?show=decided")
    return (root, f"{root}?show=resolved", f"{root}/open", f"{root}/{made.reference}", *more)


def reconciliations(wired: Wired) -> Sequence[str]:
    """A run that found something."""
    now = wired.clock.now()

    def work(connection: Connection) -> int:
        number = runs.begin(connection, date(2026, 3, 1), "", f"staff:7:{MARKUP}"[:64], now)
        found = [Finding(BOOKS, "snippe", "T" * 60, "R" * 12, None, None, LONG[:100] + MARKUP)]
        runs.add_findings(connection, number, found)
        runs.finish(connection, number, 3, 2, 1, now)
        return number

    return ("reconciliation", f"reconciliation/{wired.run(work)}")


def deposits(tz: Till) -> Sequence[str]:
    """Money in suspense, an order that is parked, and their lists."""
    order = tz.order("500")
    tz.snippe(snippe_body(f"ORD {MARKUP}"[:60], note=LONG))
    tz.snippe(snippe_body(order.reference, 700, txn_id="S" * 60))
    root = "deposits"
    tabs = [f"{root}?show={tab}" for tab in ("suspense", "parked", "callbacks", "failed", "all")]
    ones = [f"{root}/{one.reference}" for one in tz.all()]
    return (*tabs, *ones, f"{root}/callbacks/1", f"{root}/book")


@pytest.fixture
def tz(sqlite_url: str, clock: SteppedClock) -> Iterator[Till]:
    """A gateway in Tanzania that takes money."""
    with till(sqlite_url, clock) as made:
        yield made


def test_withdrawals_disputes_approvals_and_runs_can_be_used_by_everybody(
    browser: Browser, sqlite_url: str, clock: SteppedClock
) -> None:
    wired = Wired(sqlite_url, clock)
    Staffed(wired)
    paths = (*withdrawals(wired), *disputes(wired, clock), *reconciliations(wired))
    with served(wired.app) as address, browser.new_context() as context:
        page = context.new_page()
        log_in(page, address, Role.OPERATOR)
        assert faults(page, address, paths) == []
    wired.close()


def test_deposits_can_be_used_by_everybody(browser: Browser, tz: Till) -> None:
    Staffed(tz)
    paths = deposits(tz)
    with served(tz.app) as address, browser.new_context() as context:
        page = context.new_page()
        log_in(page, address, Role.OPERATOR)
        assert faults(page, address, paths) == []
