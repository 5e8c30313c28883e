"""Paying: one call under the withdrawal's reference, whatever comes of it; then only questions."""

import threading
from collections import deque
from datetime import timedelta

import pytest

from gateway.errors import OutcomeUnknown, Refused, Throttled, Unreachable
from gateway.outbox.store import LEASE
from gateway.providers.base.messages import Outcome, Status
from gateway.withdrawals.payout import pace
from gateway.withdrawals.store import Withdrawal
from tests.outbox.senders import until
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.wired import ADA, Wired
from tests.withdrawals.staging import FAILED, PAID, TAKEN, Desk, Said, naira, told

LOST = OutcomeUnknown("no answer")


def asked(desk: Desk, amount: str = "60.00") -> Withdrawal:
    """A withdrawal of a wallet that had 100.00."""
    desk.fund()
    return desk.request(amount, fee=naira("1.00"))


def said(desk: Desk, *words: Said) -> None:
    """What the provider answers to the call."""
    desk.payer.says = deque(words)


def answers(desk: Desk, *words: Said) -> None:
    """What it answers to our questions."""
    desk.payer.answers = deque(words)


def texts(wired: Wired) -> list[str]:
    """The SMS that Ada got."""
    wired.send_all()
    return [message.text for message in wired.gateway.inbox(ADA)]


def test_a_payout_that_succeeds_at_once_is_paid(desk: Desk) -> None:
    made = asked(desk)
    assert desk.work() == 1
    assert desk.stands(made) == ("paid", "none", naira("39.00"), naira("0.00"))
    paid = desk.now(made)
    assert (paid.paid_through, paid.provider_txn_id) == ("snippe", "TXN1")
    (call,) = desk.payer.paid
    assert (call.reference, call.msisdn, call.amount) == (made.reference, ADA, naira("60.00"))
    assert desk.wired.breaches() == []


def test_its_owner_is_told_by_sms_that_it_was_paid(wired: Wired) -> None:
    made = asked(Desk(wired))
    Desk(wired).work()
    assert texts(wired) == [
        f"Your withdrawal of NGN 60.00 was paid. Ref {made.reference}. Transaction TXN1."
    ]


def test_a_refusal_gives_amount_and_fee_back_and_says_so(wired: Wired) -> None:
    desk = Desk(wired)
    said(desk, Refused("not registered"))
    made = asked(desk)
    desk.work()
    assert desk.stands(made) == ("rejected", "none", naira("100.00"), naira("0.00"))
    assert desk.now(made).reason == "not registered"
    assert texts(wired) == [
        "Your withdrawal of NGN 60.00 was not paid. The money is back in your wallet."
        f" Ref {made.reference}."
    ]
    assert wired.breaches() == []


def test_a_failure_in_the_answer_is_a_refusal(desk: Desk) -> None:
    said(desk, FAILED)
    made = asked(desk)
    desk.work()
    assert desk.stands(made)[:2] == ("rejected", "none")


def test_a_refusal_of_our_own_configuration_waits_for_an_operator(desk: Desk) -> None:
    said(desk, Refused("payouts are not set up", alarm=True))
    made = asked(desk)
    with captured_log() as log:
        desk.work()
    assert desk.stands(made) == ("held", "manual", naira("39.00"), naira("61.00"))
    assert desk.now(made).handed_over_at is None
    assert told(log, "payout_refused")


@pytest.mark.parametrize("failure", [Unreachable("no connection"), Throttled("later", 30)])
def test_what_was_never_handed_over_is_tried_again_under_the_same_reference(
    desk: Desk, clock: SteppedClock, failure: Exception
) -> None:
    said(desk, failure, failure, PAID)
    made = asked(desk)
    for _ in range(3):
        desk.work()
        clock.advance(minutes=1)
    assert desk.stands(made)[:2] == ("paid", "none")
    assert {call.reference for call in desk.payer.paid} == {made.reference}
    assert len(desk.payer.paid) == 3


@pytest.mark.parametrize("word", [LOST, TAKEN, ValueError("not in the contract")])
def test_an_unknown_outcome_stays_held_and_is_never_called_again(
    desk: Desk, clock: SteppedClock, word: Said
) -> None:
    said(desk, word)
    made = asked(desk)
    desk.work()
    assert desk.stands(made) == ("held", "unknown", naira("39.00"), naira("61.00"))
    for _ in range(20):
        clock.advance(minutes=10)
        desk.work()
    assert len(desk.payer.paid) == 1
    assert len(desk.payer.asked) > 5
    assert {question.reference for question in desk.payer.asked} == {made.reference}
    assert desk.stands(made)[:2] == ("held", "unknown")


