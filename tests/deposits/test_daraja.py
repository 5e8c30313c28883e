"""Safaricom's two callbacks of one payment, in every order: one receipt, one credit."""

import pytest

from gateway.providers.base.messages import Outcome, Status
from tests.deposits.staging import Till
from tests.support.races import race

KAMAU = "+254700000001"
RECEIPT = "TK00000001"
CHECKOUT = "ws_CO_010120261200000001"
ITEMS = {
    "PhoneNumber": 254700000001,
    "TransactionDate": 20260101120000,
    "Amount": 1500.00,
    "MpesaReceiptNumber": RECEIPT,
}


def pushed(ke: Till) -> str:
    """An order that Safaricom has taken; its reference."""
    order = ke.order("1500", "mpesa", KAMAU)
    ke.learn(order, provider_ref=CHECKOUT)
    return order.reference


def answered(ke: Till, reference: str, status: Status) -> str:
    """What an answer to our question does."""
    answers, now = ke.gateway.deposits.answers, ke.clock.now()
    return ke.run(lambda c: answers.answered(c, reference, status, now)).value


PAID = Status(Outcome.SUCCEEDED, provider_ref=CHECKOUT)


def test_a_hint_then_the_answer_credits_and_the_confirmation_brings_the_receipt(ke: Till) -> None:
    reference = pushed(ke)
    assert ke.stk(CHECKOUT, **ITEMS).status_code == 200
    assert ke.has(KAMAU) == 0
    assert answered(ke, reference, PAID) == "credited"
    (order,) = ke.all()
    assert (order.txn_id, order.hinted_txn_id, str(ke.has(KAMAU))) == (None, RECEIPT, "1500.00")
    assert ke.c2b(RECEIPT, "1500", BillRefNumber=reference).status_code == 200
    assert ke.became() == ["asked", "duplicate"]
    assert (ke.all()[0].txn_id, str(ke.has(KAMAU)), ke.movements()) == (RECEIPT, "1500.00", 1)
    assert ke.breaches() == []


def both(ke: Till, first: str, reference: str, typed: str) -> None:
    """The hint with its answer, and the confirmation; the payer has typed something."""

    def stk() -> None:
        ke.stk(CHECKOUT, **ITEMS)
        answered(ke, reference, PAID)

    def c2b() -> None:
        ke.c2b(RECEIPT, "1500", BillRefNumber=typed)

    for call in (stk, c2b) if first == "stk" else (c2b, stk):
        call()


@pytest.mark.parametrize("first", ["stk", "c2b"])
def test_one_receipt_over_two_callbacks_is_one_credit(ke: Till, first: str) -> None:
    reference = pushed(ke)
    both(ke, first, reference, typed=reference)
    assert (str(ke.has(KAMAU)), str(ke.suspense("mpesa"))) == ("1500.00", "0.00")
    assert [(d.state, d.txn_id) for d in ke.all()] == [("completed", RECEIPT)]
    assert ke.breaches() == []


@pytest.mark.parametrize("first", ["stk", "c2b"])
def test_a_receipt_under_another_reference_waits_for_two_operators(ke: Till, first: str) -> None:
    reference = pushed(ke)
    both(ke, first, reference, typed="junk")
    order, payment = ke.all()
    assert (order.txn_id, str(ke.has(KAMAU))) == (None, "1500.00")
    assert (payment.txn_id, str(ke.suspense("mpesa"))) == (RECEIPT, "1500.00")
    if first == "stk":
        assert payment.reason is not None
        assert payment.reason.endswith(f"perhaps the payment of {reference}")
    ke.confirm_by_two(order, RECEIPT)
    assert (str(ke.has(KAMAU)), str(ke.suspense("mpesa"))) == ("1500.00", "0.00")
    assert [deposit.state for deposit in ke.all()] == ["completed", "joined"]
    assert ke.breaches() == []


def test_both_callbacks_and_the_answer_at_once_are_one_credit(ke: Till) -> None:
    reference = pushed(ke)
    calls = (
        lambda: ke.stk(CHECKOUT, **ITEMS).status_code,
        lambda: ke.c2b(RECEIPT, "1500", BillRefNumber=reference).status_code,
        lambda: answered(ke, reference, PAID),
    )
    results = race(9, lambda number: calls[number % 3]())
    assert all(result in (200, "credited", "duplicate") for result in results), results
    assert (str(ke.has(KAMAU)), str(ke.suspense("mpesa"))) == ("1500.00", "0.00")
    assert ke.movements() == 1
    assert ke.breaches() == []


