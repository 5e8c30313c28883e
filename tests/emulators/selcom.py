"""Selcom's gateway over real HTTP on loopback: it checks every signature and keeps its books."""

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from typing import Any

from tests.emulators.provider import ProviderApi, Request, Said

KEY, SECRET, PIN = "synthetic-selcom-key", "synthetic-selcom-secret", "2468"
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+03:00")
CREATE, PROMPT = "/checkout/create-order-minimal", "/checkout/wallet-payment"
STATUS, PROCESS, QUERY = "/checkout/order-status", "/walletcashin/process", "/walletcashin/query"
NEEDED = ("vendor", "order_id", "buyer_email", "buyer_name", "buyer_phone", "amount", "currency")
WEBHOOK_FIELDS = ("transid", "order_id", "reference", "result", "resultcode", "payment_status")


def said(code: str, result: str, **more: Any) -> dict[str, Any]:
    """The envelope of every answer."""
    return {"resultcode": code, "result": result, **more}


def digest(secret: str, timestamp: str, pairs: Mapping[str, Any]) -> str:
    """HS256 as the vendor's pages describe it, written here anew."""
    text = f"timestamp={timestamp}" + "".join(f"&{name}={pairs[name]}" for name in pairs)
    return base64.b64encode(
        hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest()
    ).decode()


class SelcomApi(ProviderApi):
    """Orders stay PENDING until `pay_order`; payouts are paid at once, unless scripted."""

    prefix = "/v1"

    def __init__(self) -> None:
        super().__init__()
        self.orders: dict[str, dict[str, Any]] = {}
        self.prompts: list[dict[str, Any]] = []
        self.payouts: dict[str, dict[str, Any]] = {}

    def answer(self, request: Request) -> Said:
        """401 for a signature that does not fit, then as the path says."""
        fields = request.query if request.method == "GET" else request.document
        if not _is_signed(request, fields):
            return 401, said("401", "FAIL", message="Unauthorized")
        paths = {
            CREATE: self._create,
            PROMPT: self._prompt,
            STATUS: self._status,
            PROCESS: self._process,
            QUERY: self._query,
        }
        return paths[request.path](fields)

    def pay_order(self, order_id: str, status: str = "COMPLETED", channel_id: str = "CH1") -> None:
        """Let the payer enter the PIN, or something else happen."""
        paid = status == "COMPLETED"
        self.orders[order_id] |= {
            "payment_status": status,
            "transid": channel_id if paid else None,
            "channel": "TIGOPESATZ" if paid else None,
            "reference": f"9{len(self.orders):09}" if paid else None,
        }

    def webhook(self, order_id: str, secret: str = SECRET) -> tuple[list[tuple[str, str]], bytes]:
        """The headers and the body of the notice about an order."""
        order = self.orders[order_id]
        body = {
            "result": "SUCCESS",
            "resultcode": "000",
            "order_id": order_id,
            "transid": order_id,
            "reference": order["reference"],
            "channel": order["channel"],
            "amount": order["amount"],
            "phone": "255700000001",
            "payment_status": order["payment_status"],
        }
        timestamp = "2026-01-01T12:00:00+03:00"
        pairs = {name: body[name] for name in WEBHOOK_FIELDS}
        headers = [
            ("Content-Type", "application/json"),
            ("Timestamp", timestamp),
            ("Digest-Method", "HS256"),
            ("Signed-Fields", ",".join(WEBHOOK_FIELDS)),
            ("Digest", digest(secret, timestamp, pairs)),
        ]
        return headers, json.dumps(body).encode()

    def _create(self, fields: dict[str, Any]) -> Said:
        if not all(fields.get(name) for name in NEEDED) or "no_of_items" not in fields:
            return 412, said("412", "FAIL", message="Missing field")
        if fields["order_id"] in self.orders:
            return 200, said("400", "FAIL", message="Duplicate order")
        self.orders[fields["order_id"]] = {
            "order_id": fields["order_id"],
            "creation_date": "2026-01-01 12:00:00",
            "amount": str(fields["amount"]),
            "payment_status": "PENDING",
            "transid": None,
            "channel": None,
            "reference": None,
            "msisdn": None,
        }
        return 200, said("000", "SUCCESS", reference="0000000001", data=[{"payment_token": "1"}])

    def _prompt(self, fields: dict[str, Any]) -> Said:
        if fields["order_id"] not in self.orders:
            return 200, said("010", "FAIL", message="Order not found")
        self.prompts.append(fields)
        return 200, said("111", "PENDING", reference="0000000002", data=[])

    def _status(self, fields: dict[str, Any]) -> Said:
        order = self.orders.get(fields["order_id"])
        if order is None:
            return 200, said("000", "SUCCESS", message="No order", data=[])
        return 200, said("000", "SUCCESS", reference="0000000003", data=[order])

    def _process(self, fields: dict[str, Any]) -> Said:
        if fields["pin"] != PIN:
            return 200, said("403", "FAIL", message="Wrong PIN")
        if fields["transid"] in self.payouts:
            return 200, said("410", "FAIL", message="Duplicate transid")
        self.payouts[fields["transid"]] = fields
        return self._paid(fields["transid"])

    def _query(self, fields: dict[str, Any]) -> Said:
        if fields["transid"] not in self.payouts:
            return 200, said("999", "AMBIGUOUS", transid=fields["transid"], data=[])
        return self._paid(fields["transid"])

    def _paid(self, transid: str) -> Said:
        row = {"receipt": f"R{transid}"}
        return 200, said("000", "SUCCESS", transid=transid, reference="0000000004", data=[row])


def _is_signed(request: Request, fields: Mapping[str, Any]) -> bool:
    given = request.headers
    names = given.get("signed-fields", "").split(",")
    key = base64.b64encode(KEY.encode()).decode()
    return (
        given.get("authorization") == f"SELCOM {key}"
        and given.get("digest-method") == "HS256"
        and TIMESTAMP.fullmatch(given.get("timestamp", "")) is not None
        and names == list(fields)
        and given.get("digest") == digest(SECRET, given["timestamp"], fields)
    )
