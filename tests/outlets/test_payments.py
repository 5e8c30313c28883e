"""Payments: what a cashier is shown, and what becomes of it, once."""

from collections.abc import Callable

import pytest

from gateway.errors import BadInput
from gateway.outlets.payments import sent
from gateway.outlets.payments.answers import Stop
from gateway.outlets.payments.store import Payment, State
from gateway.outlets.rights import NotAllowed
from gateway.settings.limits import Money
from gateway.switches import board
from gateway.tokens import store as tokens
from gateway.tokens.redeem import Answer as CallersAnswer
from gateway.tokens.reprint import ResendLimited
from gateway.tokens.retire import WrongState
from gateway.tokens.tills.pay import CASHIER, Answer
from tests.outlets.staging import BIM, Shop, naira
from tests.support.clock import SteppedClock
from tests.support.races import race
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import change


def test_a_second_look_at_a_token_shows_the_same_payment(shop: Shop) -> None:
    shop.shift()
    digits = shop.wired.issue("60.00").reveal()
    assert shop.shown(digits) == shop.shown(digits)


def test_a_token_this_shift_has_paid_shows_how_it_was_paid(shop: Shop) -> None:
    shop.shift()
    digits = shop.wired.issue("60.00").reveal()
    paid = shop.confirm(shop.shown(digits))
    again = shop.show(digits)
    assert (again.answer, again.payment) == (Answer.REDEEMED, paid)


def test_a_token_that_another_has_redeemed_is_refused_and_kept(shop: Shop) -> None:
    shop.shift()
    issued = shop.wired.issue("60.00")
    shop.wired.redeem(issued.reveal())
    shown = shop.show(issued.reveal())
    assert shown.answer is Answer.REDEEMED
    assert shown.payment is not None
    assert (shown.payment.state, shown.payment.serial) == (State.REFUSED, issued.serial)
    assert shop.confirm(shown.payment.reference) == shown.payment


def test_what_is_no_token_leaves_no_payment(shop: Shop) -> None:
    shop.shift()
    assert shop.show("12").answer is Answer.MISTYPED
    unknown = shop.wired.issue()
    change(shop.wired, unknown.serial, lookup=bytes(32))
    for _ in range(CASHIER.an_hour):
        shown = shop.show(unknown.reveal())
        assert (shown.answer, shown.payment) == (Answer.UNKNOWN, None)
    limited = shop.show(shop.wired.issue().reveal())
    assert (limited.answer, limited.payment) == (Answer.LIMITED, None)
    assert limited.until is not None


def test_a_phone_bound_token_is_paid_to_its_number_alone(shop: Shop) -> None:
    shop.shift()
    issued = shop.wired.issue("60.00", ADA, binding=tokens.TO_RECIPIENT)
    shown = shop.show(issued.reveal())
    assert shown.payment is not None
    assert shown.payment.asks_phone
    reference = shown.payment.reference
    with pytest.raises(BadInput, match="recipient's phone number"):
        shop.confirm(reference)
    wrong = shop.confirm(reference, customer=BELLO)
    assert (wrong.state, wrong.answer) == (State.SHOWN, Answer.ANOTHER_PHONE)
    paid = shop.confirm(reference, customer=ADA)
    assert (paid.state, paid.customer) == (State.PAID, ADA)
    assert shop.wired.breaches() == []


def test_wrong_numbers_for_a_bound_token_are_counted_as_guesses(shop: Shop) -> None:
    shop.shift()
    reference = shop.shown(shop.wired.issue("60.00", ADA, binding=tokens.TO_RECIPIENT).reveal())
    for _ in range(CASHIER.an_hour):
        assert shop.confirm(reference, customer=BELLO).answer == Answer.ANOTHER_PHONE
    limited = shop.confirm(reference, customer=ADA)
    assert (limited.state, limited.answer) == (State.SHOWN, Answer.LIMITED)
    assert shop.account().balance == naira("0.00")


def test_a_number_that_was_given_at_once_need_not_be_given_again(shop: Shop) -> None:
    shop.shift()
    issued = shop.wired.issue("60.00", ADA, binding=tokens.TO_RECIPIENT)
    assert shop.show(issued.reveal(), customer=BELLO).answer is Answer.ANOTHER_PHONE
    shown = shop.show(issued.reveal(), customer=ADA)
    assert shown.payment is not None
    assert shop.confirm(shown.payment.reference).state == State.PAID


def test_a_cap_on_a_customers_day_asks_who_the_customer_is(database_url: str) -> None:
    money = Money(agent={"per_customer": naira("100.00")})
    shop = Shop(Wired(database_url, SteppedClock(), money=money)).open()
    shop.shift()
    first, second = (shop.shown(shop.wired.issue("60.00").reveal()) for _ in range(2))
    with pytest.raises(BadInput, match="recipient's phone number"):
        shop.confirm(first)
    assert shop.confirm(first, customer=ADA).state == State.PAID
    full = shop.confirm(second, customer=ADA)
    assert (full.state, full.answer) == (State.REFUSED, Answer.CUSTOMER_FULL)
    shop.wired.close()


