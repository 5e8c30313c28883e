"""Refunds: whose money goes where, never more than the original, and only by two operators."""

from decimal import Decimal

import pytest
from sqlalchemy import Connection

from gateway.disputes.open import AlreadyOpen
from gateway.disputes.refund import NoneLeft
from gateway.disputes.resolve import NotOpen
from gateway.errors import BadInput
from gateway.ledger import store as ledger_store
from gateway.ledger.limits import InsufficientFunds, Stopped
from gateway.ledger.store import accounts
from gateway.tokens.redeem import Answer
from tests.disputes.staging import ASKER, CHIDI, Office, redeemed, refund_movements
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO
from tests.tokens.staging import bare_account, brought_to, count, funded, wallet


def test_a_redemption_is_refunded_by_whoever_redeemed_it(office: Office) -> None:
    dispute = office.open(redeemed(office.wired))
    office.refund(dispute, "30.00")
    assert office.wired.balance(BELLO) == Decimal("70.00")
    assert office.wired.balance(ADA) == Decimal("30.00")
    key = f"refund:{dispute.reference}"
    assert refund_movements(office.wired) == [(key, Decimal("30.00"))]
    found = office.now(dispute)
    assert (found.state, found.refunded) == ("refunded", Decimal("30.00"))
    assert "-30.00 Refund" in office.wired.dial(BELLO, "4*2").body
    assert "+30.00 Refund" in office.wired.dial(ADA, "4*2").body
    assert office.wired.breaches() == []


def test_several_disputes_refund_one_redemption_up_to_its_amount_and_no_further(
    office: Office,
) -> None:
    serial = redeemed(office.wired)
    office.refund(office.open(serial), "60.00")
    second = office.open(serial)
    with pytest.raises(NoneLeft) as error:
        office.ask(second, "40.01")
    assert error.value.left == Decimal("40.00")
    office.refund(second)  # what is left
    third = office.open(serial)
    with pytest.raises(NoneLeft):
        office.ask(third, "0.01")
    with pytest.raises(NoneLeft):
        office.ask(third)
    assert [amount for _, amount in refund_movements(office.wired)] == [60, 40]
    assert office.wired.balance(ADA) == Decimal("100.00")
    assert office.wired.breaches() == []


def test_a_redeemer_without_the_money_is_not_pressed_and_the_house_may_pay(office: Office) -> None:
    dispute = office.open(redeemed(office.wired))
    funded(office.wired, BELLO, "70.00", recipient=CHIDI)
    number = office.ask(dispute)
    with pytest.raises(InsufficientFunds):
        office.approve(number)
    assert office.now(dispute).state == "open"
    assert office.wired.balance(BELLO) == Decimal("30.00")
    now = office.wired.clock.now()
    office.wired.run(lambda c: office.approvals.refuse(c, number, ASKER, "no money", now))
    office.refund(dispute, source="house")
    assert office.wired.balance(BELLO) == Decimal("30.00")
    assert office.wired.balance(ADA) == Decimal("100.00")
    assert office.wired.breaches() == []


@pytest.mark.parametrize("status", ["frozen", "closed"])
def test_a_stopped_redeemer_does_not_pay(office: Office, status: str) -> None:
    dispute = office.open(redeemed(office.wired))
    wallet(office.wired, BELLO, status=status)
    number = office.ask(dispute)
    with pytest.raises(Stopped):
        office.approve(number)
    assert office.now(dispute).state == "open"


def test_what_comes_back_reaches_a_frozen_wallet_but_no_closed_one(office: Office) -> None:
    dispute = office.open(redeemed(office.wired))
    wallet(office.wired, ADA, status="closed")
    number = office.ask(dispute)
    with pytest.raises(Stopped):
        office.approve(number)
    wallet(office.wired, ADA, status="frozen")
    office.approve(number)
    assert office.wired.balance(ADA) == Decimal("100.00")
    assert office.wired.breaches() == []


def test_a_house_that_has_a_float_pays_from_it_and_no_more_than_it_has(office: Office) -> None:
    serial = redeemed(office.wired)
    bare_account(office.wired, kind="float", owner="house", balance=Decimal("50.00"))
    dispute = office.open(serial)
    with pytest.raises(InsufficientFunds):
        office.refund(dispute, "50.01", "house")
    assert refund_movements(office.wired) == []


def test_the_house_does_not_refund_itself(office: Office) -> None:
    issued = brought_to(office.wired, "redeemed")
    dispute = office.open(issued.serial)
    with pytest.raises(BadInput, match="itself"):
        office.refund(dispute, source="house")


def test_a_token_that_the_house_has_issued_goes_back_to_the_house(office: Office) -> None:
    issued = office.wired.issue("40.00", BELLO)
    assert office.wired.redeem(issued.reveal(), BELLO).answer is Answer.REDEEMED
    office.refund(office.open(issued.serial, on_behalf=BELLO))
    assert office.wired.balance(BELLO) == Decimal("0.00")
    assert office.wired.breaches() == []


