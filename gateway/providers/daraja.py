"""Daraja, M-Pesa of Safaricom in Kenya: STK pushes and B2C payouts.

Its callbacks are read in daraja_callbacks.py. Read in a copy of Safaricom's portal pages
(MpesaExpress, MpesaExpressQuery, B2C, TransactionStatus, 2025-12); never tried on a live account.
"""

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gateway import errors
from gateway.clock import Clock
from gateway.providers.base import http, phones, reading, unusable
from gateway.providers.base.bearer import Bearer, lifetime_seconds
from gateway.providers.base.daraja import CURRENCY, NAIROBI, NAME, STAMP, question, stk_outcome
from gateway.providers.base.messages import WHOLE, Asked, Order, Outcome, Payout, Pushed, Status
from gateway.settings.providers import Daraja

RETRY_SECONDS = 60
OPERATOR_SECONDS = 300  # until the next try of what waits for an operator
TOKEN_CHARACTERS_MAX = 4_000
COUNTRY_CODE = "+254"
SHORTCODE = re.compile(r"[0-9]{5,7}\Z")
REFUSED_IN_URLS = ("mpesa", "safaricom", "exe", "cmd", "sql", "query")

BEING_PROCESSED = "500.001.1001"  # to a query; to a push: why it shows no prompt
ALREADY_RECEIVED = "500.002.1001"  # to a payout: its id was seen before; also: maintenance
TOKEN_REFUSED = ("400.003.01", "401.002.01", "401.003.01", "404.001.03", "404.001.04")
LATER = ("429.001.01", "500.003.02", "500.003.03")  # spike arrest, busy, quota: not passed on
BAD_REQUEST = "400."


