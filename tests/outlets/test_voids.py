"""Voids: once, before the count, by a manager, and the value stays its recipient's."""

import pytest

from gateway.disputes.open import Complaint, NotDisputable
from gateway.disputes.resolve import APPROVAL
from gateway.errors import BadInput
from gateway.outlets.payments.store import State
from gateway.outlets.rights import NotAllowed
from gateway.outlets.shifts.store import State as ShiftState
from gateway.people.staff.store import Role
from gateway.settings.limits import Money
from gateway.tokens import store as tokens
from gateway.tokens.redeem import Answer as CallersAnswer
from gateway.tokens.tills.pay import Answer
from tests.outlets.staging import AMA, BIM, MUSA, OTHER, Shop, naira
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import wallet


def test_a_payment_is_voided_once(shop: Shop) -> None:
    shift = shop.shift()
    paid = shop.pay("60.00")
    voided = shop.void(paid.reference)
    assert shop.void(paid.reference) == voided
    stand = shop.stand(shift)
    assert (stand.paid, stand.voided, stand.total) == (
        naira("60.00"),
        naira("60.00"),
        naira("0.00"),
    )
    assert len(shop.trail("payment.void")) == 1
    assert shop.trail("payment.renew") == [f"instead of {paid.serial}"]
    assert shop.wired.breaches() == []


def test_the_fresh_token_goes_to_the_recipient_by_sms_whoever_is_named(shop: Shop) -> None:
    shop.shift()
    paid = shop.pay("60.00")
    voided = shop.void(paid.reference, recipient=BELLO)
    (message,) = shop.messages()
    assert (message.to, message.subject) == (ADA, voided.fresh_serial)
    assert shop.wired.redeem(shop.digits(voided.fresh_serial)).answer is CallersAnswer.REDEEMED
    assert shop.wired.breaches() == []


def test_a_token_without_a_recipient_needs_a_number(shop: Shop) -> None:
    shop.shift()
    paid = shop.confirm(shop.shown(shop.wired.issue("60.00", None).reveal()))
    with pytest.raises(BadInput, match="phone number"):
        shop.void(paid.reference)
    voided = shop.void(paid.reference, recipient=BELLO)
    assert voided.fresh_serial is not None
    assert shop.wired.token(voided.fresh_serial).recipient == BELLO


@pytest.mark.parametrize("phone", [AMA, MUSA, BIM])
def test_the_fresh_token_goes_to_nobody_of_the_staff(shop: Shop, phone: str) -> None:
    shop.shift()
    shop.member(BIM, outlet="ABJ-1")
    shop.manager()
    paid = shop.confirm(shop.shown(shop.wired.issue("60.00", None).reveal()))
    with pytest.raises(BadInput, match="one of the staff"):
        shop.void(paid.reference, recipient=phone)
    assert shop.payment(paid.reference).state == State.PAID
    voided = shop.void(paid.reference, recipient=BELLO)
    (line,) = shop.trail("payment.void")
    assert line == f"replaced by {voided.fresh_serial} to +23480*****02: no cash"
    assert BELLO not in line


def test_somebody_who_has_left_the_staff_may_be_a_customer(shop: Shop) -> None:
    shop.shift()
    shop.dismiss(shop.member(BIM))
    paid = shop.confirm(shop.shown(shop.wired.issue("60.00", None).reveal()))
    assert shop.void(paid.reference, recipient=BIM).state == State.VOIDED


def test_a_fresh_token_that_expires_goes_back_to_whoever_paid_for_the_old_one(
    shop: Shop, clock: SteppedClock
) -> None:
    shop.shift()
    payer = wallet(shop.wired, BELLO, "60.00")
    digits = shop.sent(payer, ADA, "60.00")
    paid = shop.confirm(shop.shown(digits))
    shop.void(paid.reference)
    shop.count("500.00")
    clock.advance(days=40)
    assert shop.wired.gateway.chores()["tokens_expired"]() == 1
    assert shop.wired.balance(BELLO) == naira("60.00")
    assert shop.wired.breaches() == []


def test_a_binding_lives_on_in_the_fresh_token(shop: Shop) -> None:
    shop.shift()
    issued = shop.wired.issue("60.00", ADA, binding=tokens.TO_RECIPIENT, digits=11)
    paid = shop.confirm(shop.shown(issued.reveal()), customer=ADA)
    fresh = shop.wired.token(shop.void(paid.reference).fresh_serial or "")
    assert (fresh.binding, fresh.recipient, fresh.digits) == (tokens.TO_RECIPIENT, ADA, 11)


def test_only_another_manager_of_this_outlet_voids(shop: Shop) -> None:
    chief = shop.manager(BIM)
    shop.shift(chief)
    paid = shop.pay("60.00", chief)
    for member in (chief, shop.member(), shop.member(OTHER, Role.MANAGER, "ABJ-1")):
        with pytest.raises(NotAllowed):
            shop.void(paid.reference, member)
    gone = shop.manager()
    shop.dismiss(gone)
    with pytest.raises(NotAllowed):
        shop.void(paid.reference, gone)
    assert shop.payment(paid.reference).state == State.PAID


