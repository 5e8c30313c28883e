"""A partner pays tokens in cash at its own outlets' tills, in the open shift, within its caps."""

import pytest
from sqlalchemy import select

from gateway.audit.store import audit_trail
from gateway.ledger import store as ledger
from gateway.ledger.operate import Deed
from gateway.ledger.store import ACTIVE, FROZEN
from gateway.outlets import manage
from gateway.outlets.payments import store as payments
from gateway.partners.places import agreed
from gateway.switches import board
from gateway.tokens.guesses import store as guesses
from tests.outlets.staging import BY, Shop, naira
from tests.support.partner import Partner, partner
from tests.support.wired import ADA, BELLO, Wired
from tests.web.api.tills import OUTLET, TILL, Stall, agree, stall

UNKNOWN = "490750293453273258"


@pytest.fixture
def at(wired: Wired) -> Stall:
    return stall(wired)


def test_a_till_pays_once_and_its_shift_knows_of_it(at: Stall) -> None:
    serial, token = at.token()
    done = at.pay(token, "same")
    assert done.status_code == 201, done.text
    assert (done.json["payee"], done.json["serial"], done.json["amount"]) == (TILL, serial, "60.00")
    assert at.pay(token, "same").headers["Idempotent-Replayed"] == "true"
    assert at.pay(token).json["code"] == "already_redeemed"
    shift = at.shift()
    assert (shift.total, shift.expected) == (naira("60.00"), naira("440.00"))
    (payment,) = at.wired.run(lambda c: payments.of_shift(c, shift.id, 5))
    assert (payment.serial, payment.state, payment.channel) == (serial, "paid", "api")
    found = at.wired.token(serial)
    assert (found.redeemed_by, found.redeemed_channel) == (TILL, "api")
    assert at.shop.count("440.00").state == "closed"
    assert at.shop.owed() == naira("60.00")
    assert at.wired.breaches() == []


def test_the_trail_names_the_key_that_paid(at: Stall) -> None:
    serial, token = at.token()
    at.pay(token)
    query = select(audit_trail.c.actor).where(
        audit_trail.c.subject == serial, audit_trail.c.action == "token.pay"
    )
    assert at.wired.run(lambda c: c.execute(query).scalar()) == f"acme/{at.acme.key.key_id}"


def test_another_partners_outlet_is_as_forbidden_as_one_that_there_is_not(at: Stall) -> None:
    _, token = at.token()
    Shop(at.wired, "LEKKI").open()
    partner(at.wired, "Other")
    agree(at.wired, "other", "LEKKI")
    for payee in ("LEKKI/1", "NOWHERE/1"):
        answer = at.pay(token, payee=payee)
        assert (answer.status_code, answer.json["code"]) == (403, "forbidden"), payee
    assert at.pay(token, payee="ikeja/1").status_code == 201


def test_a_till_without_an_open_shift_pays_nothing(at: Stall) -> None:
    _, token = at.token()
    for payee in ("IKEJA/2", "IKEJA/3"):
        answer = at.pay(token, "same", payee)
        assert (answer.status_code, answer.json["code"]) == (422, "invalid_request"), payee
        assert "payee" in answer.json["detail"] or "till" in answer.json["detail"]
    at.shop.count("400.00")
    assert at.pay(token, "same").status_code == 422
    assert at.wired.breaches() == []


def test_what_was_agreed_ends_at_once(at: Stall) -> None:
    _, token = at.token()
    now = at.wired.clock.now()
    at.wired.run(lambda c: agreed.end(c, "acme", OUTLET, "test", now))
    assert at.pay(token).status_code == 403


def test_a_token_bound_to_its_partner_is_paid_through_that_partner_alone(at: Stall) -> None:
    serial, token = at.token(bound=True)
    other = partner(at.wired, "Other")
    agree(at.wired, "other")
    body = {"token": token, "payee": TILL}
    assert other.post("/redemptions", body).json["code"] == "not_found"
    assert at.shop.show(token).answer == "of_a_partner"
    assert at.pay(token).status_code == 201
    assert at.wired.token(serial).status == "redeemed"


def test_a_token_bound_to_a_phone_needs_the_customer(at: Stall) -> None:
    _, token = at.token(bound=True, recipient=ADA)
    without = at.pay(token, "same")
    assert (without.status_code, without.json["code"]) == (422, "invalid_request")
    assert "customer" in without.json["detail"]
    assert at.pay(token, customer=BELLO).json["code"] == "forbidden"
    assert at.pay(token, "same", customer=ADA).status_code == 201


