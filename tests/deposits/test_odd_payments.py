"""Money that came with odd words or cents is booked: it is never refused for what a payer typed."""

import json
from typing import Any

import pytest

from tests.deposits.staging import C2B_TOKEN, Till, snippe_body
from tests.support.log import captured_log
from tests.support.wired import SECRET


def selcom(tz: Till, **members: Any) -> int:
    """A notification of Selcom's C2B utility."""
    said = {
        "reference": "SEL1",
        "utilityref": "x",
        "amount": "15000",
        "msisdn": "255680000009",
        "operator": "X",
        "transid": "1",
        **members,
    }
    token = [("Authorization", f"Bearer {C2B_TOKEN}")]
    return tz.post("selcom/c2b/notification", json.dumps(said).encode(), token).status_code


def billpay(tz: Till, typed: str, amount: str = "1000") -> int:
    """A bill payment of Tigo Pesa."""
    body = (
        "<COMMAND><TYPE>SYNC_BILLPAY_REQUEST</TYPE><TXNID>TG1</TXNID><MSISDN>680000009</MSISDN>"
        f"<AMOUNT>{amount}</AMOUNT><COMPANYNAME>1</COMPANYNAME>"
        f"<CUSTOMERREFERENCEID>{typed}</CUSTOMERREFERENCEID></COMMAND>"
    )
    return tz.post(f"tigopesa/{SECRET}/billpay", body.encode()).status_code


ODD: tuple[dict[str, Any], ...] = (
    {"utilityref": "A" * 200},
    {"utilityref": "\ud83d"},
    {"utilityref": "\x00x"},
    {"utilityref": "\U0001f600" * 65},
    {"utilityref": None},
    {"utilityref": 7},
    {"utilityref": ["x"]},
    {"msisdn": "9" * 300},
    {"msisdn": "\x00"},
    {"msisdn": {}},
    {"operator": "y" * 500},
    {"amount": "15000.50"},
)


@pytest.mark.parametrize("members", ODD, ids=lambda members: ascii(members)[:30])
def test_a_notification_with_odd_words_is_booked(tz: Till, members: dict[str, Any]) -> None:
    assert (selcom(tz, **members), tz.became()) == (200, ["suspense"])
    assert tz.suspense("selcom") >= 15000
    assert tz.breaches() == []


@pytest.mark.parametrize("typed", ["B" * 65, "B" * 300, "\u200b", "\U0001f600" * 70])
def test_a_bill_paid_with_odd_words_is_booked(tz: Till, typed: str) -> None:
    assert (billpay(tz, typed), tz.became()) == (200, ["suspense"])
    assert str(tz.suspense("tigopesa")) == "1000.00"


def test_cents_for_an_order_over_whole_shillings_lie_in_suspense(tz: Till) -> None:
    order = tz.order("15000")
    assert tz.snippe(snippe_body(order.reference, amount=15000.5)).status_code == 200
    assert billpay(tz, "x", "1000.50") == 200
    assert (str(tz.suspense("snippe")), str(tz.suspense("tigopesa"))) == ("15000.50", "1000.50")
    assert (tz.seen(order).state, tz.seen(order).parked) == ("pending", "15000.50 TZS came for it")
    assert tz.breaches() == []


def test_a_payment_that_cannot_be_read_is_an_alarm(tz: Till) -> None:
    with captured_log() as log:
        assert selcom(tz, reference=None) == 400
        levels = [line["level"] for line in log.lines() if line["event"] == "webhook_malformed"]
    assert (levels, tz.became()) == (["error"], ["malformed"])