def test_what_was_not_paid_is_not_voided(shop: Shop) -> None:
    shop.shift()
    reference = shop.shown(shop.wired.issue("60.00").reveal())
    with pytest.raises(BadInput, match="this was shown"):
        shop.void(reference)


def test_nothing_is_voided_after_the_count(shop: Shop) -> None:
    shop.shift()
    paid = shop.pay("60.00")
    counted = shop.count("500.00")
    with pytest.raises(BadInput, match="counted already"):
        shop.void(paid.reference)
    shop.send_back(counted)
    shop.void(paid.reference)
    assert shop.accept(shop.count("500.00")).state == ShiftState.CLOSED


def disputed(shop: Shop, serial: str) -> str:
    """The reference of a dispute about a redemption."""
    complaint, now = Complaint(serial, ADA, "cli:ops", "no cash"), shop.wired.clock.now()
    opener = shop.wired.gateway.disputes.opener
    return shop.wired.run(lambda c: opener.open(c, complaint, now)).reference


def test_a_redemption_that_is_disputed_is_not_voided_until_it_is_let_go(shop: Shop) -> None:
    shop.shift()
    paid = shop.pay("60.00")
    reference, now = disputed(shop, paid.serial), shop.wired.clock.now()
    with pytest.raises(BadInput, match=f"dispute {reference}"):
        shop.void(paid.reference)
    resolver = shop.wired.gateway.disputes.resolver
    shop.wired.run(lambda c: resolver.reject(c, reference, "cli:ops", "he was paid", now))
    assert shop.void(paid.reference).state == State.VOIDED


def test_a_redemption_whose_money_was_given_back_is_not_voided_too(shop: Shop) -> None:
    shop.shift()
    paid = shop.pay("60.00")
    reference, now = disputed(shop, paid.serial), shop.wired.clock.now()
    gateway = shop.wired.gateway
    details = shop.wired.run(
        lambda c: gateway.disputes.resolver.request(c, reference, None, "owner", now)[1]
    )
    asked = (APPROVAL, reference, details, "cli:one", "no cash", now)
    number = shop.wired.run(lambda c: gateway.approvals.ask(c, *asked))
    shop.wired.run(lambda c: gateway.approvals.approve(c, number, "cli:two", now))
    with pytest.raises(BadInput, match="given the money back"):
        shop.void(paid.reference)
    assert shop.wired.breaches() == []


def test_a_payment_that_was_voided_is_not_disputed_any_more(shop: Shop) -> None:
    shop.shift()
    paid = shop.pay("60.00")
    shop.void(paid.reference)
    with pytest.raises(NotDisputable, match="voided"):
        disputed(shop, paid.serial)


def test_what_was_voided_counts_no_more_for_the_float_limit(wired: Wired) -> None:
    shop = Shop(wired).open(float_limit="100.00")
    shop.shift()
    shop.void(shop.pay("60.00").reference)
    assert shop.pay("100.00").state == State.PAID


def test_what_was_voided_counts_no_more_for_the_customers_day(database_url: str) -> None:
    money = Money(agent={"per_customer": naira("100.00")})
    shop = Shop(Wired(database_url, SteppedClock(), money=money)).open()
    shop.shift()
    paid = shop.confirm(shop.shown(shop.wired.issue("60.00").reveal()), customer=ADA)
    fresh = shop.void(paid.reference).fresh_serial
    again = shop.confirm(shop.shown(shop.digits(fresh)), customer=ADA)
    assert again.state == State.PAID
    assert shop.wired.breaches() == []
    shop.wired.close()


def capped(database_url: str, clock: SteppedClock) -> Shop:
    """An outlet whose tills take 100.00 a day."""
    return Shop(Wired(database_url, clock, money=Money(agent={"a_day": naira("100.00")}))).open()


def test_what_was_voided_counts_no_more_for_the_tills_day(
    database_url: str, clock: SteppedClock
) -> None:
    shop = capped(database_url, clock)
    shop.shift()
    paid = shop.pay("60.00")
    assert shop.pay("41.00").answer == Answer.TILL_FULL
    shop.void(paid.reference)
    assert shop.account().day_credits == naira("0.00")
    assert shop.pay("100.00").state == State.PAID
    assert shop.pay("0.01").answer == Answer.TILL_FULL
    assert shop.wired.breaches() == []
    shop.wired.close()


def test_what_was_paid_yesterday_and_voided_today_frees_nothing_of_today(
    database_url: str, clock: SteppedClock
) -> None:
    shop = capped(database_url, clock)
    shop.shift()
    paid = shop.pay("60.00")
    clock.advance(days=1)
    shop.pay("50.00")
    shop.void(paid.reference)
    assert shop.account().day_credits == naira("50.00")
    assert shop.pay("51.00").answer == Answer.TILL_FULL
    assert shop.wired.breaches() == []
    shop.wired.close()
