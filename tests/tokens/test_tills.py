"""Paying at a counter: the till is credited, the cashier told why not, guesses counted."""

from decimal import Decimal

import pytest

from gateway.ledger import wallets
from gateway.outbox.store import outbox
from gateway.tokens import store as tokens_store
from gateway.tokens import suspend
from gateway.tokens.redeem import Answer as CallersAnswer
from gateway.tokens.store import TO_PARTNER, TO_RECIPIENT
from gateway.tokens.tills import store as tills_store
from gateway.tokens.tills.pay import CASHIER as ALLOWANCE
from gateway.tokens.tills.pay import Answer
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import change, count, wallet
from tests.tokens.till_staging import CASHIER, agent, cash, pay, till


def test_a_cash_code_is_paid_and_credits_the_till(wired: Wired) -> None:
    issued, at = cash(wired, "60.00"), till(wired)
    paid = pay(wired, issued.reveal(), at)
    assert (paid.answer, paid.amount, paid.serial) == (Answer.PAID, issued.amount, issued.serial)
    assert till(wired).balance == issued.amount
    token = wired.token(issued.serial)
    assert (token.status, token.redeemed_by, token.redeemed_channel) == (
        *("redeemed", "till-1", "counter"),
    )
    assert wired.breaches() == []


def test_no_phone_redeems_a_cash_code_and_its_owner_alone_is_told_why(wired: Wired) -> None:
    issued = cash(wired)
    assert wired.redeem(issued.reveal(), ADA).answer is CallersAnswer.SHOP_ONLY
    assert wired.redeem(issued.reveal(), BELLO).answer is CallersAnswer.NOT_VALID
    assert wired.token(issued.serial).status == "issued"


def test_any_other_token_is_paid_too(wired: Wired) -> None:
    issued = wired.issue("5.00", None)
    assert pay(wired, issued.reveal(), till(wired)).answer is Answer.PAID


def test_a_token_bound_to_a_phone_is_paid_to_that_phone_alone(wired: Wired) -> None:
    issued = wired.issue("5.00", ADA, binding=TO_RECIPIENT)
    assert pay(wired, issued.reveal(), till(wired), BELLO).answer is Answer.ANOTHER_PHONE
    assert pay(wired, issued.reveal(), till(wired), ADA).answer is Answer.PAID


def test_a_cashier_is_told_what_became_of_a_token(wired: Wired, clock: SteppedClock) -> None:
    at = till(wired)
    spent, stopped, partners = cash(wired), cash(wired), cash(wired)
    pay(wired, spent.reveal(), at)
    now = wired.clock.now()
    token = wired.token(stopped.serial)
    wired.run(lambda c: suspend.suspend(c, token, "ops", "", now))
    change(wired, partners.serial, binding=TO_PARTNER)
    assert pay(wired, spent.reveal(), at).answer is Answer.REDEEMED
    assert pay(wired, stopped.reveal(), at).answer is Answer.SUSPENDED
    assert pay(wired, partners.reveal(), at).answer is Answer.OF_A_PARTNER
    late = cash(wired)
    clock.advance(days=40)
    assert pay(wired, late.reveal(), at).answer is Answer.EXPIRED
    assert pay(wired, "1" * 18, at).answer in (Answer.UNKNOWN, Answer.MISTYPED)
    assert pay(wired, "12", at).answer is Answer.MISTYPED
    assert till(wired).balance == spent.amount
    assert wired.breaches() == []


def test_a_till_in_another_currency_takes_nothing(wired: Wired) -> None:
    issued = cash(wired)
    at = till(wired, "till-2", "GHS")
    assert pay(wired, issued.reveal(), at).answer is Answer.OTHER_CURRENCY


def test_a_stopped_till_pays_nothing(wired: Wired) -> None:
    issued, at = cash(wired), till(wired)
    wired.run(lambda c: wallets.freeze(c, at))
    assert pay(wired, issued.reveal(), at).answer is Answer.TILL_STOPPED
    assert wired.token(issued.serial).status == "issued"


