"""Disputes about withdrawals on their way: what can be stopped is, what cannot is told."""

from collections import deque
from decimal import Decimal

import pytest

from gateway.disputes.open import is_stopped
from gateway.errors import BadInput, OutcomeUnknown, Unreachable
from gateway.providers.base.messages import Outcome
from gateway.withdrawals.operate import NotHeld, StillOpen
from tests.disputes.staging import Office
from tests.support.clock import SteppedClock
from tests.support.wired import ADA
from tests.withdrawals.staging import PAID


def held(office: Office, amount: str = "100.00") -> str:
    office.desk.fund("100.00")
    return office.desk.request(amount).reference


def test_a_stopped_payout_is_not_sent_and_goes_on_after_its_release(office: Office) -> None:
    dispute = office.open(held(office))
    assert is_stopped(dispute)
    office.desk.work()
    assert office.desk.payer.paid == []
    office.end("release", dispute)
    office.desk.work()
    assert [payout.reference for payout in office.desk.payer.paid] == [dispute.subject]
    assert office.wired.breaches() == []


def test_a_release_before_the_worker_came_by_pays_once(office: Office) -> None:
    dispute = office.open(held(office))
    office.end("reject", dispute)
    assert office.desk.work() == 2  # the first task and the one of the release
    assert len(office.desk.payer.paid) == 1
    assert office.wired.balance(ADA) == Decimal("0.00")
    assert office.wired.breaches() == []


def test_a_payout_that_could_not_be_handed_over_can_be_stopped_and_goes_on(
    office: Office, clock: SteppedClock
) -> None:
    office.desk.payer.says = deque([Unreachable("no line"), PAID])
    reference = held(office)
    office.desk.work()
    dispute = office.open(reference)
    clock.advance(hours=1)
    office.desk.work()
    assert len(office.desk.payer.paid) == 1
    office.end("release", dispute)
    office.desk.work()
    assert len(office.desk.payer.paid) == 2
    assert office.wired.breaches() == []


def test_two_disputes_after_one_another_stop_the_same_payout_twice(office: Office) -> None:
    reference = held(office)
    for _ in range(2):
        office.end("release", office.open(reference))
    dispute = office.open(reference)
    office.desk.work()
    assert office.desk.payer.paid == []
    office.refund(dispute)
    office.desk.work()
    assert office.desk.payer.paid == []
    assert office.wired.balance(ADA) == Decimal("100.00")
    assert office.wired.breaches() == []


def unknown(office: Office) -> str:
    """A withdrawal that a provider may have paid."""
    office.desk.payer.says = deque([OutcomeUnknown("no answer")])
    reference = held(office)
    office.desk.work()
    return reference


def test_a_payout_of_unknown_outcome_cannot_be_stopped_nor_refunded(office: Office) -> None:
    dispute = office.open(unknown(office))
    assert (dispute.step, is_stopped(dispute)) == ("unknown", False)
    with pytest.raises(StillOpen):
        office.ask(dispute)
    assert office.wired.balance(ADA) == Decimal("0.00")


def test_an_unknown_outcome_is_not_refunded_after_it_went_to_the_operators_either(
    office: Office, clock: SteppedClock
) -> None:
    dispute = office.open(unknown(office))
    for _ in range(30):
        clock.advance(hours=1)
        office.desk.work()
    number = office.ask(dispute)
    with pytest.raises(StillOpen):
        office.approve(number)
    assert office.now(dispute).state == "open"
    assert office.wired.balance(ADA) == Decimal("0.00")


def test_a_payout_that_came_through_is_not_given_back_as_one_that_is_held(office: Office) -> None:
    made = office.desk.request
    office.desk.fund("100.00")
    office.desk.payer.says = deque([OutcomeUnknown("no answer")])
    withdrawal = made("100.00")
    office.desk.work()
    dispute = office.open(withdrawal.reference)
    office.desk.hear(withdrawal, Outcome.SUCCEEDED, txn_id="T9", amount=Decimal("100.00"))
    with pytest.raises(NotHeld):
        office.ask(dispute)
    office.end("release", dispute)
    assert office.desk.now(withdrawal).state == "paid"
    office.refund(office.open(withdrawal.reference), "25.00")
    assert office.wired.balance(ADA) == Decimal("25.00")
    assert office.wired.breaches() == []


def test_a_payout_that_failed_by_itself_needs_no_refund(office: Office) -> None:
    office.desk.fund("100.00")
    office.desk.payer.says = deque([OutcomeUnknown("no answer")])
    withdrawal = office.desk.request("100.00")
    office.desk.work()
    dispute = office.open(withdrawal.reference)
    office.desk.hear(withdrawal, Outcome.FAILED)
    with pytest.raises(BadInput, match="rejected"):
        office.ask(dispute)
    office.end("reject", dispute)
    assert office.wired.balance(ADA) == Decimal("100.00")
    assert office.wired.breaches() == []


def test_a_payout_that_waits_for_its_approval_waits_for_it_again(office: Office) -> None:
    reference = held(office)
    waits = "UPDATE withdrawals SET payout = 'none'"
    office.wired.run(lambda c: c.exec_driver_sql(waits).rowcount)
    dispute = office.open(reference)
    assert office.desk.now(office.desk.request("100.00")).payout == "manual"
    office.end("release", dispute)
    assert office.desk.now(office.desk.request("100.00")).payout == "none"


def test_a_reference_may_be_typed_in_small_letters_and_groups(office: Office) -> None:
    reference = held(office).lower()
    grouped = f"{reference[:4]}-{reference[4:8]} {reference[8:]}"
    assert office.open(grouped).subject == reference.upper()