def test_the_question_names_what_the_provider_called_it(desk: Desk, clock: SteppedClock) -> None:
    said(desk, TAKEN)
    made = asked(desk)
    desk.work()
    clock.advance(minutes=1)
    desk.work()
    (question,) = desk.payer.asked
    assert (question.provider_ref, question.reference) == ("ref-1", made.reference)
    assert question.amount == naira("60.00")


@pytest.mark.parametrize(
    ("answer", "stands"),
    [
        (PAID, ("paid", "none", naira("39.00"), naira("0.00"))),
        (FAILED, ("rejected", "none", naira("100.00"), naira("0.00"))),
    ],
)
def test_the_answer_to_a_question_ends_it(
    desk: Desk, clock: SteppedClock, answer: Status, stands: tuple[object, ...]
) -> None:
    said(desk, LOST)
    answers(desk, TAKEN, OutcomeUnknown("no answer"), Refused("no such page"), answer)
    made = asked(desk)
    for _ in range(10):
        desk.work()
        clock.advance(minutes=5)
    assert desk.stands(made) == stands
    assert len(desk.payer.asked) == 4
    assert desk.wired.breaches() == []


def test_after_a_day_of_questions_an_operator_is_alarmed_once_and_it_stays_held(
    desk: Desk, clock: SteppedClock
) -> None:
    said(desk, LOST)
    made = asked(desk)
    desk.work()
    with captured_log() as log:
        for _ in range(15):
            clock.advance(hours=2)
            desk.work()
    assert desk.stands(made) == ("held", "manual", naira("39.00"), naira("61.00"))
    assert len(told(log, "payout_unknown_for_long")) == 1
    answers(desk, PAID)
    clock.advance(hours=2)
    desk.work()
    assert desk.stands(made)[:2] == ("paid", "none")
    assert len(desk.payer.paid) == 1


def test_questions_end_after_a_week(desk: Desk, clock: SteppedClock) -> None:
    said(desk, LOST)
    asked(desk)
    desk.work()
    clock.advance(days=8)
    desk.work()
    clock.advance(days=8)
    assert desk.work() == 0


def test_a_call_that_outlives_its_lease_is_asked_about_and_its_late_answer_counts(
    desk: Desk, clock: SteppedClock
) -> None:
    made = asked(desk)
    desk.payer.gate = threading.Event()
    worker = threading.Thread(target=desk.work)
    worker.start()
    until(lambda: len(desk.payer.paid) == 1)
    assert desk.stands(made)[:2] == ("held", "sending")
    clock.advance(seconds=LEASE.total_seconds() + 1)
    other = Desk(desk.wired)
    assert other.runner.settle_lost() == 1
    assert desk.stands(made) == ("held", "unknown", naira("39.00"), naira("61.00"))
    assert other.work() == 0
    desk.payer.gate.set()
    worker.join(30)
    assert desk.stands(made)[:2] == ("paid", "none")
    clock.advance(minutes=5)
    other.work()
    assert (len(desk.payer.paid), other.payer.paid) == (1, [])
    assert desk.wired.breaches() == []


def test_a_provider_that_is_no_longer_set_up_leaves_it_to_an_operator(wired: Wired) -> None:
    made = asked(Desk(wired))
    without = Desk(wired)
    without.payer.name = "another"
    without.work()
    assert without.stands(made)[:2] == ("held", "manual")


def test_another_amount_is_not_booked_but_alarmed(desk: Desk) -> None:
    said(desk, Status(Outcome.SUCCEEDED, txn_id="T", amount=naira("6.00")))
    made = asked(desk)
    with captured_log() as log:
        desk.work()
    assert desk.stands(made) == ("held", "manual", naira("39.00"), naira("61.00"))
    assert told(log, "payout_contradiction")[0]["what"] == "another amount was paid"


def test_a_transaction_pays_one_withdrawal_only(desk: Desk) -> None:
    desk.fund("200.00")
    first, second = desk.request("60.00", intent="a"), desk.request("60.00", intent="b")
    desk.work()
    states = sorted(desk.stands(made)[:2] for made in (first, second))
    assert states == [("held", "manual"), ("paid", "none")]
    assert desk.wired.breaches() == []


def test_after_a_day_it_is_still_asked_about_every_two_hours() -> None:
    assert pace(timedelta(days=2)) == timedelta(hours=2)
