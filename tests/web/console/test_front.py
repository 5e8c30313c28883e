"""The console's front page: all that needs somebody, where it is dealt with, and nothing else."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest

from gateway.disputes.open import Complaint
from gateway.people.staff.store import Role
from gateway.switches import board
from tests.outlets.staging import Shop
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired
from tests.web.console import waiting
from tests.web.staffed import NAMES, PHONES, Staffed, Visitor

NOTHING = "Nothing. What waits for an operator appears here"
_ITEM = re.compile(
    r'<li(?: class="(?P<urgent>urgent)")?> <(?:a|div) class="one"(?: href="(?P<path>[^"]*)")?>'
    r' <span class="count">(?:<span[^>]*>)?(?P<count>[^<]*).*?'
    r'<span class="what">(?:<span class="unseen">Urgent: </span>)?(?P<says>[^<]*)'
)
Found = tuple[str, str, str, bool]


@pytest.fixture(autouse=True)
def worker_that_lives(wired: Wired) -> None:
    """Else that would be the first thing that the page tells of."""
    wired.gateway.report_keys("worker")


def items(visitor: Visitor) -> list[Found]:
    """What the page tells of: count, words, path, and whether it is urgent."""
    answer = visitor.get("/console")
    assert answer.status_code == 200
    text = " ".join(answer.text.split())
    return [
        (found["count"], found["says"], found["path"] or "", bool(found["urgent"]))
        for found in _ITEM.finditer(text)
    ]


def test_where_nothing_waits_the_page_says_so(operator: Visitor) -> None:
    assert items(operator) == []
    text = operator.get("/console").text
    assert NOTHING in text
    assert "Nothing is due" in text
    assert "nobody has redeemed a token" in text


def _approvals(wired: Wired) -> None:
    ask, now = wired.gateway.approvals.ask, wired.clock.now()
    wired.run(lambda c: ask(c, "wallet.move", ADA, {"to": BELLO}, "cli:one", "needed", now))


def _dispute(wired: Wired, days: int) -> None:
    serial, now = wired.issue().serial, wired.clock.now()
    complaint = Complaint(serial, ADA, "cli:test", "never came", days)
    wired.run(lambda c: wired.gateway.disputes.opener.open(c, complaint, now))


def _counted_shift(wired: Wired) -> None:
    shop = Shop(wired).open()
    shop.shift()
    shop.count("499.00")


def _paused(wired: Wired) -> None:
    now = wired.clock.now()
    wired.run(lambda c: board.throw(c, "redeem", "cli:test", "fire", now, pause=True))


ROOT = "/console"
ITEMS: dict[str, tuple[Callable[[Wired], None], Found]] = {
    "approvals": (_approvals, ("1", "Requests to approve or refuse", f"{ROOT}/approvals", False)),
    "manual": (
        lambda w: waiting.withdrawal(w, "W1", "manual"),
        ("1", "Withdrawals that need an operator", f"{ROOT}/withdrawals?show=manual", True),
    ),
    "stuck": (
        lambda w: waiting.withdrawal(w, "W1", "queued"),
        ("1", "Withdrawals that nobody moves on", f"{ROOT}/withdrawals?show=stuck", True),
    ),
    "dispute": (
        lambda w: _dispute(w, 1),
        ("1", "Disputes to be answered within two days", f"{ROOT}/disputes", False),
    ),
    "conflict": (
        lambda w: waiting.callback(w, "conflict"),
        ("1", "Callbacks that contradict the books", f"{ROOT}/deposits?show=callbacks", True),
    ),
    "parked": (
        lambda w: waiting.deposit(w, "D1", parked=True),
        ("1", "Orders parked until somebody has looked", f"{ROOT}/deposits?show=parked", False),
    ),
    "suspense": (
        lambda w: waiting.deposit(w, "D1", parked=False),
        ("1", "Payments in suspense", f"{ROOT}/deposits?show=suspense", False),
    ),
    "failed": (
        waiting.failed_sms,
        ("1", "SMS that failed for good", f"{ROOT}/outbox?show=failed", False),
    ),
    "breaker": (
        lambda w: waiting.guessed(w, "breaker:11", 45, 45),
        (
            "!",
            "The breaker of 11-digit tokens is closed after too many wrong entries",
            f"{ROOT}/limits",
            True,
        ),
    ),
    "nearly": (
        lambda w: waiting.guessed(w, "breaker:11", 40, 45),
        (
            "·",
            "The breaker of 11-digit tokens has used 88% of its wrong entries",
            f"{ROOT}/limits",
            False,
        ),
    ),
    "channel": (
        lambda w: waiting.guessed(w, "channel:africastalking", 2_000),
        (
            "!",
            "The channel africastalking is closed after too many wrong entries",
            f"{ROOT}/limits",
            True,
        ),
    ),
    "switch": (_paused, ("·", "Paused: redeem", f"{ROOT}/switches", False)),
    "shift": (
        _counted_shift,
        ("1", "Counts of tills that a manager has to accept", f"{ROOT}/outlets", False),
    ),
}


@pytest.mark.parametrize("kind", ITEMS)
def test_what_needs_somebody_is_told_with_the_way_to_it(
    wired: Wired, operator: Visitor, kind: str
) -> None:
    stage, told = ITEMS[kind]
    stage(wired)
    assert items(operator) == [told]


def test_a_payout_of_unknown_outcome_is_told_even_while_it_is_asked_about(
    wired: Wired, operator: Visitor
) -> None:
    waiting.withdrawal(wired, "W1", "unknown")
    path = "/console/withdrawals?show=unknown"
    assert ("1", "Payouts whose outcome is not known yet", path, False) in items(operator)


def test_an_overdue_dispute_is_urgent_and_a_distant_one_is_not_told(
    wired: Wired, staffed: Staffed, clock: SteppedClock
) -> None:
    _dispute(wired, 14)
    assert items(staffed.within(Role.OPERATOR)) == []
    clock.advance(days=15)
    told = items(staffed.within(Role.OPERATOR))
    assert ("1", "Disputes beyond their deadline", "/console/disputes", True) in told


def test_an_old_conflict_is_not_told_for_ever(
    wired: Wired, staffed: Staffed, clock: SteppedClock
) -> None:
    waiting.callback(wired, "conflict")
    clock.advance(days=8)
    wired.gateway.report_keys("worker")
    assert items(staffed.within(Role.OPERATOR)) == []


def test_a_worker_that_is_silent_or_was_never_there_is_urgent(
    wired: Wired, operator: Visitor
) -> None:
    waiting.worker_was_heard(wired, wired.clock.now() - timedelta(minutes=3))
    silent = ("!", "The worker is silent: nothing is sent", "/console/outbox", True)
    assert items(operator) == [silent]
    assert "since <time" in " ".join(operator.get("/console").text.split())
    wired.gateway.parts().sign_off()
    assert items(operator) == [("!", "No worker runs: nothing is sent", "/console/outbox", True)]


def test_what_is_due_for_long_is_urgent_and_what_has_just_become_due_is_not(
    wired: Wired, operator: Visitor, clock: SteppedClock
) -> None:
    wired.issue(deliver=True)
    assert items(operator) == []
    clock.advance(minutes=6)
    wired.gateway.report_keys("worker")
    late = ("!", "SMS wait longer than they should", "/console/outbox", True)
    assert items(operator) == [late]
    assert wired.send_all() == 1
    assert items(operator) == []


def test_a_missing_run_is_told_once_it_should_have_been(
    wired: Wired, staffed: Staffed, clock: SteppedClock
) -> None:
    missing = ("!", "The nightly reconciliation is missing", "/console/reconciliation", True)
    wired.issue()
    assert missing not in items(staffed.within(Role.OPERATOR))  # the first day is not over
    clock.advance(hours=16)  # two in the night by the local clock
    assert missing not in items(staffed.within(Role.OPERATOR))
    clock.advance(hours=3)
    assert missing in items(staffed.within(Role.OPERATOR))
    waiting.run_over_yesterday(wired)
    assert missing not in items(staffed.within(Role.OPERATOR))


def test_findings_are_told_breaks_in_the_books_first(wired: Wired, operator: Visitor) -> None:
    run = waiting.run_over_yesterday(wired, "no_statement", "books", "books", "uncovered")
    path = f"/console/reconciliation/{run.id}"
    assert items(operator) == [
        ("2", "Breaks in the books", path, True),
        ("!", "More is owed than is kept", path, True),
        ("1", "Findings of the last reconciliation", path, False),
    ]


def test_a_run_that_was_cut_off_is_told_until_the_next_one(wired: Wired, operator: Visitor) -> None:
    run = waiting.run_over_yesterday(wired, cut_off=True)
    path = f"/console/reconciliation/{run.id}"
    assert items(operator) == [("!", "The last reconciliation was cut off", path, True)]
    waiting.run_over_yesterday(wired)
    assert items(operator) == []


def test_a_process_without_a_key_of_live_tokens_says_so(wired: Wired, operator: Visitor) -> None:
    wired.issue()
    lacking = Wired(
        wired.gateway.settings.database_url, wired.clock, token_keys=f"k2:{bytes(32).hex()}"
    )
    visitor = Visitor(lacking.app.test_client(), "/console")
    visitor.cookie = operator.cookie
    told = items(visitor)
    text = visitor.get("/console").text
    lacking.close()
    assert ("!", "This process is not ready for callers", "", True) in told
    assert "key missing: generate:k1" in text


def test_who_is_locked_out_is_named_as_text(staffed: Staffed, operator: Visitor) -> None:
    hostile = "<b onclick=alert(1)>"
    staffed.hire(Role.CASHIER, hostile, "+2348030000031")
    for _ in range(5):
        staffed.visitor("/counter").log_in("+2348030000031", "5802")
    text = operator.get("/console").text
    assert "&lt;b onclick=alert(1)&gt; is locked out" in text
    assert hostile not in text
    assert "cashier, after 5 wrong PINs" in text


def test_the_reason_of_a_pause_is_shown_as_text(wired: Wired, operator: Visitor) -> None:
    now = wired.clock.now()
    reason = "<script>alert(1)</script>"
    wired.run(lambda c: board.throw(c, "sms", "cli:test", reason, now, pause=True))
    text = operator.get("/console").text
    assert reason not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_everything_at_once_is_one_page_and_names_no_phone(
    staffed: Staffed, wired: Wired, operator: Visitor
) -> None:
    for stage, _ in ITEMS.values():
        if stage not in (ITEMS["nearly"][0], ITEMS["stuck"][0], ITEMS["suspense"][0]):
            stage(wired)
    answer = operator.get("/console")
    assert len(items(operator)) >= 10
    assert len(answer.data) < 100_000
    assert ADA not in answer.text
    assert PHONES[Role.OPERATOR] not in answer.text
    assert NAMES[Role.OPERATOR] in answer.text  # the bar


def test_urgent_things_stand_first(wired: Wired, operator: Visitor) -> None:
    _approvals(wired)
    waiting.callback(wired, "conflict")
    assert [item[3] for item in items(operator)] == [True, False]


@pytest.mark.parametrize("role", [Role.CASHIER, Role.MANAGER])
def test_the_front_page_is_not_for_the_counter(staffed: Staffed, role: Role) -> None:
    assert staffed.within(role).get("/console").status_code == 403
