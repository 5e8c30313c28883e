"""Snippe: signed webhooks of payments and payouts, and its collections and payouts in Tanzania.

snippe.sh/docs/2026-01-25. The signature covers the amount, so that a webhook is credited as it is.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, TypeGuard
from urllib.parse import quote, urlsplit

from gateway import errors
from gateway.formats import strict_json
from gateway.providers.base import http, phones, reading, shillings, unusable, verdicts
from gateway.providers.base.messages import (
    ID_CHARACTERS_MAX,
    Answer,
    Asked,
    Callback,
    Decision,
    Kind,
    Notice,
    Order,
    Outcome,
    Payout,
    Pushed,
    Status,
    Trust,
    Unauthorized,
)
from gateway.providers.base.signatures import is_hmac_hex
from gateway.settings.providers import Snippe

NAME = "snippe"
COUNTRY_CODE = "+255"
WINDOW_SECONDS = 300
LISTED_MAX = "100"  # of our latest payments, among which one without its id is looked for
TIMESTAMP = re.compile(r"[0-9]{1,12}", re.ASCII)
# Snippe wants a name and an address of whoever pays or is paid; we know a phone and no more.
FIRST_NAME, LAST_NAME = "Wallet", "Holder"

EVENTS: Mapping[str, tuple[Kind, Outcome]] = {
    "payment.completed": (Kind.PAYMENT, Outcome.SUCCEEDED),
    "payment.failed": (Kind.PAYMENT, Outcome.FAILED),
    "payment.voided": (Kind.PAYMENT, Outcome.FAILED),
    "payment.expired": (Kind.PAYMENT, Outcome.FAILED),
    "payout.completed": (Kind.PAYOUT, Outcome.SUCCEEDED),
    "payout.failed": (Kind.PAYOUT, Outcome.FAILED),
    "payout.reversed": (Kind.PAYOUT, Outcome.REVERSED),
}
STATUSES: Mapping[str, Outcome] = {
    "pending": Outcome.PENDING,
    "completed": Outcome.SUCCEEDED,
    "failed": Outcome.FAILED,
    "voided": Outcome.FAILED,
    "expired": Outcome.FAILED,
    "reversed": Outcome.REVERSED,
}

# Words of error_code that leave it open, whatever the status. A 422 does so too: the key was used
# before with another body, so that an earlier request stands (references/errors.md).
PERHAPS_TAKEN = ("PAY_001",)
NOT_FOUND = 404


class SnippeDialect:
    """`/webhooks/snippe`: every event of our account."""

    path = NAME
    parts = ("",)
    books_as = NAME
    trust = Trust.SIGNED
    guarded = False
    allowed_addresses: Sequence[str] = ()

    def __init__(self, settings: Snippe) -> None:
        """Without a webhook secret nothing is believed."""
        self._secrets = settings.webhook_secret

    def authenticate(self, callback: Callback) -> None:
        """hex(HMAC-SHA256(secret, timestamp "." body)); its age is judged by `parse`."""
        timestamp = callback.header("X-Webhook-Timestamp")
        signature = callback.header("X-Webhook-Signature")
        if not TIMESTAMP.fullmatch(timestamp):
            raise Unauthorized("no timestamp in unix seconds")
        if not is_hmac_hex(signature, self._secrets, timestamp.encode() + b"." + callback.body):
            raise Unauthorized("the signature does not match")

    def parse(self, callback: Callback) -> Notice:
        """An event by its type; one signed outside the window is PENDING, to be asked about.

        Whether a retry after minutes is signed anew is not documented: a refusal could lose it,
        and a credit could be somebody's replay.
        """
        with reading.malformed():
            notice = _notice(strict_json.document(callback.body))
        signed_at = int(callback.header("X-Webhook-Timestamp"))
        if abs(callback.received_at.timestamp() - signed_at) > WINDOW_SECONDS:
            return replace(notice, outcome=Outcome.PENDING, reason="signed outside the window")
        return notice

    def acknowledge(self, callback: Callback, notice: Notice, decision: Decision) -> Answer:
        """Any 2xx within 30 s ends the repeats."""
        return Answer(b'{"received":true}')


class SnippeProvider:
    """Collections and payouts; holds no connection and may be shared by threads."""

    name = NAME
    phone_prefixes = (COUNTRY_CODE,)
    currencies = (shillings.CURRENCY,)
    payout_amounts = replace(shillings.PAYS, least=Decimal("5000.00"))
    can_pay = True

    def __init__(
        self,
        settings: Snippe,
        *,
        public_url: str,
        timeout_seconds: tuple[float, float] = http.TIMEOUT_SECONDS,
    ) -> None:
        """Raise `Misconfigured` for settings that cannot work."""
        unusable.insist_on("GATEWAY_SNIPPE_API_KEY", settings.api_key)
        unusable.insist_on_url("GATEWAY_SNIPPE_BASE_URL", settings.base_url)
        unusable.insist_on_url("GATEWAY_PUBLIC_URL", public_url)
        self._line = http.Line(settings.base_url, timeout_seconds)
        self._authorization = {"Authorization": f"Bearer {settings.api_key}"}
        self._webhook = f"{public_url}/webhooks/{NAME}"
        self._email = settings.customer_email or f"payments@{urlsplit(public_url).hostname}"

    def push(self, order: Order) -> Pushed:
        """Ask the phone to pay; the same order again gets the first answer for 24 h."""
        amount = shillings.to_send(order.amount, order.currency)
        request = {
            "payment_type": "mobile",
            "details": {"amount": amount, "currency": shillings.CURRENCY},
            "phone_number": _phone(order.msisdn),
            "customer": {"firstname": FIRST_NAME, "lastname": LAST_NAME, "email": self._email},
        }
        status = self._send("/payments", order.reference, request)
        return Pushed(provider_ref=status.provider_ref)

    def ask(self, asked: Asked) -> Status:
        """By Snippe's reference; without one, our reference among the phone's payments."""
        search = {"phone_number": asked.msisdn.removeprefix("+"), "limit": LISTED_MAX}
        return self._ask("/payments", asked, "/payments/search", search)

    def pay(self, payout: Payout) -> Status:
        """Pay; the same payout again gets the first answer, but only for 24 h."""
        request = {
            "amount": shillings.to_send(payout.amount, payout.currency),
            "channel": "mobile",
            "recipient_phone": _phone(payout.msisdn),
            "recipient_name": f"{FIRST_NAME} {LAST_NAME}",
            "narration": payout.reference,
        }
        return self._send("/payouts/send", payout.reference, request)

    def ask_payout(self, asked: Asked) -> Status:
        """By Snippe's reference; without one, our reference among the latest payouts."""
        return self._ask("/payouts", asked, "/payouts", {"channel": "mobile", "limit": LISTED_MAX})

    def fee(self, amount: Decimal) -> Decimal:
        """What Snippe takes for a payout of this amount, in shillings; zero where it says so."""
        params = {"amount": str(shillings.to_send(amount, shillings.CURRENCY))}
        reply = self._line.get("/payouts/fee", headers=self._authorization, params=params)
        with reading.answered():
            stated = reading.within(_document(reply), "data").get("fee_amount")
            return Decimal("0.00") if stated == "0" else shillings.received(stated)

    def _send(self, path: str, reference: str, request: dict[str, Any]) -> Status:
        request |= {"webhook_url": self._webhook, "metadata": {"order_id": reference}}
        # The key has 30 characters at most; our references have 12.
        key = {"Content-Type": "application/json", "Idempotency-Key": reference}
        body = json.dumps(request).encode()
        reply = self._line.post(path, body=body, headers=self._authorization | key)
        with reading.answered():
            status = _status(reading.within(_document(reply), "data"))
        if status.outcome == Outcome.FAILED:
            raise errors.Refused(status.reason or "failed at once")
        if not status.provider_ref:
            raise errors.OutcomeUnknown("the answer names no reference")
        return status

    def _ask(self, path: str, asked: Asked, listing: str, search: Mapping[str, str]) -> Status:
        one = f"{path}/{quote(asked.provider_ref, safe='')}" if asked.provider_ref else listing
        params = None if asked.provider_ref else search
        reply = self._line.get(one, headers=self._authorization, params=params)
        if reply.status == NOT_FOUND:
            return Status(Outcome.PENDING, reason="not found")
        with reading.answered():
            found = _document(reply).get("data")
            listed = found if isinstance(found, list) else [found]
            ours = [data for data in listed if _is_ours(data, asked)]
            if len(ours) == 1:
                return _status(ours[0])
        if ours or not isinstance(found, list):
            raise errors.OutcomeUnknown("the answer is about another payment")
        return Status(Outcome.PENDING, reason="not among the latest")


