"""Words of the provider that come late, twice, unproven, or against what is booked."""

from collections import deque

import pytest

from gateway.errors import OutcomeUnknown
from gateway.outbox.tasks import QUERY
from gateway.providers.base.messages import Outcome, Trust
from gateway.withdrawals.operate import Deed
from gateway.withdrawals.store import Withdrawal
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.wired import Wired
from tests.withdrawals.staging import FAILED, PAID, TAKEN, Desk, Payer, naira, told

BOOKED_AS_PAID = ("paid", "none", naira("40.00"), naira("0.00"))
BACK = ("rejected", "none", naira("100.00"), naira("0.00"))


def unknown(desk: Desk) -> Withdrawal:
    """A withdrawal that was handed over without an answer."""
    desk.payer.says = deque([OutcomeUnknown("silence")])
    desk.fund()
    made = desk.request()
    desk.work()
    return made


def paid(desk: Desk) -> Withdrawal:
    """A withdrawal that is paid as TXN1."""
    desk.fund()
    made = desk.request()
    desk.work()
    return made


def rejected(desk: Desk) -> Withdrawal:
    """A withdrawal that its provider refused."""
    desk.payer.says = deque([FAILED])
    return paid(desk)


def verdicts(desk: Desk, made: Withdrawal) -> list[tuple[str, str]]:
    """What was said, and what we made of it."""
    return [(event.said, event.verdict) for event in desk.events(made)]


def test_a_signed_callback_pays(desk: Desk) -> None:
    made = unknown(desk)
    desk.hear(made, Outcome.SUCCEEDED, txn_id="C1", amount=naira("60.00"), currency="NGN")
    assert desk.stands(made) == BOOKED_AS_PAID
    assert desk.now(made).provider_txn_id == "C1"
    assert verdicts(desk, made)[-1] == ("succeeded", "applied")


def test_a_signed_callback_rejects(desk: Desk) -> None:
    made = unknown(desk)
    desk.hear(made, Outcome.FAILED, reason="no such phone")
    assert desk.stands(made) == BACK


def test_the_same_callback_many_times_changes_nothing_more(desk: Desk) -> None:
    made = unknown(desk)
    for _ in range(5):
        desk.hear(made, Outcome.SUCCEEDED, txn_id="C1")
    assert desk.stands(made) == BOOKED_AS_PAID
    assert len(verdicts(desk, made)) == 2
    assert desk.wired.breaches() == []


def test_a_callback_may_come_before_the_call_has_answered(desk: Desk) -> None:
    desk.fund()
    made = desk.request()
    desk.hear(made, Outcome.SUCCEEDED, txn_id="TXN1")
    desk.work()
    assert desk.stands(made) == BOOKED_AS_PAID
    assert desk.payer.paid == []


def test_a_callback_is_found_by_the_providers_own_id_too(desk: Desk) -> None:
    desk.payer.says = deque([TAKEN])
    made = paid(desk)
    desk.hear(made, Outcome.SUCCEEDED, reference="", provider_ref="ref-1", txn_id="C1")
    assert desk.stands(made) == BOOKED_AS_PAID


def test_a_late_failure_leaves_it_paid_is_kept_and_alarmed_once(desk: Desk) -> None:
    made = paid(desk)
    with captured_log() as log:
        for _ in range(3):
            desk.hear(made, Outcome.FAILED, reason="timed out")
    assert desk.stands(made) == BOOKED_AS_PAID
    assert verdicts(desk, made) == [("succeeded", "applied"), ("failed", "ignored_late")]
    assert len(told(log, "payout_failed_after_paid")) == 1
    assert desk.wired.breaches() == []


def test_a_late_success_after_a_rejection_is_kept_alarmed_and_never_booked(desk: Desk) -> None:
    made = rejected(desk)
    with captured_log() as log:
        for _ in range(3):
            desk.hear(made, Outcome.SUCCEEDED, txn_id="C9", amount=naira("60.00"))
    assert desk.stands(made) == ("rejected", "manual", naira("100.00"), naira("0.00"))
    assert verdicts(desk, made)[-1] == ("succeeded", "contradiction")
    (line,) = told(log, "payout_contradiction")
    assert (line["reference"], line["what"]) == (made.reference, "paid after it was rejected")
    assert desk.wired.breaches() == []


def test_a_second_transaction_of_one_payout_is_alarmed(desk: Desk) -> None:
    made = paid(desk)
    desk.hear(made, Outcome.SUCCEEDED, txn_id="TXN2")
    assert desk.stands(made)[:2] == ("paid", "manual")
    assert verdicts(desk, made)[-1] == ("succeeded", "contradiction")


