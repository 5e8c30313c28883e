"""An operator's word that an order was paid: alone by somebody else's statement, else by two."""

from typing import Any

import pytest

from gateway.deposits import store
from gateway.deposits.states import State
from gateway.deposits.store import Deposit
from gateway.errors import BadInput
from gateway.providers.base.messages import Outcome, Status
from tests.deposits.staging import Till, snippe_body
from tests.support.races import race

TXN = "SYNX000001"


def failed(tz: Till, order: Deposit) -> Deposit:
    """The order after its provider has said no."""
    now = tz.clock.now()
    tz.run(lambda c: store.change_state(c, order.id, State.FAILED, now, reason="declined"))
    return tz.seen(order)


def test_an_order_that_a_statement_has_is_confirmed_alone_by_the_claim_of_a_callback(
    tz: Till,
) -> None:
    order = tz.order()
    tz.stated("snippe", TXN, "15000")
    assert tz.confirm(order, TXN).state == "completed"
    with pytest.raises(BadInput, match="completed"):
        tz.confirm(order, TXN)
    assert tz.snippe(snippe_body(order.reference)).status_code == 200
    assert (tz.became(), str(tz.has())) == (["duplicate"], "15000.00")
    assert tz.breaches() == []


@pytest.mark.parametrize(
    "line",
    [
        {"amount": "14999"},
        {"txn_id": "SYNX000002"},
        {"provider": "selcom"},
        {"direction": "out"},
        {"currency": "KES"},
        {"reference": "DZZZZZZZZ"},
        {"by": "cli:one"},
        {"by": " CLI:One"},
    ],
    ids=str,
)
def test_what_no_statement_of_somebody_else_says_needs_a_second_operator(
    tz: Till, line: dict[str, Any]
) -> None:
    order = tz.order()
    tz.stated(**{"provider": "snippe", "txn_id": TXN, "amount": "15000", **line})
    with pytest.raises(BadInput, match="second operator"):
        tz.confirm(order, TXN)
    assert (tz.seen(order).state, str(tz.has())) == ("pending", "0.00")
    assert tz.confirm_by_two(order, TXN).state == "completed"
    assert (str(tz.has()), tz.breaches()) == ("15000.00", [])


def test_an_order_that_failed_needs_two_even_with_a_statement(tz: Till) -> None:
    order = failed(tz, tz.order())
    tz.stated("snippe", TXN, "15000")
    with pytest.raises(BadInput, match="second operator"):
        tz.confirm(order, TXN)
    assert tz.confirm_by_two(order, TXN).state == "completed"
    assert tz.breaches() == []


def test_a_parked_order_is_never_credited_with_more_than_what_came(tz: Till) -> None:
    order = tz.order()
    tz.snippe(snippe_body(order.reference, amount=100, txn_id="TX1"))
    for txn_id in ("MADE-UP", "TX1"):
        with pytest.raises(BadInput, match=r"parked, and nothing proves 15000.00|booked as"):
            tz.confirm_by_two(order, txn_id)
    assert (str(tz.has()), str(tz.suspense("snippe"))) == ("0.00", "100.00")
    tz.snippe(snippe_body(order.reference, txn_id="TX2"))
    with pytest.raises(BadInput, match="second operator"):
        tz.confirm(order, "TX2")
    assert tz.confirm_by_two(order, "TX2").state == "completed"
    assert (str(tz.has()), str(tz.suspense("snippe"))) == ("15000.00", "100.00")
    assert tz.breaches() == []


def test_a_parked_order_whose_payment_a_statement_has_is_confirmed_by_two(tz: Till) -> None:
    order = tz.order()
    tz.snippe(snippe_body(order.reference, amount=100, txn_id="TX1"))
    tz.stated("snippe", "TX2", "15000")
    with pytest.raises(BadInput, match="second operator"):
        tz.confirm(order, "TX2")
    assert tz.confirm_by_two(order, "TX2").state == "completed"
    assert (str(tz.has()), tz.breaches()) == ("15000.00", [])


def test_a_confirmation_racing_with_the_callback_is_one_credit(tz: Till) -> None:
    order = tz.order()
    tz.stated("snippe", TXN, "15000")
    body = snippe_body(order.reference)

    def tell(number: int) -> object:
        if number % 2:
            return tz.snippe(body).status_code
        return tz.confirm(order, TXN).state

    told = race(8, tell)
    assert [one for one in told if one == 200] == [200] * 4
    assert (str(tz.has()), tz.movements()) == ("15000.00", 1)
    assert tz.breaches() == []


def test_a_transaction_of_somebody_else_confirms_no_order(tz: Till) -> None:
    paid, other = tz.order(), tz.order()
    tz.snippe(snippe_body(paid.reference))
    tz.stated("snippe", TXN, "15000")
    for confirm in (tz.confirm, tz.confirm_by_two):
        with pytest.raises(BadInput, match=f"booked as {paid.reference}"):
            confirm(other, TXN)
    assert str(tz.has()) == "15000.00"


def test_a_confirmation_by_what_waits_in_suspense_takes_it_from_there_by_two(tz: Till) -> None:
    tz.snippe(snippe_body("ORD-1001"))
    (waiting,) = tz.all()
    order = tz.order()
    tz.stated("snippe", TXN, "15000")
    with pytest.raises(BadInput, match="second operator"):
        tz.confirm(order, TXN)
    tz.confirm_by_two(order, TXN)
    assert (str(tz.has()), str(tz.suspense("snippe"))) == ("15000.00", "0.00")
    joined = tz.seen(waiting)
    assert (joined.state, joined.joined_to) == ("joined", order.id)
    assert tz.breaches() == []


def test_a_paid_order_without_an_id_is_joined_with_its_payment_by_two(tz: Till) -> None:
    order, now = tz.order(), tz.clock.now()
    paid = Status(Outcome.SUCCEEDED)
    tz.run(lambda c: tz.gateway.deposits.answers.answered(c, order.reference, paid, now))
    tz.snippe(snippe_body("ORD-1001"))
    assert str(tz.suspense("snippe")) == "15000.00"
    tz.confirm_by_two(order, TXN)
    assert (str(tz.has()), str(tz.suspense("snippe"))) == ("15000.00", "0.00")
    assert tz.breaches() == []