def test_a_foreign_token_bound_to_a_phone_is_not_found_without_its_number(at: Stall) -> None:
    foreign = at.wired.issue(binding="recipient").reveal()
    for more in ({}, {"customer": BELLO}):
        assert at.pay(foreign, **more).json["code"] == "not_found"
    assert misses(at) == {"partner:acme": 2}
    assert at.pay(foreign, customer=ADA).status_code == 201


def test_a_cash_code_is_paid(at: Stall) -> None:
    cash = at.wired.issue(binding="counter").reveal()
    assert at.acme.post("/redemptions", {"token": cash, "payee": ADA}).json["code"] == "not_found"
    assert at.pay(cash).status_code == 201


def misses(at: Stall) -> dict[str, int]:
    """The wrong entries of every source that might be thought of."""
    names = ["partner:acme", f"cashier:acme/{at.acme.key.key_id}", "cashier:staff:1"]
    found = at.wired.run(lambda c: guesses.read(c, names))
    return {name: counter.hour_count for name, counter in found.items()}


def test_wrong_tokens_count_at_the_partner_and_not_at_the_cashier(at: Stall) -> None:
    for _ in range(2):
        assert at.pay(UNKNOWN, "same").json["code"] == "not_found"
    assert at.pay(UNKNOWN).json["code"] == "not_found"
    assert misses(at) == {"partner:acme": 2}


def test_a_shift_pays_no_more_than_it_may_and_the_token_stays(wired: Wired) -> None:
    at = stall(wired, float_limit="100.00")
    at.pay(at.token("60.00")[1])
    serial, token = at.token("60.00")
    answer = at.pay(token, "same")
    assert (answer.status_code, answer.json["code"]) == (422, "limit_exceeded")
    assert wired.token(serial).status == "issued"
    more = Deed(BY, "a busy day", wired.clock.now())
    wired.run(lambda c: manage.limit_till(c, TILL, naira("500.00"), more))
    assert at.pay(token, "same").status_code == 201, "it was not remembered"
    assert wired.breaches() == []


def test_a_pause_leaves_the_token_as_it_was(at: Stall) -> None:
    serial, token = at.token()
    now = at.wired.clock.now()
    at.wired.run(lambda c: board.throw(c, "redeem", "test", "drill", now, pause=True))
    assert (at.pay(token).status_code, at.wired.token(serial).status) == (503, "issued")


def test_a_stopped_till_leaves_the_token_as_it_was(at: Stall) -> None:
    serial, token = at.token()
    till = at.shop.account()
    at.shop.freeze(till)
    assert at.pay(token, "same").json["code"] == "forbidden"
    at.wired.run(lambda c: ledger.set_status(c, till.id, FROZEN, ACTIVE))
    assert at.pay(token, "same").status_code == 201
    assert at.wired.token(serial).redeemed_by == TILL


def test_tills_pay_no_test_money_and_wallets_have_no_customer(at: Stall) -> None:
    played = Stall(at.acme.with_key(test=True), at.shop)
    _, token = played.token()
    answer = played.pay(token)
    assert (answer.status_code, answer.json["code"]) == (422, "invalid_request")
    assert "test money" in answer.json["detail"]
    _, real = at.token()
    assert at.pay(real, payee=ADA, customer=ADA).status_code == 422
    assert at.pay(real, customer=real).status_code == 422
    for payee in ("IKEJA/1/2", "IKEJA/", "/1", "IKEJA/١", "IKEJA/1\0"):
        assert at.pay(real, payee=payee).status_code == 422, payee


def test_a_payment_of_a_program_is_taken_back_as_any(at: Stall) -> None:
    serial, token = at.token(recipient=ADA)
    at.pay(token)
    shift = at.shift()
    (payment,) = at.wired.run(lambda c: payments.of_shift(c, shift.id, 5))
    at.shop.void(payment.reference)
    assert at.shift().total == naira("0.00")
    assert at.wired.token(serial).status == "redeemed", "the old digits stay dead"
    assert at.wired.breaches() == []


def test_a_narrow_key_does_not_reach_a_till(at: Stall) -> None:
    _, token = at.token()
    narrow = at.acme.with_key("tokens:read")
    assert isinstance(narrow, Partner)
    answer = narrow.post("/redemptions", {"token": token, "payee": TILL})
    assert (answer.status_code, answer.json["code"]) == (403, "forbidden")
