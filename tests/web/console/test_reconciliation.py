"""Reconciliation on the console: days with their runs, clean and released or not; no repairs."""

from datetime import date

import pytest
from sqlalchemy import Connection

from gateway.reconciliation.run import BOOKS, NO_STATEMENT
from gateway.reconciliation.runs import store
from gateway.reconciliation.runs.store import Finding
from gateway.reconciliation.statements import store as statements
from tests.support.clock import SteppedClock
from tests.support.wired import Wired
from tests.web.console.answers import MARKUP, text
from tests.web.staffed import Visitor
from tests.withdrawals.staging import Desk, Payer, naira

ROOT = "/console/reconciliation"
YESTERDAY = date(2026, 3, 1)


def ran(wired: Wired, day: date, *found: Finding, provider: str = "", ends: bool = True) -> int:
    """A run over a day that found this; its number."""
    now = wired.clock.now()

    def work(connection: Connection) -> int:
        number = store.begin(connection, day, provider, "cli:root", now)
        store.add_findings(connection, number, found)
        if ends:
            store.finish(connection, number, 3, 2, len(found), now)
        return number

    return wired.run(work)


def test_before_the_first_run_the_page_says_what_it_is_for(operator: Visitor) -> None:
    shown = text(operator.get(ROOT))
    assert "Yesterday, 1 Mar 2026 Not reconciled yet: nothing of that day is paid" in shown
    assert "There was no run yet." in shown
    assert "No statement was imported yet." in shown
    assert operator.get(f"{ROOT}/1").status_code == 404


def test_a_clean_day_is_released(operator: Visitor, wired: Wired) -> None:
    number = ran(wired, YESTERDAY)
    shown = text(operator.get(ROOT))
    assert "Clean. What was asked for that day may be paid" in shown
    assert f"1 Mar 2026 released {number} everything clean 0" in shown
    run = text(operator.get(f"{ROOT}/{number}"))
    assert "Everything agrees." in run
    assert "Settlements released: those asked for that day may be paid" in run
    assert "Asked about 3, of which 2 could be settled" in run


def test_findings_hold_a_day_back_until_a_later_run_is_clean(
    operator: Visitor, wired: Wired
) -> None:
    first = ran(wired, YESTERDAY, Finding(BOOKS, "", note=MARKUP), Finding(NO_STATEMENT, "mpesa"))
    shown = text(operator.get(ROOT))
    assert "2 findings : nothing of that day is paid" in shown
    assert f"1 Mar 2026 not released {first} everything findings 2" in shown
    run = text(operator.get(f"{ROOT}/{first}"))
    assert f"The books contradict themselves {MARKUP}" in run
    assert "No statement covers the day mpesa" in run
    assert "Settlements not released" in run
    second = ran(wired, YESTERDAY)
    assert f"released {second} everything clean 0" in text(operator.get(ROOT))
    assert f"another run decides: {second}" in text(operator.get(f"{ROOT}/{first}"))


def test_a_run_over_one_provider_or_a_day_that_is_not_over_releases_nothing(
    operator: Visitor, wired: Wired
) -> None:
    one = ran(wired, YESTERDAY, provider="snippe")
    assert "Not reconciled yet" in text(operator.get(ROOT))
    assert "it was over one provider" in text(operator.get(f"{ROOT}/{one}"))
    early = ran(wired, date(2026, 3, 2))
    assert "the day was not over" in text(operator.get(f"{ROOT}/{early}"))
    assert "2 Mar 2026 not released" in text(operator.get(ROOT))


def test_a_run_that_was_begun_and_not_ended_is_said_to_be(operator: Visitor, wired: Wired) -> None:
    ran(wired, YESTERDAY, ends=False)
    assert "A run is under way : nothing of that day" in text(operator.get(ROOT))
    cut_off = ran(wired, YESTERDAY, ends=False)
    shown = text(operator.get(ROOT))
    assert "cut off" in shown
    assert f"{cut_off} everything running" in shown


def test_a_finding_leads_to_what_it_is_about(operator: Visitor, wired: Wired) -> None:
    desk = Desk(wired, Payer(phone_prefixes=("+254",)))
    desk.fund()
    made = desk.request()
    about = Finding("ours_only", "mpesa", "T1", made.reference, naira("60.00"), None, "")
    strange = Finding("moon", "mpesa", "T2", "NOBODYS", None, naira("7.00"), "")
    page = operator.get(f"{ROOT}/{ran(wired, YESTERDAY, about, strange)}")
    assert f'<a href="/console/withdrawals/{made.reference}">' in page.text
    shown = text(page)
    assert f"In our books, not in the statement mpesa 60.00 – {made.reference} T1" in shown
    assert "moon mpesa – 7.00 NOBODYS T2" in shown
    assert 'method="post"' not in page.text.partition("<main")[2]


def test_findings_and_days_are_read_page_by_page(
    operator: Visitor, wired: Wired, clock: SteppedClock
) -> None:
    found = [Finding(BOOKS, "", f"T{number}.") for number in range(51)]
    number = ran(wired, YESTERDAY, *found)
    first = operator.get(f"{ROOT}/{number}").text
    way = first.partition(">Next page")[0].rpartition('href="')[2].rstrip('"')
    second = operator.get(way).text
    assert ("T0." in first, "T49." in first, "T50." in first) == (True, True, False)
    assert ("T49." in second, "T50." in second) == (False, True)
    for day in range(1, 16):
        ran(wired, date(2026, 2, day))
    latest = operator.get(ROOT).text
    assert (">3 Feb 2026<" in latest, ">2 Feb 2026<" in latest) == (True, False)
    way = latest.partition(">Days before")[0].rpartition('href="')[2].rstrip('"')
    before = operator.get(way).text
    assert (">3 Feb 2026<" in before, ">2 Feb 2026<" in before) == (False, True)
    assert "Latest days" in before
    assert "1 Mar 2026" in text(operator.get(f"{ROOT}?before=2026-99-01"))


@pytest.mark.parametrize("state", ["imported", "importing"])
def test_the_last_statements_are_shown(operator: Visitor, wired: Wired, state: str) -> None:
    values = {"provider": "mpesa", "digest": "d", "state": state, "line_count": 12345}
    days = {"first_day": date(2026, 2, 28), "last_day": YESTERDAY, "closing": naira("9.50")}
    by = {"imported_by": f"staff:9:{MARKUP[:30]}", "imported_at": wired.clock.now()}
    wired.run(lambda c: statements.add(c, values | days | by | {"currency": "NGN"}))
    shown = text(operator.get(ROOT))
    assert "28 Feb 2026 to 1 Mar 2026 12,345 NGN 9.50 2 Mar 2026, 10:00" in shown
    assert MARKUP[:30] in shown
    assert ("broke off" in shown) is (state == "importing")