def test_what_was_shown_more_than_ten_minutes_ago_is_looked_up_again(
    shop: Shop, clock: SteppedClock
) -> None:
    shop.shift()
    digits = shop.wired.issue("60.00").reveal()
    old = shop.shown(digits)
    clock.advance(minutes=10, seconds=1)
    fresh = shop.shown(digits)
    assert fresh != old
    assert shop.confirm(old).answer == Stop.TOO_OLD
    assert shop.confirm(fresh).state == State.PAID


def test_nothing_is_paid_while_redeeming_is_paused(shop: Shop) -> None:
    shop.shift()
    digits, now = shop.wired.issue("60.00").reveal(), shop.wired.clock.now()
    reference = shop.shown(digits)
    shop.wired.run(lambda c: board.throw(c, board.REDEEM, "cli:ops", "a fault", now, pause=True))
    shop.wired.gateway.board._read_at = None
    assert shop.show(digits).answer is Stop.PAUSED
    waits = shop.confirm(reference)
    assert (waits.state, waits.answer) == (State.SHOWN, Stop.PAUSED)
    shop.wired.run(lambda c: board.throw(c, board.REDEEM, "cli:ops", "mended", now, pause=False))
    shop.wired.gateway.board._read_at = None
    assert shop.confirm(reference).state == State.PAID


def test_a_shift_pays_no_more_than_its_float_limit_in_all(wired: Wired) -> None:
    shop = Shop(wired).open(float_limit="100.00")
    shop.shift()
    shop.pay("60.00")
    refused = shop.pay("40.01")
    assert (refused.state, refused.answer) == (State.REFUSED, Stop.FLOAT_LIMIT)
    assert shop.pay("40.00").state == State.PAID
    assert wired.token(refused.serial).status == "issued"


def test_what_was_declined_is_not_paid_afterwards(shop: Shop) -> None:
    shop.shift()
    issued = shop.wired.issue("60.00")
    reference = shop.shown(issued.reveal())
    declined = shop.decline(reference)
    assert declined.state == State.DECLINED
    assert shop.confirm(reference) == shop.decline(reference) == declined
    assert shop.wired.redeem(issued.reveal()).answer is CallersAnswer.REDEEMED


def test_a_payment_is_its_cashiers_own(shop: Shop) -> None:
    shop.shift()
    reference = shop.shown(shop.wired.issue("60.00").reveal())
    other = shop.member(BIM)
    deeds: tuple[Callable[[], Payment], ...] = (
        lambda: shop.confirm(reference, other),
        lambda: shop.decline(reference, other),
        lambda: shop.wired.run(lambda c: shop.counter.payment(c, reference, other)),
        lambda: shop.confirm("0" * 16),
    )
    for deed in deeds:
        with pytest.raises(NotAllowed):
            deed()
    chief = shop.manager()
    seen = shop.wired.run(lambda c: shop.counter.payment(c, reference, chief))
    assert seen.reference == reference


def test_the_lists_hold_what_was_paid_newest_first(shop: Shop, clock: SteppedClock) -> None:
    shift = shop.shift()
    amounts = []
    for number in range(6):
        amounts.append(shop.pay(f"{number + 1}.00").amount)
        clock.advance(seconds=1)
    shop.decline(shop.shown(shop.wired.issue("9.00").reveal()))
    last = shop.wired.run(lambda c: shop.counter.last(c, shift, 5))
    assert [one.amount for one in last] == amounts[:0:-1]
    now = clock.now()
    assert len(shop.wired.run(lambda c: shop.counter.today(c, shift, now))) == 6
    outlet = shop.wired.run(shop.outlet_row)
    assert len(shop.wired.run(lambda c: shop.counter.today(c, outlet, now))) == 6
    clock.advance(hours=15)
    tomorrow = clock.now()
    assert shop.wired.run(lambda c: shop.counter.today(c, outlet, tomorrow)) == []


def test_a_token_is_sent_again_to_its_recorded_recipient(shop: Shop) -> None:
    shop.shift()
    digits = shop.wired.issue("60.00").reveal()
    reference = shop.shown(digits)
    with pytest.raises(BadInput, match="waits to be paid"):
        resend(shop, reference)
    shop.decline(reference)
    for _ in range(3):
        resend(shop, reference)
    with pytest.raises(ResendLimited):
        resend(shop, reference)
    assert [one.to for one in shop.messages()] == [ADA] * 3
    shop.confirm(shop.shown(digits))
    with pytest.raises(WrongState):
        resend(shop, reference)


def test_one_press_that_comes_twice_or_at_once_sends_one_sms(shop: Shop) -> None:
    shop.shift()
    reference = shop.shown(shop.wired.issue("60.00").reveal())
    shop.decline(reference)
    assert race(3, lambda _: resend(shop, reference, seen=0)) == [None] * 3
    assert len(shop.messages()) == 1
    resend(shop, reference)
    resend(shop, reference, seen=0)
    assert len(shop.messages()) == 2


def resend(shop: Shop, reference: str, seen: int | None = None) -> None:
    """Press the button, on a page that shows the latest SMS if not told which."""
    cashier, now = shop.member(), shop.wired.clock.now()
    serial = shop.payment(reference).serial
    latest = shop.wired.run(lambda c: sent.last(c, serial))
    known = seen if seen is not None else latest.id if latest else 0
    shop.keyed(lambda c: shop.counter.resend(c, reference, cashier, known, now))