def test_the_carriers_receipt_after_the_providers_own_id_is_no_second_payment(desk: Desk) -> None:
    desk.payer.says = deque([TAKEN])
    made = paid(desk)
    desk.hear(made, Outcome.SUCCEEDED, provider_ref="ref-1")
    desk.hear(made, Outcome.SUCCEEDED, provider_ref="ref-1", txn_id="RECEIPT")
    assert desk.stands(made) == BOOKED_AS_PAID


def test_a_payment_taken_back_stays_booked_and_goes_before_an_operator(desk: Desk) -> None:
    made = paid(desk)
    with captured_log() as log:
        desk.hear(made, Outcome.REVERSED, txn_id="TXN1")
    assert desk.stands(made) == ("paid", "manual", naira("40.00"), naira("0.00"))
    assert told(log, "payout_contradiction")
    deed = Deed("ada", "refunded by a dispute")
    now = desk.wired.clock.now()
    desk.wired.run(lambda c: desk.parts.operators.acknowledge(c, made.reference, deed, now))
    assert desk.stands(made)[:2] == ("paid", "none")


def test_a_payment_taken_back_before_it_was_booked_may_be_rejected_by_one_operator(
    desk: Desk,
) -> None:
    made = unknown(desk)
    desk.hear(made, Outcome.REVERSED)
    assert desk.stands(made)[:2] == ("held", "manual")
    now = desk.wired.clock.now()
    deed = Deed("ada", "the provider took it back")
    assert desk.wired.run(lambda c: desk.parts.operators.reject(c, made.reference, deed, now))
    assert desk.stands(made) == BACK
    assert desk.wired.breaches() == []


@pytest.mark.parametrize("trust", [Trust.QUERIED, Trust.LINE])
def test_an_unproven_callback_only_makes_us_ask_at_once(
    desk: Desk, clock: SteppedClock, trust: Trust
) -> None:
    made = unknown(desk)
    for outcome in (Outcome.FAILED, Outcome.SUCCEEDED, Outcome.PENDING):
        desk.hear(made, outcome, trust, txn_id="FORGED")
    assert desk.stands(made)[:2] == ("held", "unknown")
    assert desk.work() == 1
    assert len(desk.payer.asked) == 1
    desk.payer.answers = deque([PAID])
    clock.advance(minutes=1)
    desk.hear(made, Outcome.FAILED, trust)
    desk.work()
    assert desk.stands(made) == BOOKED_AS_PAID


def test_the_proven_answer_to_a_question_of_ours_counts(desk: Desk) -> None:
    made = unknown(desk)
    desk.hear(made, Outcome.SUCCEEDED, Trust.QUERIED, txn_id="C1", event_id="AG_1")
    assert desk.stands(made) == BOOKED_AS_PAID


def test_a_signed_word_that_says_nothing_yet_makes_us_ask(desk: Desk) -> None:
    made = unknown(desk)
    desk.hear(made, Outcome.PENDING, reason="signed outside the window")
    desk.work()
    assert len(desk.payer.asked) == 1


def test_an_unproven_contradiction_is_asked_about_and_the_answer_is_alarmed(
    desk: Desk, clock: SteppedClock
) -> None:
    made = rejected(desk)
    desk.payer.answers = deque([PAID])
    desk.hear(made, Outcome.SUCCEEDED, Trust.QUERIED)
    desk.work()
    assert desk.stands(made)[:2] == ("rejected", "manual")
    clock.advance(minutes=2)
    desk.hear(made, Outcome.FAILED, Trust.QUERIED)
    assert desk.work() == 0


@pytest.mark.parametrize("reference", ["NOBODYS00001", ""])
def test_a_callback_about_no_withdrawal_of_ours_changes_nothing(desk: Desk, reference: str) -> None:
    made = unknown(desk)
    desk.hear(made, Outcome.FAILED, reference=reference)
    assert desk.stands(made)[:2] == ("held", "unknown")


def test_no_provider_can_speak_of_what_none_was_given(wired: Wired) -> None:
    desk = Desk(wired, Payer(phone_prefixes=("+254",)))
    desk.fund()
    made = desk.request()
    desk.hear(made, Outcome.SUCCEEDED, txn_id="C1")
    assert desk.stands(made)[:2] == ("held", "manual")


def test_a_success_in_another_currency_is_not_ours(desk: Desk) -> None:
    made = unknown(desk)
    desk.hear(made, Outcome.SUCCEEDED, txn_id="C1", currency="TZS")
    assert desk.stands(made)[:2] == ("held", "unknown")


def test_questions_go_over_the_line_of_questions(desk: Desk) -> None:
    unknown(desk)
    query = "SELECT line FROM outbox WHERE template = 'payout_ask'"
    assert desk.wired.run(lambda c: c.exec_driver_sql(query).scalars().all()) == [QUERY]