def _notice(event: dict[str, Any]) -> Notice:
    """An event in our words; raises `InvalidJson`, also for what has no type or nothing in it."""
    data = event.get("data")
    if not isinstance(data, dict) or event.get("type") is None:
        raise strict_json.InvalidJson("no event: its type or its data is missing")
    kind, outcome = _meaning(strict_json.text(event, "type"), _word(data))
    money = reading.within(data, "amount")
    amount = shillings.received(money["value"]) if money.get("value") is not None else None
    currency = strict_json.text(money, "currency")
    if outcome == Outcome.SUCCEEDED and (amount is None or currency != shillings.CURRENCY):
        outcome = Outcome.PENDING
    person = reading.within(data, "recipient" if kind == Kind.PAYOUT else "customer")
    return Notice(
        kind=kind,
        outcome=outcome,
        txn_id=reading.identifier(data, "external_reference"),
        reference=_our_reference(data),
        provider_ref=reading.identifier(data, "reference"),
        amount=amount,
        currency=currency,
        payer=reading.typed(person, "phone"),
        event_id=reading.identifier(event, "id"),
        occurred_at=reading.instant(
            data.get("completed_at") or data.get("failed_at") or event.get("created_at")
        ),
        reason=reading.reason(data.get("failure_reason")),
    )


