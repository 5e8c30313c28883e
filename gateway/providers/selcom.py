"""Selcom: its signed API for checkout orders and wallet cash-in, and the checkout's webhooks."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import structlog

from gateway import errors
from gateway.clock import Clock
from gateway.formats import strict_json
from gateway.providers.base import phones, reading, shillings, signatures, signed_fields, unusable
from gateway.providers.base import selcom as api
from gateway.providers.base.http import TIMEOUT_SECONDS
from gateway.providers.base.messages import (
    Answer,
    Asked,
    Callback,
    Decision,
    Kind,
    Malformed,
    Notice,
    Order,
    Outcome,
    Payout,
    Pushed,
    Status,
    Trust,
    Unauthorized,
)
from gateway.settings.providers import Selcom

NAME = "selcom"
PATH = "selcom/checkout"
COUNTRY_CODE = "+255"
SIGNED_AT_LEAST = ("transid", "order_id", "resultcode", "payment_status")
UTILITY = "CASHIN"  # Selcom finds the wallet's operator, also of a ported number

# The older sample writes resulcode (sic) in its body and resultcode in its Signed-Fields.
FORMS: Mapping[str, Mapping[str, str]] = {
    "as written": {},
    "resulcode": {"resultcode": "resulcode"},
}

# payment_status: the checkout pages for webhooks, order status and the list of orders.
PAYMENT: Mapping[str, Outcome] = {
    "COMPLETED": Outcome.SUCCEEDED,
    "COMPLETE": Outcome.SUCCEEDED,
    "PENDING": Outcome.PENDING,
    "INPROGRESS": Outcome.PENDING,
    "CANCELLED": Outcome.FAILED,
    "CANCEL": Outcome.FAILED,
    "USERCANCELED": Outcome.FAILED,
    "USERCANCELLED": Outcome.FAILED,
    "REJECTED": Outcome.FAILED,
}

log = structlog.get_logger()


class SelcomCheckout:
    """The checkout's webhook: it proves the order, never the amount, so the order is asked for."""

    path = PATH
    parts = ("",)
    books_as = NAME
    trust = Trust.QUERIED
    guarded = False
    allowed_addresses: Sequence[str] = ()

    def __init__(self, settings: Selcom) -> None:
        """Without an API secret nothing is believed."""
        self._secrets = settings.api_secret

    def authenticate(self, callback: Callback) -> None:
        """Raise `Unauthorized` unless the named fields are signed with one of our API secrets."""
        if callback.header("Digest-Method") != "HS256":
            raise Unauthorized("not HS256")  # RS256 wants a public key that nobody has published
        given, timestamp = callback.header("Digest"), callback.header("Timestamp")
        form, said = _signed(callback)
        text = signed_fields.text_to_sign(timestamp, said)
        if "&" in timestamp or not signatures.is_hmac_base64(given, self._secrets, text):
            raise Unauthorized("the digest does not fit")
        log.info("selcom_signed", form=form)

    def parse(self, callback: Callback) -> Notice:
        """What the signed fields say; a field that is not signed is not read."""
        _, said = _signed(callback)
        with reading.malformed():
            if not said["order_id"]:
                raise Malformed("no order_id")
            amount = shillings.received(said["amount"]) if said.get("amount") else None
            return Notice(
                kind=Kind.PAYMENT,
                outcome=_payment(said["resultcode"], said["payment_status"]),
                txn_id=reading.identifier(said, "reference"),
                reference=reading.identifier(said, "order_id"),
                amount=amount,
                currency=shillings.CURRENCY if amount else "",
                payer=reading.typed(said, "phone"),
                reason=reading.reason(said["payment_status"]),
            )

    def acknowledge(self, callback: Callback, notice: Notice, decision: Decision) -> Answer:
        """Selcom's own envelope; what it expects here is not published."""
        taken = decision is Decision.TAKEN
        code, result = (api.SUCCESS, "SUCCESS") if taken else ("400", "FAIL")
        return Answer(api.json_bytes({"resultcode": code, "result": result}))


