"""While the breaker is open a short token tied to a phone is paid to whoever names that phone."""

import pytest

from gateway.outlets.payments.store import State
from gateway.tokens.code import SHORT
from gateway.tokens.guesses import limits, store
from gateway.tokens.store import TO_RECIPIENT, UNBOUND
from gateway.tokens.tills.pay import CASHIER, Answer
from tests.menus.paying import looked
from tests.outlets.staging import Shop
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.vectors import luhn_valid
from tests.web.counter.desk import Desk, landed, words

ASKED = "Ask for the number that its SMS came to, and type the token again with it."
ASKED_ON_PHONE = "CON It cannot be checked like this. Enter the number that its SMS came to, then"


def opened(wired: Wired) -> None:
    """More short tokens were guessed today than the breaker lets pass."""
    now, most = wired.clock.now(), limits.breaker_budget(0).a_day
    wired.run(lambda c: store.add(c, limits.SHORT_BREAKER, now, counted=most))


def short(wired: Wired, binding: str = TO_RECIPIENT) -> str:
    """The digits of a short token for Ada."""
    return wired.issue("60.00", to=ADA, digits=SHORT, binding=binding).reveal()


@pytest.fixture
def shop(wired: Wired) -> Shop:
    """An outlet with an open till, and an open breaker."""
    made = Shop(wired).open()
    made.shift()
    opened(wired)
    return made


def test_the_number_is_asked_for_whatever_the_token_is(shop: Shop) -> None:
    for digits in (short(shop.wired), short(shop.wired, UNBOUND), luhn_valid(SHORT, 7)):
        for customer in ("", BELLO):
            found = shop.show(digits, customer=customer)
            assert (found.answer, found.asks_phone) == (Answer.UNAVAILABLE, True)
    assert not shop.show(luhn_valid(18, 7)).asks_phone


def test_with_its_number_the_token_is_paid_on_the_phone(shop: Shop) -> None:
    digits = short(shop.wired)
    call = looked(shop.wired, digits)
    assert call.body.startswith(ASKED_ON_PHONE)
    assert call.send("12").startswith("CON This is not a phone number.")
    assert call.send(ADA).startswith("CON Enter the token to pay:")
    assert call.send(digits).startswith("CON Pay NGN 60.00?")
    assert call.send("1").startswith("END PAID NGN 60.00")
    assert shop.wired.breaches() == []


def test_with_another_number_it_stays_unchecked_on_the_phone(shop: Shop) -> None:
    call = looked(shop.wired, short(shop.wired))
    call.send(BELLO)
    assert call.send(short(shop.wired)).startswith("END Paying is temporarily unavailable.")


def test_a_guess_at_the_tokens_of_a_phone_counts(shop: Shop) -> None:
    for number in range(CASHIER.an_hour):
        found = shop.show(luhn_valid(SHORT, number), customer=ADA)
        assert found.answer is Answer.UNAVAILABLE
    assert shop.show(short(shop.wired), customer=ADA).answer is Answer.LIMITED


def test_without_a_number_the_breaker_costs_no_guess(shop: Shop) -> None:
    for number in range(CASHIER.an_hour + 1):
        assert shop.show(luhn_valid(SHORT, number)).answer is Answer.UNAVAILABLE


def test_with_its_number_the_token_is_paid_at_the_counter(wired: Wired) -> None:
    desk = Desk(wired)
    desk.open()
    opened(wired)
    digits = short(wired)
    asked = desk.look_up(digits)
    assert (asked.status_code, ASKED in words(asked)) == (422, True)
    assert 'name="customer"' in asked.text
    assert digits not in asked.text
    again = desk.cashier.post("/counter/payments", entry=digits, customer="12")
    assert "This is no phone number" in words(again)
    found = landed(desk.cashier.post("/counter/payments", entry=digits, customer=ADA), desk.cashier)
    assert "Pay this token?" in words(found)
    path = found.request.path
    assert "Hand out NGN 60.00" in words(desk.confirm(path, customer=ADA))
    assert desk.shop.payment(path.rsplit("/", 1)[-1]).state == State.PAID
