"""Payouts over real HTTP: success, delay, silence, duplicates, 5xx, late words; on both engines."""

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal

import pytest
from sqlalchemy import update

from gateway.withdrawals.store import withdrawals
from tests.emulators.provider import (
    BROKEN,
    CUT_OFF,
    HANGS_UP,
    NO_JSON,
    PAID_THEN_BROKEN,
    PAID_THEN_HANGS_UP,
    TOO_MANY,
    Fault,
)
from tests.emulators.snippe import SnippeApi
from tests.support.clock import SteppedClock
from tests.support.races import race
from tests.withdrawals.over_snippe import Tanzania

SLOW = Fault(wait_seconds=0.5)
HELD = (Decimal("40000.00"), Decimal("60000.00"))
PAID = ("paid", "none", Decimal("40000.00"), Decimal("0.00"))
BACK = ("rejected", "none", Decimal("100000.00"), Decimal("0.00"))


@pytest.fixture
def there(database_url: str, clock: SteppedClock) -> Iterator[Tanzania]:
    """A gateway that pays through Snippe."""
    with SnippeApi() as api:
        whole = Tanzania(database_url, clock, api)
        yield whole
        whole.wired.close()


def test_a_payout_is_taken_asked_about_and_paid(there: Tanzania, clock: SteppedClock) -> None:
    made = there.request()
    there.work()
    assert there.stands(made) == ("held", "unknown", *HELD)
    (payout,) = there.api.by_order(made.reference)
    there.api.settle(payout["reference"], "completed", external_reference="SYNX1")
    clock.advance(minutes=1)
    there.work()
    assert there.stands(made) == PAID
    assert there.wired.breaches() == []


@pytest.mark.parametrize("status", ["failed"])
def test_a_payout_that_failed_is_given_back(
    there: Tanzania, clock: SteppedClock, status: str
) -> None:
    made = there.request()
    there.work()
    (payout,) = there.api.by_order(made.reference)
    there.api.settle(payout["reference"], status, failure_reason="no such phone")
    clock.advance(minutes=1)
    there.work()
    assert there.stands(made) == BACK
    assert there.wired.breaches() == []


@pytest.mark.parametrize(
    "fault",
    [SLOW, HANGS_UP, PAID_THEN_HANGS_UP, BROKEN, PAID_THEN_BROKEN, CUT_OFF, NO_JSON, TOO_MANY],
    ids=["slow", "silent", "paid_silent", "503", "paid_500", "cut_off", "no_json", "429"],
)
def test_whatever_the_call_meets_the_money_leaves_once_or_stays_held(
    there: Tanzania, clock: SteppedClock, fault: Fault
) -> None:
    there.api.script(fault)
    made = there.request()
    for _ in range(6):
        there.work()
        for payout in there.api.by_order(made.reference):
            there.api.settle(payout["reference"], "completed", external_reference="SYNX1")
        clock.advance(minutes=2)
    ours = there.api.by_order(made.reference)
    assert len(ours) <= 1
    assert there.stands(made) == (PAID if ours else ("held", "unknown", *HELD))
    assert len(there.calls()) == (2 if fault is TOO_MANY else 1)
    assert {call.headers["idempotency-key"] for call in there.calls()} == {made.reference}
    assert there.wired.breaches() == []


def test_an_amount_below_the_providers_least_is_given_back(there: Tanzania) -> None:
    made = there.request("4999.00")
    there.work()
    assert there.stands(made) == BACK


def test_sixteen_deliveries_of_one_event_pay_once(there: Tanzania) -> None:
    made = there.request()
    there.work()
    body = there.webhook(made, "payout.completed", external_reference="SYNX1")
    statuses = race(16, lambda _: there.deliver(body)())
    assert Counter(map(str, statuses)) == {"200": 16}
    assert there.stands(made) == PAID
    assert there.wired.breaches() == []


def test_events_out_of_order_end_it_once(there: Tanzania) -> None:
    made = there.request()
    there.work()
    assert there.hear(made, "payout.completed", external_reference="SYNX1") == 200
    assert there.hear(made, "payout.failed", failure_reason="timed out") == 200
    assert there.stands(made) == PAID
    assert there.hear(made, "payout.reversed", external_reference="SYNX1") == 200
    assert there.stands(made) == ("paid", "manual", Decimal("40000.00"), Decimal("0.00"))
    assert there.wired.breaches() == []


def test_a_success_after_a_failure_is_not_booked(there: Tanzania) -> None:
    made = there.request()
    there.work()
    assert there.hear(made, "payout.failed", failure_reason="no such phone") == 200
    assert there.hear(made, "payout.completed", external_reference="SYNX1") == 200
    assert there.stands(made) == ("rejected", "manual", Decimal("100000.00"), Decimal("0.00"))
    assert there.wired.breaches() == []


def test_an_event_about_what_another_provider_was_given_changes_nothing(there: Tanzania) -> None:
    made = there.request()
    there.work()
    change = update(withdrawals).where(withdrawals.c.id == made.id).values(provider="selcom")
    there.wired.run(lambda c: c.execute(change).rowcount)
    assert there.hear(made, "payout.completed", external_reference="SYNX1") == 200
    assert there.stands(made)[0] == "held"
