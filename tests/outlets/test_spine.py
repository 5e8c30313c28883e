"""A day at the counter, from the opening of a drawer to the outlet's account."""

from gateway.outlets.payments.answers import Stop
from gateway.outlets.payments.store import State
from gateway.outlets.shifts.store import State as ShiftState
from gateway.tokens.tills.pay import Answer
from tests.outlets.staging import Shop, naira


def test_a_token_is_looked_up_confirmed_and_paid(shop: Shop) -> None:
    shop.shift()
    issued = shop.wired.issue("60.00")
    shown = shop.show(issued.reveal())
    assert shown.answer is Answer.PAYABLE
    assert shown.payment is not None
    assert (shown.payment.state, shown.payment.amount) == (State.SHOWN, naira("60.00"))
    assert shop.wired.token(issued.serial).status == "issued"
    paid = shop.confirm(shown.payment.reference)
    assert (paid.state, paid.answer) == (State.PAID, Answer.PAID)
    token = shop.wired.token(issued.serial)
    assert (token.status, token.redeemed_by, token.redeemed_channel) == (
        *("redeemed", "LAG-1/1", "counter"),
    )
    assert shop.account().balance == naira("60.00")
    assert shop.wired.breaches() == []


def test_a_confirmation_repeated_says_what_it_became_and_pays_once(shop: Shop) -> None:
    shop.shift()
    reference = shop.shown(shop.wired.issue("60.00").reveal())
    assert shop.confirm(reference) == shop.confirm(reference)
    assert shop.account().balance == naira("60.00")
    assert shop.shift().paid == naira("60.00")


def test_a_count_without_a_variance_closes_and_moves_the_till_to_the_outlet(shop: Shop) -> None:
    shop.shift(cash="500.00")
    shop.pay("60.00")
    closed = shop.count("440.00")
    assert (closed.state, closed.variance) == (ShiftState.CLOSED, naira("0.00"))
    assert (shop.account().balance, shop.owed()) == (naira("0.00"), naira("60.00"))
    assert shop.wired.breaches() == []


def test_a_variance_waits_for_the_manager(shop: Shop) -> None:
    shop.shift(cash="500.00")
    reference = shop.shown(shop.wired.issue("60.00").reveal())
    counted = shop.count("490.00")
    assert (counted.state, counted.variance) == (ShiftState.COUNTED, naira("-10.00"))
    assert shop.confirm(reference).answer == Stop.SHIFT_CLOSED
    closed = shop.accept(counted, why="a note was torn")
    assert (closed.state, closed.accepted_reason) == (ShiftState.CLOSED, "a note was torn")
    assert shop.wired.breaches() == []


def test_a_void_sends_a_fresh_token_and_the_old_digits_stay_dead(shop: Shop) -> None:
    shop.shift()
    issued = shop.wired.issue("60.00")
    paid = shop.confirm(shop.shown(issued.reveal()))
    voided = shop.void(paid.reference)
    assert voided.state == State.VOIDED
    assert voided.fresh_serial is not None
    fresh, old = shop.wired.token(voided.fresh_serial), shop.wired.token(issued.serial)
    assert (fresh.amount, fresh.recipient, fresh.funder_id) == (
        *(old.amount, old.recipient, old.funder_id),
    )
    assert (fresh.status, old.status) == ("issued", "redeemed")
    assert shop.account().balance == naira("0.00")
    assert shop.show(issued.reveal()).answer is Answer.REDEEMED
    assert shop.count("500.00").state == ShiftState.CLOSED
    assert shop.wired.breaches() == []
