"""Who is told of a dispute, and what the trail and the deadline say of it."""

from datetime import UTC, datetime

import pytest

from gateway.audit import store as audit_store
from gateway.disputes.open import Complaint
from tests.disputes.staging import ASKER, CHIDI, WHY, Office, redeemed
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.wired import ADA, BELLO
from tests.withdrawals.staging import told


def inbox(office: Office, phone: str) -> list[str]:
    """What a phone's SMS say, after everything was sent."""
    office.wired.send_all()
    return [sms.text for sms in office.wired.gateway.inbox(phone)]


def test_whoever_complains_is_told_and_whoever_is_complained_about_is_not(office: Office) -> None:
    serial = redeemed(office.wired)
    before = inbox(office, BELLO)
    dispute = office.open(serial, on_behalf=CHIDI)
    assert inbox(office, BELLO) == before
    assert inbox(office, CHIDI) == [
        f"Your complaint {dispute.reference} about {serial} is registered."
        " You get an answer by 16/03/2026."
    ]


def test_a_refund_is_told_to_both_wallets_and_to_whoever_complained(office: Office) -> None:
    serial = redeemed(office.wired)
    dispute = office.open(serial, on_behalf=CHIDI)
    office.refund(dispute, "40.00")
    named = f"complaint {dispute.reference} about {serial}."
    assert f"NGN 40.00 came back to your wallet: {named}" in inbox(office, ADA)
    assert f"NGN 40.00 was taken from your wallet: {named}" in inbox(office, BELLO)
    said = f"Complaint {dispute.reference} about {serial} is settled: NGN 40.00 was given back."
    assert said in inbox(office, CHIDI)


def test_a_refund_by_the_house_is_not_told_to_a_redeemer_who_paid_nothing(office: Office) -> None:
    office.refund(office.open(redeemed(office.wired)), "40.00", "house")
    assert office.told("dispute_debited") == []
    assert office.told("dispute_credited") == [ADA]


@pytest.mark.parametrize("how", ["release", "reject"])
def test_how_it_ended_is_told_in_the_language_of_whoever_complained(
    office: Office, how: str
) -> None:
    now = office.wired.clock.now()
    office.wired.run(
        lambda c: office.wired.gateway.subscribers.choose_language(c, CHIDI, "fr", now)
    )
    issued = office.wired.issue("5.00", BELLO)
    dispute = office.open(issued.serial, on_behalf=CHIDI)
    office.end(how, dispute)
    ended, opened = inbox(office, CHIDI)
    assert opened.startswith(f"Votre réclamation {dispute.reference} sur {issued.serial}")
    assert ("rien d'anormal" in ended) == (how == "release")


def test_the_trail_says_who_did_what_and_why_without_digits(office: Office) -> None:
    issued = office.wired.issue("5.00", BELLO)
    now = office.wired.clock.now()
    complaint = Complaint(issued.serial, ADA, ASKER, f"read out {issued.reveal()} aloud")
    opener = office.wired.gateway.disputes.opener
    dispute = office.wired.run(lambda c: opener.open(c, complaint, now))
    office.refund(dispute)
    lines = office.trail(dispute)
    assert lines[0] == (ASKER, "dispute.open", "read out #### aloud")
    assert (ASKER, "dispute.refunded", WHY) in lines
    assert [action for _, action, _ in lines if action.startswith("approval")] == [
        "approval.ask",
        "approval.approve",
    ]
    about = office.wired.run(lambda c: audit_store.about(c, issued.serial))
    assert [line.action for line in about] == ["token.issue", "token.suspend", "token.cancel"]


def test_the_deadline_is_the_end_of_a_local_day(office: Office) -> None:
    dispute = office.open(office.wired.issue().serial, days=1)
    assert dispute.deadline == datetime(2026, 3, 3, 23, tzinfo=UTC)  # midnight in Lagos


def test_an_overdue_dispute_is_alarmed_at_every_sweep_until_it_is_resolved(
    office: Office, clock: SteppedClock
) -> None:
    dispute = office.open(redeemed(office.wired), days=1)
    chore = office.wired.gateway.chores()["disputes_overdue"]
    assert chore() == 0
    clock.advance(days=2)
    with captured_log() as log:
        assert chore() == 1
    (line,) = told(log, "disputes_overdue")
    assert (line["level"], line["references"]) == ("error", [dispute.reference])
    office.end("reject", dispute)
    assert chore() == 0
