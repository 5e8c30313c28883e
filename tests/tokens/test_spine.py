"""The spine: a token is issued, delivered, redeemed over USSD once, and the books hold."""

from decimal import Decimal

from tests.support.wired import ADA, Wired


def test_a_token_is_issued_delivered_and_redeemed_once(wired: Wired) -> None:
    issued = wired.issue("500.00", deliver=True)
    assert wired.send_all() == 1
    assert issued.reveal()[:6] in wired.gateway.inbox(ADA)[0].text
    call = wired.dial()
    assert call.body.startswith("CON ")
    call.send("1")
    first = call.send(issued.reveal())
    assert first.startswith("END You have received NGN 500.00.")
    assert call.post(call.text) == first
    assert wired.balance() == Decimal("500.00")
    assert wired.breaches() == []
