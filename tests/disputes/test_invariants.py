"""The disputes' invariants find what each is about, and healthy books pass."""

from collections.abc import Callable
from decimal import Decimal

import pytest

from gateway.disputes.invariants.check import INVARIANTS
from gateway.ledger import store as ledger_store
from tests.disputes.staging import Office, redeemed, refund_movements
from tests.outlets.staging import BIM, Shop
from tests.support.wired import ADA
from tests.tokens.staging import wallet


def sql(office: Office, statement: str) -> None:
    """Tamper."""
    office.wired.run(lambda c: c.exec_driver_sql(statement).rowcount)


def unit(office: Office) -> int:
    """How many of the column's units a naira has."""
    return 100 if office.wired.gateway.database.is_sqlite else 1


def another_amount(office: Office) -> None:
    sql(office, f"UPDATE disputes SET refunded = {59 * unit(office)} WHERE kind = 'redemption'")


def refund_of_none(office: Office) -> None:
    sql(office, "UPDATE disputes SET state = 'rejected', refunded = NULL WHERE kind = 'redemption'")


def another_reference(office: Office) -> None:
    one = f"kind = 'redemption' AND refunded = {60 * unit(office)}"
    sql(office, f"UPDATE disputes SET reference = 'ZZZZ2222' WHERE {one}")


def above_the_redemption(office: Office) -> None:
    sql(office, f"UPDATE tokens SET amount = {59 * unit(office)} WHERE status = 'redeemed'")


def above_the_withdrawal(office: Office) -> None:
    sql(office, f"UPDATE withdrawals SET amount = {9 * unit(office)} WHERE state = 'paid'")


def no_cancellation(office: Office) -> None:
    sql(office, "UPDATE disputes SET subject = 'ZZZZ2222' WHERE kind = 'live'")


def no_release(office: Office) -> None:
    sql(office, "UPDATE disputes SET subject = 'ZZZZ2222' WHERE kind = 'held'")


def second_movement(office: Office) -> None:
    (key, _amount), *_ = refund_movements(office.wired)
    reference, now = key.removeprefix("refund:"), office.wired.clock.now()
    values = (f"refund:{reference}:again", "refund", reference, now)
    office.wired.run(lambda c: ledger_store.add_movement(c, *values))


def another_till(office: Office) -> None:
    other = Shop(office.wired).shift(Shop(office.wired).member(BIM), 2)
    sql(office, f"UPDATE payments SET shift_id = {other.id}")


MOVEMENT, ORPHAN = "refunded_disputes_have_their_movement", "refunds_belong_to_disputes"
TAMPERED: dict[Callable[[Office], None], set[str]] = {
    another_amount: {MOVEMENT},
    refund_of_none: {ORPHAN},
    another_reference: {MOVEMENT, ORPHAN},
    above_the_redemption: {"redemptions_are_refunded_within_their_amount"},
    above_the_withdrawal: {"withdrawals_are_refunded_within_their_total"},
    no_cancellation: {MOVEMENT},
    no_release: {MOVEMENT},
    second_movement: {ORPHAN},
    another_till: {"counters_refund_their_own_payments"},
}


def settled(office: Office) -> None:
    """A refund of every kind."""
    office.refund(office.open(redeemed(office.wired)), "60.00")
    office.refund(office.open(office.wired.issue("5.00").serial))
    wallet(office.wired, ADA, "500.00")
    for intent in ("first", "second"):
        made = office.desk.request("10.00", intent=intent)
        if intent == "first":
            office.desk.work()
        office.refund(office.open(made.reference), "10.00")
    shop = Shop(office.wired).open()
    shop.shift()
    office.refund(office.open(shop.pay("60.00").serial), "20.00")


@pytest.mark.parametrize("tamper", TAMPERED, ids=lambda tamper: tamper.__name__)
def test_what_was_tampered_with_is_found(office: Office, tamper: Callable[[Office], None]) -> None:
    settled(office)
    assert office.wired.breaches() == []
    tamper(office)
    ours = {invariant.name for invariant in INVARIANTS}
    assert {b.invariant for b in office.wired.breaches()} & ours == TAMPERED[tamper]


def test_every_invariant_is_tried() -> None:
    assert set().union(*TAMPERED.values()) == {invariant.name for invariant in INVARIANTS}


def test_a_refund_moves_nothing_that_the_tokens_invariants_count(office: Office) -> None:
    settled(office)
    assert office.wired.balance(ADA) == Decimal("560.00")
    assert office.wired.breaches() == []
