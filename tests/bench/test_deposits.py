"""Signed deposits: what the bench sends, and what it counts as a wrong credit."""

import json
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from bench import floor_topups, topups
from bench.load import Measured
from bench.servers import Server
from bench.storm import Storm
from bench.topups import Topup
from bench.webhooks import Payee, faults, rows
from gateway.clock import Clock
from gateway.providers.base.messages import Callback, Unauthorized
from gateway.providers.snippe import SnippeDialect
from gateway.settings.providers import Snippe

ORDER = Topup("D2345BCDF", "pi_bench1", "+255700000001")


def callback(order: Topup) -> Callback:
    """The bench's request as the product reads it."""
    head, _, body = topups.webhook(order).request.partition(b"\r\n\r\n")
    headers = [line.split(": ", 1) for line in head.decode().split("\r\n")[1:]]
    named = [(name, value) for name, value in headers]
    return Callback("", named, body, "127.0.0.1", Clock().now())


def payee(name: str, slowest_ms: float, errors: int = 0) -> Payee:
    made = Payee(name, Server(0, 0), [ORDER])
    made.rounds = [Measured(1.0, [5.0] * (100 if name == "floor" else 70))]
    made.storm = Storm(Measured(1.0, [5.0, slowest_ms], errors))
    return made


def test_both_sides_believe_the_bench_and_nobody_else() -> None:
    sent = callback(ORDER)
    timestamp, signature = (
        sent.header("X-Webhook-Timestamp"),
        sent.header("X-Webhook-Signature"),
    )
    dialect = SnippeDialect(Snippe(webhook_secret=(topups.SECRET,)))
    dialect.authenticate(sent)
    assert floor_topups.is_signed(timestamp, signature, sent.body)
    assert not floor_topups.is_signed(timestamp, signature, sent.body + b" ")
    with pytest.raises(Unauthorized):
        SnippeDialect(Snippe(webhook_secret=("another",))).authenticate(sent)


def test_the_product_reads_the_order_and_its_amount() -> None:
    sent = callback(ORDER)
    notice = SnippeDialect(Snippe(webhook_secret=(topups.SECRET,))).parse(sent)
    assert (notice.reference, notice.provider_ref) == (ORDER.reference, ORDER.provider_ref)
    assert (str(notice.amount), notice.currency) == (topups.AMOUNT, topups.CURRENCY)


def test_each_order_has_a_body_of_its_own() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    one, two = (json.loads(topups.event(order, now)) for order in topups.topups(2, ["+255700"]))
    assert one["id"] != two["id"]
    assert one["data"]["external_reference"] != two["data"]["external_reference"]


@pytest.mark.parametrize(
    ("credits", "wrong"),
    [
        ({"D2345BCDF": (1, Decimal("500.00"))}, 0),
        ({"D2345BCDF": (2, Decimal("1000.00"))}, 1),
        ({"D2345BCDF": (1, Decimal("499.00"))}, 1),
        ({}, 1),
        ({"D2345BCDF": (1, Decimal("500.00")), "other": (1, Decimal("500.00"))}, 1),
    ],
)
def test_whatever_is_not_one_credit_of_the_amount_is_wrong(
    credits: dict[str, tuple[int, Decimal]], wrong: int
) -> None:
    assert len(faults([ORDER], credits)) == wrong


def test_the_storm_is_judged_by_our_slowest_answer_and_by_every_error() -> None:
    webhook, storm = rows(payee("ours", 1_400.0), payee("floor", 90.0), wrong=0)
    assert (webhook.ratio, webhook.verdict) == (0.7, "met")
    assert (storm.ours, storm.floor, storm.verdict) == (1.4, 0.09, "met")
    assert rows(payee("ours", 1_600.0), payee("floor", 90.0), 0)[1].verdict == "missed"
    assert rows(payee("ours", 1_400.0), payee("floor", 90.0), 1)[1].verdict == "missed"
    assert rows(payee("ours", 1_400.0), payee("floor", 9.0, errors=1), 0)[1].verdict == "missed"