def _meaning(event: str, status: str) -> tuple[Kind, Outcome]:
    """What an event's type says; PENDING for an unknown one, and where `status` contradicts.

    >>> _meaning("payment.completed", "completed")[1], _meaning("payment.completed", "failed")[1]
    (<Outcome.SUCCEEDED: 'succeeded'>, <Outcome.PENDING: 'pending'>)
    """
    otherwise = Kind.PAYOUT if event.startswith("payout.") else Kind.PAYMENT
    kind, outcome = EVENTS.get(event, (otherwise, Outcome.PENDING))
    agrees = not status or STATUSES.get(status) == outcome
    return kind, outcome if agrees else Outcome.PENDING


def _status(data: dict[str, Any]) -> Status:
    """What a payment or payout says of itself; raises `InvalidJson`."""
    outcome = STATUSES.get(_word(data), Outcome.PENDING)
    value = reading.within(data, "amount").get("value")
    return Status(
        outcome,
        txn_id=reading.identifier(data, "external_reference"),
        provider_ref=reading.identifier(data, "reference"),
        amount=None if value is None else shillings.received(value),
        reason=reading.reason(data.get("failure_reason")),
    )


def _document(reply: http.Reply) -> dict[str, Any]:
    """The answer to a request that was taken; raises what any other stands for."""
    if reply.status in verdicts.TAKEN:
        return reply.document()
    try:
        word = reading.reason(reply.document().get("error_code"))
    except errors.OutcomeUnknown:
        word = ""  # a proxy's own page
    if word in PERHAPS_TAKEN:
        raise errors.OutcomeUnknown(word)
    raise verdicts.of(reply.status, word)


def _is_ours(data: object, asked: Asked) -> TypeGuard[dict[str, Any]]:
    """Whether it is what was asked for, by Snippe's reference and, where it is echoed, ours."""
    if not isinstance(data, dict):
        return False
    ours, theirs = _our_reference(data), data.get("reference")
    if not asked.provider_ref:
        return ours == asked.reference
    return theirs == asked.provider_ref and ours in ("", asked.reference)


def _our_reference(data: dict[str, Any]) -> str:
    """What we sent as metadata; "" for a payment that others began on the same account."""
    metadata = data.get("metadata")
    order_id = metadata.get("order_id") if isinstance(metadata, dict) else None
    fits = isinstance(order_id, str) and len(order_id) <= ID_CHARACTERS_MAX
    return str(order_id) if fits and str(order_id).isprintable() else ""


def _word(data: dict[str, Any]) -> str:
    return strict_json.text(data, "status")


def _phone(msisdn: str) -> str:
    return f"255{phones.subscriber(msisdn, COUNTRY_CODE)}"
