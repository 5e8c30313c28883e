"""Signed deposits: the orders they pay, and the webhooks about them as Snippe sends them."""

import hashlib
import hmac
import json
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from bench.load import Exchange, post_bytes
from gateway.deposits import references

PATH = "/webhooks/snippe"
SECRET = "bench-webhook-secret"
PROVIDER = "snippe"
AMOUNT = "500.00"
CURRENCY = "TZS"
ACKNOWLEDGED = b'{"received":true}'


class Topup(NamedTuple):
    """An order of ours that a phone has been asked to pay."""

    reference: str  # ours
    provider_ref: str
    phone: str  # E.164


def topups(count: int, phones: Sequence[str]) -> list[Topup]:
    """So many orders, the phones in turn.

    >>> one, two = topups(2, ["+255700000001"])
    >>> one.phone == two.phone, one.reference == two.reference, two.provider_ref
    (True, False, 'pi_bench1')
    """
    return [
        Topup(references.new(), f"pi_bench{number}", phones[number % len(phones)])
        for number in range(count)
    ]


def phones(count: int) -> list[str]:
    """The payers, in E.164."""
    return [f"+2557{number:08d}" for number in range(count)]


def webhook(topup: Topup) -> Exchange:
    """The signed event that this order was paid, and the answer that ends its repeats."""
    body = event(topup, datetime.now(UTC))
    timestamp = str(int(time.time()))
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Snippe-Webhook/1.0",
        "X-Webhook-Event": "payment.completed",
        "X-Webhook-Timestamp": timestamp,
        "X-Webhook-Signature": signature(timestamp, body),
    }
    return Exchange(post_bytes(PATH, headers, body), ACKNOWLEDGED)


def signature(timestamp: str, body: bytes) -> str:
    """hex(HMAC-SHA256(secret, timestamp "." body)).

    >>> signature("1", b"{}")[:16]
    'cf56a4bb7baa229f'
    """
    message = timestamp.encode() + b"." + body
    return hmac.digest(SECRET.encode(), message, hashlib.sha256).hex()


def event(topup: Topup, at: datetime) -> bytes:
    """The body, as long as a real one."""
    value, fee = int(AMOUNT.partition(".")[0]), 10
    amount = {"value": value, "currency": CURRENCY}
    when = at.isoformat(timespec="seconds").replace("+00:00", "Z")
    data = {
        "reference": topup.provider_ref,
        "external_reference": f"TX{topup.reference}",
        "status": "completed",
        "amount": amount,
        "settlement": {
            "gross": amount,
            "fees": {"value": fee, "currency": CURRENCY},
            "net": {"value": value - fee, "currency": CURRENCY},
        },
        "channel": {"type": "mobile_money", "provider": "mpesa"},
        "customer": {"phone": topup.phone, "name": "Test Payer", "email": "payer@example.test"},
        "metadata": {"order_id": topup.reference},
        "completed_at": when,
    }
    whole = {
        "id": f"evt_{topup.reference}",
        "type": "payment.completed",
        "api_version": "2026-01-25",
        "created_at": when,
        "data": data,
    }
    return json.dumps(whole, separators=(",", ":")).encode()