def test_a_till_that_paid_a_token_out_gives_it_back(office: Office) -> None:
    wallet(office.wired, ADA, "100.00")
    issued = funded(office.wired, ADA, "100.00", recipient=BELLO)
    number = bare_account(office.wired, kind="till", owner="till-1", balance=Decimal("0.00"))
    now = office.wired.clock.now()

    def pay(connection: Connection) -> str:
        till = ledger_store.by_id(connection, number)
        entry = (issued.reveal(), till, "cashier-1", BELLO, now)
        return office.desk.parts.tills.pay(connection, *entry).answer.value

    assert office.wired.run(pay) == "paid"
    office.refund(office.open(issued.serial), "25.00")
    till = office.wired.run(lambda c: ledger_store.by_id(c, number))
    assert (till.balance, office.wired.balance(ADA)) == (Decimal("75.00"), Decimal("25.00"))
    assert office.told("dispute_debited") == []
    assert office.wired.breaches() == []


def test_a_wallet_that_has_moved_since_pays_under_its_new_number(office: Office) -> None:
    dispute = office.open(redeemed(office.wired))
    moved = accounts.update().where(accounts.c.owner == BELLO).values(owner=CHIDI)
    office.wired.run(lambda c: c.execute(moved).rowcount)
    office.refund(dispute)
    assert office.wired.balance(CHIDI) == Decimal("0.00")
    assert office.wired.balance(ADA) == Decimal("100.00")


def test_a_paid_withdrawal_is_refunded_by_the_house_with_its_fee_and_no_further(
    office: Office,
) -> None:
    office.desk.fund("100.00")
    made = office.desk.request("60.00", fee=Decimal("1.50"))
    office.desk.work()
    office.refund(office.open(made.reference), "11.50")
    second = office.open(made.reference)
    with pytest.raises(NoneLeft):
        office.ask(second, "50.01")
    office.refund(second, "50.00")
    assert office.wired.balance(ADA) == Decimal("100.00")
    assert office.desk.now(made).state == "paid"
    assert office.wired.breaches() == []


def test_whoever_asks_for_a_refund_cannot_approve_it(office: Office) -> None:
    dispute = office.open(redeemed(office.wired))
    number = office.ask(dispute)
    with pytest.raises(BadInput, match="yourself"):
        office.approve(number, ASKER)
    assert (office.now(dispute).state, refund_movements(office.wired)) == ("open", [])


def test_a_refund_is_asked_for_once_at_a_time(office: Office) -> None:
    dispute = office.open(redeemed(office.wired))
    office.ask(dispute, "10.00")
    with pytest.raises(BadInput, match="waits"):
        office.ask(dispute, "20.00")


def test_what_was_resolved_is_not_resolved_again(office: Office) -> None:
    dispute = office.open(redeemed(office.wired))
    number = office.ask(dispute)
    office.end("reject", dispute)
    with pytest.raises(BadInput, match="is refused by"):
        office.approve(number)
    with pytest.raises(NotOpen) as error:
        office.end("reject", dispute)
    assert error.value.state == "rejected"
    assert refund_movements(office.wired) == []
    assert office.wired.balance(BELLO) == Decimal("100.00")


def test_one_thing_has_one_open_dispute_at_a_time(office: Office) -> None:
    serial = redeemed(office.wired)
    dispute = office.open(serial)
    with pytest.raises(AlreadyOpen) as error:
        office.open(serial)
    assert error.value.reference == dispute.reference
    office.end("reject", dispute)
    assert office.open(serial).reference != dispute.reference


def test_a_token_redeemed_in_spite_of_its_dispute_is_not_cancelled(office: Office) -> None:
    issued = office.wired.issue("100.00", BELLO)
    dispute = office.open(issued.serial)
    number = office.ask(dispute)
    resumed = "UPDATE tokens SET status = 'issued'"
    office.wired.run(lambda c: c.exec_driver_sql(resumed).rowcount)
    office.wired.redeem(issued.reveal(), BELLO)
    with pytest.raises(BadInput, match="redeemed"):
        office.approve(number)
    office.end("reject", dispute)
    assert office.wired.token(issued.serial).status == "redeemed"
    assert office.wired.breaches() == []


def test_a_disputed_token_does_not_expire_and_may_be_refunded_late(
    office: Office, clock: SteppedClock
) -> None:
    wallet(office.wired, ADA, "100.00")
    dispute = office.open(funded(office.wired, ADA, "100.00").serial)
    clock.advance(days=60)
    assert office.wired.gateway.chores()["tokens_expired"]() == 0
    office.refund(dispute)
    assert office.wired.balance(ADA) == Decimal("100.00")
    assert office.wired.breaches() == []


def test_a_refused_refund_leaves_every_row_as_it_was(office: Office) -> None:
    dispute = office.open(redeemed(office.wired))
    funded(office.wired, BELLO, "100.00", recipient=CHIDI)
    number = office.ask(dispute)
    rows, trail = count(office.wired, accounts), office.trail(dispute)
    with pytest.raises(InsufficientFunds):
        office.approve(number)
    assert (count(office.wired, accounts), office.trail(dispute)) == (rows, trail)
    assert office.told("dispute_refunded") == []
