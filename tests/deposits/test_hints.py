"""What an unproven callback may do: make us ask, and nothing that another payer would notice."""

from decimal import Decimal

import pytest

from gateway.providers.base.messages import Outcome, Status
from tests.deposits.staging import Till

KAMAU, WANJIRU = "+254700000001", "+254700000002"
CHECKOUT, THEIRS = "ws_CO_1", "VICTIM1"


def hinted(ke: Till) -> str:
    """An order about which somebody says that a stranger's receipt paid it."""
    ke.wallet(WANJIRU)
    order = ke.order("1500", "mpesa", KAMAU)
    ke.learn(order, provider_ref=CHECKOUT)
    ke.stk(CHECKOUT, Amount=1500, MpesaReceiptNumber=THEIRS, PhoneNumber=254700000001)
    return order.reference


def answered(ke: Till, reference: str, txn_id: str = "") -> str:
    """The provider says that it was paid."""
    answers, status = ke.gateway.deposits.answers, Status(Outcome.SUCCEEDED, txn_id)
    return ke.run(lambda c: answers.answered(c, reference, status, ke.clock.now())).value


@pytest.mark.parametrize("is_answered", [False, True])
def test_a_stranger_whose_receipt_a_hint_has_named_is_credited(ke: Till, is_answered: bool) -> None:
    reference = hinted(ke)
    if is_answered:
        assert answered(ke, reference) == "credited"
    assert ke.c2b(THEIRS, "1500", MSISDN="254700000002").status_code == 200
    assert ke.became() == ["asked", "credited"]
    assert str(ke.has(WANJIRU)) == "1500.00"
    assert str(ke.has(KAMAU)) == ("1500.00" if is_answered else "0.00")
    assert ke.breaches() == []


def test_a_hint_takes_nothing_out_of_suspense(ke: Till) -> None:
    ke.c2b(THEIRS, "1500")
    reference = hinted(ke)
    assert answered(ke, reference) == "credited"
    assert (ke.became(), str(ke.suspense("mpesa"))) == (["suspense", "asked"], "1500.00")
    assert [deposit.txn_id for deposit in ke.all()] == [THEIRS, None]
    assert ke.breaches() == []


def test_a_hint_after_the_answer_books_no_id_either(ke: Till) -> None:
    order = ke.order("1500", "mpesa", KAMAU)
    ke.learn(order, provider_ref=CHECKOUT)
    answered(ke, order.reference)
    ke.stk(CHECKOUT, Amount=1500, MpesaReceiptNumber=THEIRS)
    assert (ke.seen(order).txn_id, ke.seen(order).hinted_txn_id) == (None, THEIRS)
    ke.c2b("TK00000001", "1500", BillRefNumber=order.reference)
    assert (ke.seen(order).txn_id, ke.became()) == ("TK00000001", ["duplicate"] * 2)
    assert (str(ke.has(KAMAU)), str(ke.suspense("mpesa"))) == ("1500.00", "0.00")


def test_an_id_that_the_answer_names_is_booked_and_joins_its_payment(ke: Till) -> None:
    ke.c2b("TK00000001", "1500")
    reference = hinted(ke)
    assert answered(ke, reference, "TK00000001") == "credited"
    assert (str(ke.has(KAMAU)), str(ke.suspense("mpesa"))) == ("1500.00", "0.00")
    assert ke.has(WANJIRU) == Decimal("0.00")
    assert ke.breaches() == []


def test_a_second_receipt_for_an_order_is_booked_and_lies_in_suspense(ke: Till) -> None:
    order = ke.order("1500", "mpesa", KAMAU)
    ke.c2b("TK00000001", "1500", BillRefNumber=order.reference)
    ke.c2b("TK00000002", "1500", BillRefNumber=order.reference)
    assert ke.became() == ["credited", "suspense"]
    assert (str(ke.has(KAMAU)), str(ke.suspense("mpesa"))) == ("1500.00", "1500.00")
    assert ke.breaches() == []
