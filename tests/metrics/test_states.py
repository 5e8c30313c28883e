"""How things stand, read from the database at a scrape: late messages, money, limits, the books."""

from datetime import timedelta

import pytest
from sqlalchemy import Connection, insert, update

from gateway.deposits.callbacks.store import Became, callbacks
from gateway.outbox.store import outbox
from gateway.reconciliation.runs import store as runs
from gateway.reconciliation.runs.store import CLEAN, Finding
from gateway.switches import store as switches
from gateway.tokens.guesses import limits
from gateway.tokens.keys import rotation
from tests.metrics import scraping
from tests.metrics.scraping import Scrape
from tests.support.clock import SteppedClock
from tests.support.wired import Wired


def look(wired: Wired) -> Scrape:
    return scraping.within(wired.client)


def test_a_late_sms_tells_its_age_and_its_line(wired: Wired, clock: SteppedClock) -> None:
    wired.issue(deliver=True)
    wired.issue(deliver=True)
    clock.advance(minutes=7)
    seen = look(wired)
    assert seen.value("gateway_outbox_rows", line="sms", state="queued") == 2
    assert seen.value("gateway_outbox_oldest_seconds", line="sms", state="queued") == 420
    assert seen.value("gateway_outbox_rows", line="payout", state="queued") == 0


def test_sms_are_told_by_channel_and_state(wired: Wired, clock: SteppedClock) -> None:
    wired.issue(deliver=True)
    assert wired.gateway.sender("test").send_next()
    assert look(wired).value("gateway_sms_last_hour", channel="simulator", state="delivered") == 1
    wired.run(lambda c: c.execute(update(outbox).values(state="failed", due_at=clock.now())))
    other = Wired(str(wired.gateway.database.url.render_as_string(False)), clock)
    failed = look(other)
    assert failed.value("gateway_sms_last_hour", channel="simulator", state="failed") == 1
    assert failed.value("gateway_sms_failed_last_hour") == 1
    other.close()


def test_the_breaker_tells_how_far_it_is_and_that_it_is_open(
    wired: Wired, clock: SteppedClock
) -> None:
    budget = limits.breaker_budget(0).an_hour
    for _ in range(3):
        wired.run(lambda c: limits.miss(c, "sms", 11, clock.now()))
    before = look(wired)
    assert before.value("gateway_breaker_open", breaker="short_tokens") == 0
    assert before.value("gateway_breaker_entries", breaker="short_tokens", window="hour") == 3
    assert before.value("gateway_breaker_budget", breaker="short_tokens", window="hour") == budget
    assert before.value("gateway_breaker_entries", breaker="channel:sms", window="day") == 3


def test_an_open_breaker_is_told(wired: Wired, clock: SteppedClock) -> None:
    budget = limits.breaker_budget(0).an_hour

    def misses(connection: Connection) -> None:
        for _ in range(budget):
            limits.miss(connection, "sms", 11, clock.now())

    wired.run(misses)
    assert look(wired).value("gateway_breaker_open", breaker="short_tokens") == 1


def test_no_run_yet_has_no_age_and_no_result(wired: Wired) -> None:
    seen = look(wired)
    assert "gateway_reconcile_age_seconds" not in seen.families
    assert seen.value("gateway_reconcile_last", result="clean") == 0


@pytest.mark.parametrize(
    ("kinds", "result", "books", "other"),
    [([], "clean", 0, 0), (["books", "books", "no_statement"], "findings", 2, 1)],
)
def test_the_latest_run_tells_its_age_and_what_it_found(
    wired: Wired, clock: SteppedClock, kinds: list[str], result: str, books: int, other: int
) -> None:
    def run(number: int) -> None:
        run = wired.run(lambda c: runs.begin(c, clock.now().date(), "", "cron", clock.now()))
        findings = [Finding(kind, "") for kind in kinds]
        wired.run(lambda c: runs.add_findings(c, run, findings))
        wired.run(lambda c: runs.finish(c, run, number, 0, len(findings), clock.now()))

    run(1)
    clock.advance(hours=30)
    seen = look(wired)
    assert seen.value("gateway_reconcile_age_seconds") == 30 * 3600
    assert seen.value("gateway_reconcile_last", result=result) == 1
    assert seen.value("gateway_reconcile_findings", kind="books") == books
    assert seen.value("gateway_reconcile_findings", kind="other") == other


def test_a_run_that_was_cut_off_leaves_the_age_of_the_one_before(
    wired: Wired, clock: SteppedClock
) -> None:
    first = wired.run(lambda c: runs.begin(c, clock.now().date(), "", "cron", clock.now()))
    wired.run(lambda c: runs.finish(c, first, 0, 0, 0, clock.now()))
    clock.advance(hours=24)
    wired.run(lambda c: runs.begin(c, clock.now().date(), "", "cron", clock.now()))
    seen = look(wired)
    assert seen.value("gateway_reconcile_age_seconds") == 24 * 3600
    assert seen.value("gateway_reconcile_last", result="running") == 1
    assert seen.value("gateway_reconcile_last", result=CLEAN) == 0


def test_a_worker_that_was_heard_of_tells_for_how_long_it_is_silent(
    wired: Wired, clock: SteppedClock
) -> None:
    wired.gateway.report_keys("worker")
    clock.advance(seconds=90)
    seen = look(wired)
    assert seen.value("gateway_process_silent_seconds", role="worker") == 90
    assert rotation.REPORT_SECONDS < 90


def test_what_is_paused_tells_since_when(wired: Wired, clock: SteppedClock) -> None:
    wired.run(lambda c: switches.throw(c, "payouts", "staff:1", "audit", clock.now(), pause=True))
    clock.advance(hours=2)
    assert look(wired).value("gateway_paused_seconds", what="payouts") == 7200


def test_callbacks_that_somebody_must_look_at_are_told(wired: Wired, clock: SteppedClock) -> None:
    row = {
        "dialect": "snippe",
        "part": "",
        "provider": "snippe",
        "address": "127.0.0.1",
        "headers": "[]",
        "body": b"{}",
        "received_at": clock.now() - timedelta(hours=1),
        "became": Became.CONFLICT.value,
    }
    old = {**row, "received_at": clock.now() - timedelta(days=3)}
    wired.run(lambda c: c.execute(insert(callbacks), [row, old]))
    seen = look(wired)
    assert seen.value("gateway_callbacks_last_day", became="conflict") == 1
    assert seen.value("gateway_callbacks_last_day", became="kept") == 0
