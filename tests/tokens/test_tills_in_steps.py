"""Paying at a counter in two steps: a look-up that claims nothing, a claim of what was shown."""

import pytest

from gateway.tokens import store as tokens
from gateway.tokens.guesses.store import guess_counters
from gateway.tokens.tills.pay import CASHIER as ALLOWANCE
from gateway.tokens.tills.pay import Answer, Paid
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import change, count
from tests.tokens.till_staging import CASHIER, agent, cash, payer, till

NAMED = "staff:7:Ada Obi"


def look_up(wired: Wired, entry: str, customer: str = "", cashier: str = CASHIER) -> Paid:
    """Type a token at a till, without a claim."""
    at, now = till(wired), wired.clock.now()
    return wired.run(lambda c: payer(wired).look_up(c, entry, at, cashier, now, customer))


def pay_token(wired: Wired, serial: str, customer: str = "", channel: str = "counter") -> Paid:
    """Claim a token that was looked up."""
    at, now, token = till(wired), wired.clock.now(), wired.token(serial)
    return wired.run(
        lambda c: payer(wired).pay_token(c, token.id, at, CASHIER, customer, now, channel)
    )


def guesses(wired: Wired) -> int:
    """How many wrong entries the cashier has on their account."""
    query = guess_counters.c.source == f"cashier:{CASHIER}"
    found = wired.run(
        lambda c: c.execute(guess_counters.select().where(query)).mappings().one_or_none()
    )
    return int(found["hour_count"]) if found else 0


def test_a_look_up_says_what_a_token_is_and_claims_nothing(wired: Wired) -> None:
    issued = cash(wired, "60.00")
    found = look_up(wired, issued.reveal())
    assert (found.answer, found.serial, found.amount, found.asks_phone) == (
        *(Answer.PAYABLE, issued.serial, issued.amount, False),
    )
    assert wired.token(issued.serial).status == "issued"
    assert guesses(wired) == 0


def test_what_was_looked_up_is_paid_over_the_channel_it_came_by(wired: Wired) -> None:
    issued = wired.issue("60.00")
    look_up(wired, issued.reveal())
    assert pay_token(wired, issued.serial, channel="ussd").answer is Answer.PAID
    assert wired.token(issued.serial).redeemed_channel == "ussd"
    assert pay_token(wired, issued.serial).answer is Answer.REDEEMED
    assert till(wired).balance == issued.amount
    assert wired.breaches() == []


def test_a_look_up_of_what_is_not_payable_counts_as_a_guess(wired: Wired) -> None:
    spent, unknown = wired.issue(), wired.issue()
    wired.redeem(spent.reveal())
    change(wired, unknown.serial, lookup=bytes(32))
    assert look_up(wired, spent.reveal()).answer is Answer.REDEEMED
    assert look_up(wired, unknown.reveal()).answer is Answer.UNKNOWN
    assert guesses(wired) == 2


def test_a_phone_bound_token_is_shown_and_asks_for_its_number(wired: Wired) -> None:
    issued = wired.issue("60.00", ADA, binding=tokens.TO_RECIPIENT)
    found = look_up(wired, issued.reveal())
    assert (found.answer, found.asks_phone) == (Answer.PAYABLE, True)
    assert look_up(wired, issued.reveal(), BELLO).answer is Answer.ANOTHER_PHONE
    assert look_up(wired, issued.reveal(), ADA).answer is Answer.PAYABLE
    assert guesses(wired) == 1


@pytest.mark.parametrize("customer", ["", BELLO])
def test_a_wrong_number_for_a_bound_token_is_a_guess_of_the_cashier(
    wired: Wired, customer: str
) -> None:
    issued = wired.issue("60.00", ADA, binding=tokens.TO_RECIPIENT)
    for _ in range(ALLOWANCE.an_hour):
        assert pay_token(wired, issued.serial, customer).answer is Answer.ANOTHER_PHONE
    limited = pay_token(wired, issued.serial, ADA)
    assert limited.answer is Answer.LIMITED
    assert limited.until is not None
    assert wired.token(issued.serial).status == "issued"


def test_the_right_number_gives_the_guess_back(wired: Wired) -> None:
    issued = wired.issue("60.00", ADA, binding=tokens.TO_RECIPIENT)
    assert pay_token(wired, issued.serial, ADA).answer is Answer.PAID
    assert guesses(wired) == 0


def test_a_limited_cashier_still_pays_what_they_were_shown(wired: Wired) -> None:
    issued, unknown = wired.issue("60.00"), wired.issue()
    change(wired, unknown.serial, lookup=bytes(32))
    look_up(wired, issued.reveal())
    for _ in range(ALLOWANCE.an_hour):
        look_up(wired, unknown.reveal())
    assert look_up(wired, issued.reveal()).answer is Answer.LIMITED
    assert pay_token(wired, issued.serial).answer is Answer.PAID


def test_a_cap_on_a_customers_day_asks_for_a_number_but_not_of_a_cash_code(
    database_url: str,
) -> None:
    wired = agent(database_url, per_customer="100.00")
    assert look_up(wired, wired.issue().reveal()).asks_phone
    assert not look_up(wired, cash(wired).reveal()).asks_phone
    wired.close()


def test_guesses_are_counted_by_the_cashiers_number_whatever_the_name(wired: Wired) -> None:
    unknown = wired.issue()
    change(wired, unknown.serial, lookup=bytes(32))
    look_up(wired, unknown.reveal(), cashier=NAMED)
    look_up(wired, "12", cashier="staff:7:" + "A" * 40)
    assert guesses(wired) == 1
    assert count(wired, guess_counters, guess_counters.c.source == f"typing:cashier:{CASHIER}") == 1