def test_wrong_entries_are_counted_by_cashier_and_success_gives_one_back(wired: Wired) -> None:
    at, unknown = till(wired), cash(wired)
    digits = unknown.reveal()
    change(wired, unknown.serial, lookup=bytes(32))
    for _ in range(ALLOWANCE.an_hour - 1):
        assert pay(wired, digits, at).answer is Answer.UNKNOWN
    for _ in range(3):
        assert pay(wired, cash(wired).reveal(), at).answer is Answer.PAID
    assert pay(wired, digits, at).answer is Answer.UNKNOWN
    live = cash(wired)
    limited = pay(wired, live.reveal(), at)
    assert limited.answer is Answer.LIMITED
    assert limited.until is not None
    assert wired.token(live.serial).status == "issued"
    assert pay(wired, live.reveal(), at, cashier="staff:8").answer is Answer.PAID


def test_whoever_paid_for_the_code_is_told_that_it_was_paid(wired: Wired) -> None:
    wallet(wired, ADA, "100.00")
    owner = wired.run(lambda c: wallets.find(c, ADA, "NGN"))
    assert owner is not None
    now = wired.clock.now()
    issued = wired.run(
        lambda c: wired.gateway.withdrawals.cash.request(
            c, owner, Decimal("100.00"), Decimal("0.00"), "a" * 32, now
        )
    )
    pay(wired, issued.reveal(), till(wired))
    assert count(wired, outbox, outbox.c.template == "token_spent") == 1
    assert wired.breaches() == []


def test_the_agents_day_has_a_cap_and_a_refused_code_stays_live(database_url: str) -> None:
    wired = agent(database_url, a_day="10.00")
    at, first, second = till(wired), cash(wired, "9.99"), cash(wired, "0.02")
    assert pay(wired, first.reveal(), at).answer is Answer.PAID
    refused = pay(wired, second.reveal(), at)
    assert (refused.answer, str(refused.most)) == (Answer.TILL_FULL, "0.01")
    assert wired.token(second.serial).status == "issued"
    assert pay(wired, second.reveal(), till(wired, "till-2")).answer is Answer.PAID
    assert wired.breaches() == []
    wired.close()


def test_a_customers_day_has_a_cap_and_begins_anew_at_local_midnight(database_url: str) -> None:
    wired = agent(database_url, per_customer="10.00")
    at = till(wired)
    codes = [cash(wired, "6.00") for _ in range(3)]
    other = wired.issue("6.00", None)
    assert pay(wired, codes[0].reveal(), at).answer is Answer.PAID
    refused = pay(wired, codes[1].reveal(), at)
    assert (refused.answer, str(refused.most)) == (Answer.CUSTOMER_FULL, "4.00")
    assert pay(wired, other.reveal(), at, BELLO).answer is Answer.PAID
    assert isinstance(wired.clock, SteppedClock)
    wired.clock.advance(hours=14)
    assert pay(wired, codes[1].reveal(), at).answer is Answer.PAID
    assert wired.breaches() == []
    wired.close()


def test_another_number_at_the_counter_is_no_way_around_a_customers_cap(
    database_url: str,
) -> None:
    wired = agent(database_url, per_customer="10.00")
    at, codes = till(wired), [cash(wired, "6.00") for _ in range(2)]
    assert pay(wired, codes[0].reveal(), at, BELLO).answer is Answer.PAID
    assert pay(wired, codes[1].reveal(), at, "+2348030000009").answer is Answer.CUSTOMER_FULL
    wired.close()


def test_a_first_payment_above_the_customers_cap_leaves_no_trace(database_url: str) -> None:
    wired = agent(database_url, per_customer="10.00")
    issued, at = cash(wired, "10.01"), till(wired)
    assert pay(wired, issued.reveal(), at).answer is Answer.CUSTOMER_FULL
    assert count(wired, tills_store.agent_customers) == 0
    assert wired.token(issued.serial).status == tokens_store.Status.ISSUED
    wired.close()


@pytest.mark.parametrize("entry", ["", " ", "abc"])
def test_what_cannot_be_a_token_is_no_wrong_guess(wired: Wired, entry: str) -> None:
    assert pay(wired, entry, till(wired), cashier=CASHIER).answer is Answer.MISTYPED
