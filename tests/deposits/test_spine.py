"""Money in from end to end: ordered, paid, credited once, told, and the books hold."""

from decimal import Decimal

from tests.deposits.staging import JUMA, Till, snippe_body


def test_a_signed_payment_of_an_order_is_credited_once_and_told(tz: Till) -> None:
    order = tz.order("15000")
    answer = tz.snippe(snippe_body(order.reference))
    assert (answer.status_code, answer.data) == (200, b'{"received":true}')
    assert tz.has() == Decimal("15000.00")
    done = tz.seen(order)
    assert (done.state, done.txn_id) == ("completed", "SYNX000001")
    assert tz.became() == ["credited"]
    assert tz.send_all() == 1
    text = tz.gateway.inbox(JUMA)[0].text
    assert text == f"You received TZS 15000.00 in your wallet. Ref {order.reference}." + (
        " Balance TZS 15000.00."
    )
    assert tz.breaches() == []