def test_a_receipt_without_reference_waits_while_an_order_lacks_its_own(ke: Till) -> None:
    reference = pushed(ke)
    assert answered(ke, reference, PAID) == "credited"
    ke.c2b(RECEIPT, "1500", MSISDN="254700000001")
    assert (str(ke.has(KAMAU)), str(ke.suspense("mpesa"))) == ("1500.00", "1500.00")
    assert ke.stk(CHECKOUT, **ITEMS).status_code == 200
    assert ke.became() == ["suspense", "conflict"]  # which tells operators that the two are one
    assert (str(ke.has(KAMAU)), str(ke.suspense("mpesa"))) == ("1500.00", "1500.00")
    ke.confirm_by_two(ke.all()[0], RECEIPT)
    assert (str(ke.has(KAMAU)), str(ke.suspense("mpesa"))) == ("1500.00", "0.00")
    assert [deposit.state for deposit in ke.all()] == ["completed", "joined"]
    assert ke.breaches() == []


@pytest.mark.parametrize("amount", ["1.00", "1", 1, 1.0])
def test_an_amount_in_any_of_its_forms_is_that_amount(ke: Till, amount: object) -> None:
    ke.wallet(KAMAU)
    assert ke.c2b(RECEIPT, amount, MSISDN="254700000001").status_code == 200
    assert (ke.became(), str(ke.has(KAMAU))) == (["credited"], "1.00")
    assert ke.breaches() == []


@pytest.mark.parametrize("amount", ["1,030.00", " 1.00 ", "", "1e3", True, None, "-5", "NaN"])
def test_an_amount_that_is_none_is_kept_and_refused(ke: Till, amount: object) -> None:
    ke.wallet(KAMAU)
    answer = ke.c2b(RECEIPT, amount, MSISDN="254700000001")
    assert (answer.status_code, answer.data) == (400, b"malformed")
    assert (ke.became(), ke.movements()) == (["malformed"], 0)


@pytest.mark.parametrize("code", ["SFC_IC0003", 1037, 0.0, True, None])
def test_only_a_zero_is_a_hint_of_success_and_none_credits(ke: Till, code: object) -> None:
    pushed(ke)
    assert ke.stk(CHECKOUT, code, **ITEMS).status_code == 200
    assert (ke.became(), ke.movements()) == (["asked"], 0)


def test_a_masked_payer_is_unknown_and_the_money_lies_in_suspense(ke: Till) -> None:
    ke.wallet(KAMAU)
    assert ke.c2b(RECEIPT, "20.00").status_code == 200
    assert (ke.became(), str(ke.suspense("mpesa"))) == (["suspense"], "20.00")


def test_what_nobody_ordered_is_its_payers_up_to_the_limit(ke: Till) -> None:
    ke.wallet(KAMAU)
    ke.c2b("TK1", "50000.00", MSISDN="254700000001")
    ke.c2b("TK2", "50000.01", MSISDN="254700000001")
    ke.c2b("TK3", "10.00", MSISDN="254700000099")  # has no wallet
    assert ke.became() == ["credited", "suspense", "suspense"]
    assert (str(ke.has(KAMAU)), str(ke.suspense("mpesa"))) == ("50000.00", "50010.01")
    assert ke.breaches() == []


def test_a_time_of_nairobi_is_stored_as_utc(ke: Till) -> None:
    ke.c2b(RECEIPT, "20.00", TransTime="20251231235930")
    (found,) = ke.all()
    assert found.occurred_at is not None
    assert found.occurred_at.isoformat() == "2025-12-31T20:59:30+00:00"


QUESTIONS = {
    "an order that is open": ("1500", "its reference", "0"),
    "another amount": ("1400", "its reference", "C2B00013"),
    "nobody's reference": ("1500", "junk", "C2B00012"),
}


@pytest.mark.parametrize("what", QUESTIONS)
def test_a_validation_is_answered_at_once_and_changes_nothing(ke: Till, what: str) -> None:
    amount, typed, code = QUESTIONS[what]
    reference = pushed(ke) if typed == "its reference" else typed
    before = ke.all()
    answer = ke.c2b(RECEIPT, amount, BillRefNumber=reference, part="c2b/validation")
    assert answer.json is not None
    assert (answer.status_code, answer.json["ResultCode"]) == (200, code)
    assert (ke.all(), ke.became()) == (before, [])


def test_a_validation_above_what_is_taken_unordered_is_refused(ke: Till) -> None:
    ke.wallet(KAMAU)
    answer = ke.c2b(RECEIPT, "50000.01", MSISDN="254700000001", part="c2b/validation")
    assert answer.json is not None
    assert answer.status_code == 200
    assert answer.json["ResultCode"] in ("C2B00013", "C2B00016")