class SelcomProvider:
    """Checkout orders and wallet cash-in; holds no connection and may be shared by threads."""

    name = NAME
    phone_prefixes = (COUNTRY_CODE,)
    currencies = (shillings.CURRENCY,)
    payout_amounts = shillings.PAYS

    def __init__(
        self,
        settings: Selcom,
        clock: Clock,
        *,
        public_url: str,
        timeout_seconds: tuple[float, float] = TIMEOUT_SECONDS,
    ) -> None:
        """Raise `Misconfigured` for settings that cannot work; `can_pay` where there is a float."""
        unusable.insist_on("GATEWAY_SELCOM_VENDOR", settings.vendor)
        unusable.insist_on_url("GATEWAY_PUBLIC_URL", public_url)
        self._api = api.Api(settings, clock, timeout_seconds)
        self._vendor = settings.vendor
        self._float, self._pin = settings.float_vendor, settings.float_pin
        self.can_pay = bool(settings.float_vendor)
        if self.can_pay:
            unusable.insist_on("GATEWAY_SELCOM_FLOAT_PIN", settings.float_pin)
        self._email = settings.buyer_email or f"payer@{urlsplit(public_url).hostname}"
        self._webhook = base64.b64encode(f"{public_url}/webhooks/{PATH}".encode()).decode()

    def push(self, order: Order) -> Pushed:
        """Create the order, then prompt the phone; both are safe to repeat until the prompt."""
        self._create(order)
        prompt = {
            "transid": order.reference,
            "order_id": order.reference,
            "msisdn": _phone(order.msisdn),
        }
        reply = self._api.post("/checkout/wallet-payment", prompt)
        code, found = api.said(reply)
        if reply.status < 300 and code in (api.SUCCESS, *api.IN_PROGRESS):
            return Pushed(provider_ref=api.identifier(found, "reference"))
        raise api.refusal(reply, code, found)

    def ask(self, asked: Asked) -> Status:
        """The order's status; an order that Selcom does not list is PENDING."""
        code, found = self._api.ask("/checkout/order-status", "order_id", asked.reference)
        row = _row(found, asked.reference)
        if code != api.SUCCESS or row is None:
            return Status(Outcome.PENDING, reason=reading.reason(found.get("message")))
        outcome = _payment(code, row.get("payment_status"))
        try:
            amount = None if row.get("amount") is None else shillings.received(row["amount"])
        except strict_json.InvalidJson:
            return Status(Outcome.PENDING, reason="an amount that cannot be read")
        txn_id = api.identifier(row, "reference") or api.identifier(row, "transid")
        reason = reading.reason(row.get("payment_status"))
        return Status(outcome, txn_id=txn_id, amount=amount, reason=reason)

    def _create(self, order: Order) -> None:
        """Nobody can pay before the prompt, so that nothing is unknown here, only not yet done."""
        fields: dict[str, str | int] = {
            "vendor": self._vendor,
            "order_id": order.reference,
            "buyer_email": self._email,
            "buyer_name": "Wallet top-up",
            "buyer_phone": _phone(order.msisdn),
            "amount": shillings.to_send(order.amount, order.currency),
            "currency": order.currency,
            "webhook": self._webhook,
            "buyer_remarks": "None",
            "merchant_remarks": "None",
            "no_of_items": 1,  # left out: 412
        }
        try:
            reply = self._api.post("/checkout/create-order-minimal", fields)
            code, found = api.said(reply)
            if reply.status < 300 and code == api.SUCCESS:
                return
            if not self._stands(order.reference):
                raise api.refusal(reply, code, found)
        except errors.OutcomeUnknown as error:
            raise errors.Unreachable(f"no order yet: {error.reason}") from None

    def _stands(self, reference: str) -> bool:
        """Whether an earlier try made the order: then it is refused as a duplicate now."""
        _, found = self._api.ask("/checkout/order-status", "order_id", reference)
        row = _row(found, reference)
        return row is not None and row.get("payment_status") == "PENDING"

    def pay(self, payout: Payout) -> Status:
        """Pay once; only a 2xx that says FAIL with a known kind of code is a refusal.

        It is known by its transid, and never sent under another one.
        """
        if not self.can_pay:
            raise errors.Refused("no payout float is set up", alarm=True)
        fields: dict[str, str | int] = {
            "transid": payout.reference,
            "utilitycode": UTILITY,
            "utilityref": _phone(payout.msisdn),
            "amount": str(shillings.to_send(payout.amount, payout.currency)),
            "vendor": self._float,
            "pin": self._pin,
        }
        reply = self._api.post("/walletcashin/process", fields)
        code, found = api.said(reply)
        outcome = api.became(code, found) if reply.status < 300 else None
        if outcome is Outcome.FAILED:
            alarm = code == api.BAD_REFERENCE
            raise errors.Refused(f"{code} {reading.reason(found.get('message'))}", alarm=alarm)
        if outcome is None:
            raise errors.OutcomeUnknown(f"HTTP {reply.status}, resultcode {code}")
        return _payout(outcome, found)

    def ask_payout(self, asked: Asked) -> Status:
        """What became of it; an unknown transid and an ambiguous code are PENDING alike."""
        code, found = self._api.ask("/walletcashin/query", "transid", asked.reference)
        outcome = api.became(code, found)
        named = found.get("transid")
        if named != asked.reference and (named or outcome is Outcome.FAILED):
            outcome = Outcome.PENDING  # of another payout, or of the question itself
        if outcome is Outcome.FAILED and code == api.BAD_REFERENCE:
            outcome = Outcome.PENDING  # perhaps the transid is what it does not know
        return _payout(outcome or Outcome.PENDING, found)