class DarajaProvider:
    """Collections and payouts; may be shared by threads, which share one access token."""

    name = NAME
    phone_prefixes: Sequence[str] = (COUNTRY_CODE,)
    currencies: Sequence[str] = (CURRENCY,)
    payout_amounts = WHOLE

    def __init__(
        self,
        settings: Daraja,
        clock: Clock,
        *,
        public_url: str,
        callback_secret: str,
        timeout_seconds: tuple[float, float] = http.TIMEOUT_SECONDS,
    ) -> None:
        """Raise `Misconfigured` for settings that cannot work; `can_pay` where B2C is set up."""
        _check(settings)
        self._callbacks = _callbacks(public_url, callback_secret)
        self._settings = settings
        self._clock = clock
        self._line = http.Line(settings.base_url, timeout_seconds)
        self._token = Bearer(self._new_token, clock)
        self.can_pay = bool(settings.initiator)

    def push(self, order: Order) -> Pushed:
        """Show the phone its prompt; whole shillings only."""
        phone, amount = _checked(order)
        answer = self._call(
            "/mpesa/stkpush/v1/processrequest",
            {
                **self._password(),
                "TransactionType": "CustomerPayBillOnline",
                "Amount": amount,
                "PartyA": phone,
                "PartyB": self._settings.shortcode,
                "PhoneNumber": phone,
                "CallBackURL": f"{self._callbacks}/stk",
                "AccountReference": order.reference,
                "TransactionDesc": "Top up",
            },
        )
        if answer.code == BEING_PROCESSED:
            raise errors.Refused(answer.reason)  # a locked subscriber, an unknown merchant
        checkout = reading.word(answer.taken(), "CheckoutRequestID")
        if answer.response != "0":
            raise errors.Refused(answer.reason)
        if not checkout:
            raise errors.OutcomeUnknown("taken without a CheckoutRequestID")
        return Pushed(provider_ref=checkout)

    def ask(self, asked: Asked) -> Status:
        """Query a push by its CheckoutRequestID; one whose id never reached us cannot be told."""
        if not asked.provider_ref:
            return Status(Outcome.PENDING, reason="no CheckoutRequestID to ask by")
        answer = self._call(
            "/mpesa/stkpushquery/v1/query",
            {**self._password(), "CheckoutRequestID": asked.provider_ref},
        )
        if answer.code == BEING_PROCESSED or answer.code.startswith(BAD_REQUEST):
            return Status(Outcome.PENDING, provider_ref=asked.provider_ref, reason=answer.reason)
        outcome = stk_outcome(answer.taken())
        return Status(
            outcome if answer.response == "0" else Outcome.PENDING,
            provider_ref=asked.provider_ref,
            reason=answer.reason,
        )

    def pay(self, payout: Payout) -> Status:
        """Order a B2C payment under our reference; PENDING is the best that can be known here."""
        phone, amount = _checked(payout)
        answer = self._call(
            "/mpesa/b2c/v3/paymentrequest",
            {
                "OriginatorConversationID": payout.reference,
                "InitiatorName": self._initiator(),
                "SecurityCredential": self._settings.security_credential,
                "CommandID": "BusinessPayment",
                "Amount": amount,
                "PartyA": self._settings.shortcode,
                "PartyB": phone,
                "Remarks": "Withdrawal",
                **self._result_urls(),
                "Occassion": payout.reference,  # spelt so in the API
            },
        )
        if answer.code == ALREADY_RECEIVED:
            return Status(Outcome.PENDING, reason=answer.reason)
        taken = answer.taken()
        if answer.response != "0":
            raise errors.OutcomeUnknown(answer.reason)
        return Status(Outcome.PENDING, provider_ref=reading.word(taken, "ConversationID"))

    def ask_payout(self, asked: Asked) -> Status:
        """Send the question; always PENDING, as the answer comes as a callback to `b2c/result`.

        The question carries a proof that only we can make and that the answer echoes, so that
        `DarajaB2c` can tell an answer to us from anybody's.
        """
        answer = self._call(
            "/mpesa/transactionstatus/v1/query",
            {
                "Initiator": self._initiator(),
                "SecurityCredential": self._settings.security_credential,
                "CommandID": "TransactionStatusQuery",
                "TransactionID": "",
                "OriginatorConversationID": asked.reference,
                "PartyA": self._settings.shortcode,
                "IdentifierType": "4",  # a short code
                **self._result_urls(),
                "Remarks": "Withdrawal",
                "Occasion": question(self._settings.consumer_secret, asked.reference),
            },
        )
        if not answer.code.startswith(BAD_REQUEST):
            answer.taken()
        return Status(Outcome.PENDING, provider_ref=asked.provider_ref, reason=answer.reason)

    def _call(self, path: str, members: Mapping[str, object]) -> "_Answer":
        """Post with an access token; one that is refused was not acted on, so that one more try
        with a new one is safe."""
        body = json.dumps(members).encode()
        for _ in range(2):
            token = self._token.token()
            headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            answer = _read(self._line.post(path, body=body, headers=headers))
            if answer.code not in TOKEN_REFUSED:
                return answer
            self._token.drop(token)
        raise errors.Throttled("access token refused", OPERATOR_SECONDS, alarm=True)

    def _new_token(self) -> tuple[str, int]:
        pair = f"{self._settings.consumer_key}:{self._settings.consumer_secret}".encode()
        basic = {"Authorization": f"Basic {base64.b64encode(pair).decode()}"}
        grant = {"grant_type": "client_credentials"}
        try:
            reply = self._line.get("/oauth/v1/generate", headers=basic, params=grant)
            if reply.status in (400, 401, 403):  # with an empty body
                raise errors.Throttled("credentials refused", OPERATOR_SECONDS, alarm=True)
            found = reply.document()
        except errors.OutcomeUnknown as error:  # of this alone: nothing about money was sent
            raise errors.Unreachable(f"no access token: {error.reason}") from None
        token = reading.word(found, "access_token", TOKEN_CHARACTERS_MAX)
        if reply.status != 200 or not token.isascii() or not token:
            raise errors.Throttled(f"no access token, HTTP {reply.status}", RETRY_SECONDS)
        return token, lifetime_seconds(found.get("expires_in"))

    def _password(self) -> dict[str, str]:
        stamp = self._clock.now().astimezone(NAIROBI).strftime(STAMP)
        shortcode = self._settings.shortcode
        password = base64.b64encode(f"{shortcode}{self._settings.passkey}{stamp}".encode()).decode()
        return {"BusinessShortCode": shortcode, "Password": password, "Timestamp": stamp}

    def _initiator(self) -> str:
        if not self.can_pay:
            raise errors.Refused("payouts are not set up", alarm=True)
        return self._settings.initiator

    def _result_urls(self) -> dict[str, str]:
        return {
            "QueueTimeOutURL": f"{self._callbacks}/b2c/timeout",
            "ResultURL": f"{self._callbacks}/b2c/result",
        }


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer of the API: what it took, or the error code under which it did not."""

    status: int
    code: str  # "" when it was taken
    response: str  # ResponseCode: "0" says taken, never paid
    reason: str
    found: Mapping[str, Any] = field(repr=False)

    def taken(self) -> Mapping[str, Any]:
        """The answer to a request that was taken; raises what is known of one that was not."""
        words = f"{self.code} {self.reason}".strip()
        if self.status == 429 or self.code in LATER:
            raise errors.Throttled(words or "rate limit", RETRY_SECONDS)
        if self.code.startswith(BAD_REQUEST):
            raise errors.Refused(words)
        if self.code or self.status != 200:
            raise errors.OutcomeUnknown(words or f"HTTP {self.status}")
        return self.found


def _read(reply: http.Reply) -> _Answer:
    found = {} if reply.status == 429 else reply.document()
    said = ("errorMessage", "ResultDesc", "ResponseDescription")
    return _Answer(
        status=reply.status,
        code=reading.word(found, "errorCode"),
        response=reading.word(found, "ResponseCode"),
        reason=next((text for name in said if (text := reading.reason(found.get(name)))), ""),
        found=found,
    )


def _checked(request: Order | Payout) -> tuple[str, int]:
    """The phone without its plus and the amount in shillings; `Refused` for what cannot work."""
    phone = f"254{phones.subscriber(request.msisdn, COUNTRY_CODE)}"
    if request.currency != CURRENCY:
        raise errors.Refused("only Kenyan shillings")
    if request.amount <= 0 or request.amount != request.amount.to_integral_value():
        raise errors.Refused("not an amount of whole shillings")
    return phone, int(request.amount)


def _check(settings: Daraja) -> None:
    for name in ("consumer_key", "consumer_secret", "shortcode", "passkey"):
        unusable.insist_on(f"GATEWAY_DARAJA_{name.upper()}", getattr(settings, name))
    if not SHORTCODE.match(settings.shortcode):
        raise errors.Misconfigured("GATEWAY_DARAJA_SHORTCODE must be 5 to 7 digits")
    if settings.initiator or settings.security_credential:
        unusable.insist_on("GATEWAY_DARAJA_INITIATOR", settings.initiator)
        unusable.insist_on("GATEWAY_DARAJA_SECURITY_CREDENTIAL", settings.security_credential)
    unusable.insist_on_url("GATEWAY_DARAJA_BASE_URL", settings.base_url)


def _callbacks(public_url: str, secret: str) -> str:
    """Where Safaricom calls us; it refuses URLs with certain words in them, whatever the place.

    >>> _callbacks("https://pay.example.com", "5ec2e7")
    'https://pay.example.com/webhooks/daraja/5ec2e7'
    >>> _callbacks("https://mpesa.example.com", "5ec2e7")
    Traceback (most recent call last):
    gateway.errors.Misconfigured: GATEWAY_PUBLIC_URL: Safaricom refuses URLs with "mpesa" in them
    """
    unusable.insist_on_url("GATEWAY_PUBLIC_URL", public_url)
    unusable.insist_on("GATEWAY_CALLBACK_SECRET", secret)
    for setting, text in (("GATEWAY_PUBLIC_URL", public_url), ("GATEWAY_CALLBACK_SECRET", secret)):
        for word in REFUSED_IN_URLS:
            if word in text.lower():
                raise errors.Misconfigured(
                    f'{setting}: Safaricom refuses URLs with "{word}" in them'
                )
    return f"{public_url.rstrip('/')}/webhooks/daraja/{secret}"