def _signed(callback: Callback) -> tuple[str, dict[str, str]]:
    """The form of the body, and its signed fields; `Unauthorized` when they cannot be read."""
    fields = signed_fields.names(callback, SIGNED_AT_LEAST)
    try:
        document = strict_json.document(callback.body)
    except strict_json.InvalidJson:
        raise Unauthorized("the signed fields cannot be read") from None
    form = "resulcode" if "resultcode" not in document else "as written"
    return form, signed_fields.signed(document, fields, FORMS[form])


def _phone(msisdn: str) -> str:
    return f"255{phones.subscriber(msisdn, COUNTRY_CODE)}"


def _payment(code: str, word: object) -> Outcome:
    """SUCCEEDED only where code and word agree; a word of no table is PENDING.

    >>> _payment("000", "COMPLETED"), _payment("111", "COMPLETED"), _payment("000", "completed")
    (<Outcome.SUCCEEDED: 'succeeded'>, <Outcome.PENDING: 'pending'>, <Outcome.PENDING: 'pending'>)
    """
    outcome = PAYMENT.get(word, Outcome.PENDING) if isinstance(word, str) else Outcome.PENDING
    return Outcome.PENDING if outcome is Outcome.SUCCEEDED and code != api.SUCCESS else outcome


def _row(found: Mapping[str, Any], order_id: str) -> dict[str, Any] | None:
    """The order's row of an answer; the list may be empty, or missing."""
    data = found.get("data")
    rows = data if isinstance(data, list) else []
    ours = (row for row in rows if isinstance(row, dict) and row.get("order_id") == order_id)
    return next(ours, None)


def _payout(outcome: Outcome, found: Mapping[str, Any]) -> Status:
    data = found.get("data")
    row = data[0] if isinstance(data, list) and data and isinstance(data[0], dict) else {}
    reference = api.identifier(found, "reference")
    return Status(
        outcome,
        txn_id=api.identifier(row, "receipt") or reference,
        provider_ref=reference,
        reason=reading.reason(found.get("message")),
    )
