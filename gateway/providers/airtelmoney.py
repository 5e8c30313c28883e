"""Airtel Money Tanzania: callbacks that only hint, and its collections and disbursements.

Airtel's portal as copied by others. A callback says no amount, phone or time, so that every
payment is asked for, and credited with what our order says.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import islice
from typing import Any

import structlog

from gateway import errors
from gateway.clock import Clock
from gateway.formats import strict_json
from gateway.providers.base import airtelmoney as answers
from gateway.providers.base import http, phones, reading, rsa, shillings, unusable, verdicts
from gateway.providers.base.bearer import Bearer, lifetime_seconds
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
from gateway.providers.base.signatures import is_hmac_base64
from gateway.settings.providers import AirtelMoney

NAME = "airtelmoney"
COUNTRY_CODE = "+255"
COUNTRY = {"X-Country": "TZ", "X-Currency": shillings.CURRENCY}
SETTLED_SECONDS = 180  # before that an enquiry's failure may still turn (the portal's own advice)
HASH_MEMBER = re.compile(
    rb',\s*"hash"\s*:\s*"[^"\\]*"|"hash"\s*:\s*"[^"\\]*"\s*,\s*'  # last or in between, or first
)
LOOKS_MAX = 2  # at members of these names, of which a callback has one
INNER = re.compile(r'"transaction"\s*:\s*')

# What a callback's status_code says: it may be intermediate, so that no failure is final there.
CALLBACK_WORDS: Mapping[str, Outcome] = {
    "TS": Outcome.SUCCEEDED,
    "TF": Outcome.PENDING,
    "TA": Outcome.PENDING,  # ambiguous
    "TIP": Outcome.PENDING,  # in progress
    "TI": Outcome.PENDING,
    "TE": Outcome.PENDING,  # expired
}
NOT_FOUND = 404
EXPIRED_TOKEN = 401
TOKEN_CHARACTERS_MAX = 4096
JSON = {"Content-Type": "application/json", "Accept": "application/json"}

log = structlog.get_logger()


class AirtelMoneyDialect:
    """`/webhooks/airtelmoney`: the URL set in the portal, with callback authentication on."""

    path = NAME
    parts = ("",)
    books_as = NAME
    trust = Trust.QUERIED
    guarded = False
    allowed_addresses: Sequence[str] = ()

    def __init__(self, settings: AirtelMoney) -> None:
        """Without a callback key nothing is believed: nothing else stands before this path."""
        self._keys = settings.callback_key

    def authenticate(self, callback: Callback) -> None:
        """base64(HMAC-SHA256(key, the body without its hash)), in the forms that are seen."""
        try:
            found = strict_json.document(callback.body)
        except strict_json.InvalidJson:
            raise Unauthorized("no hash can be read") from None
        given = found.pop("hash", None)
        if not isinstance(given, str) or isinstance(given, strict_json.Number):
            raise Unauthorized("no hash")
        for form, message in _signed_forms(callback.body, found):
            if is_hmac_base64(given, self._keys, message):
                log.info("airtelmoney.hash", form=form)
                return
        raise Unauthorized("the hash does not match")

    def parse(self, callback: Callback) -> Notice:
        """A hint about one order; the message is for people and never read for money."""
        with reading.malformed():
            found = reading.within(strict_json.document(callback.body), "transaction")
            reference = reading.identifier(found, "id")
            txn_id = reading.identifier(found, "airtel_money_id")
            word = strict_json.text(found, "status_code")
        if not reference and not txn_id:
            raise Malformed("the transaction has no id")
        outcome = CALLBACK_WORDS.get(word, Outcome.PENDING)
        succeeded = outcome == Outcome.SUCCEEDED
        return Notice(
            kind=Kind.PAYMENT,
            outcome=outcome,
            txn_id=txn_id,
            reference=reference,
            reason="" if succeeded else reading.reason(found.get("message")),
        )

    def acknowledge(self, callback: Callback, notice: Notice, decision: Decision) -> Answer:
        """A 200; what it says is not read."""
        return Answer(b'{"status":"received"}')


class AirtelMoneyProvider:
    """Collections and payouts; may be shared by threads, which share one access token."""

    name = NAME
    currencies = (shillings.CURRENCY,)
    payout_amounts = shillings.PAYS

    def __init__(
        self,
        settings: AirtelMoney,
        clock: Clock,
        *,
        timeout_seconds: tuple[float, float] = http.TIMEOUT_SECONDS,
    ) -> None:
        """Raise `Misconfigured` for settings that cannot work; `can_pay` where there is a PIN."""
        unusable.insist_on("GATEWAY_AIRTELMONEY_CLIENT_ID", settings.client_id)
        unusable.insist_on("GATEWAY_AIRTELMONEY_CLIENT_SECRET", settings.client_secret)
        unusable.insist_on_url("GATEWAY_AIRTELMONEY_BASE_URL", settings.base_url)
        self.can_pay = bool(settings.payout_pin)
        if self.can_pay:
            _insist_on_encryption(settings)
        self.phone_prefixes = settings.phone_prefixes
        self._settings = settings
        self._clock = clock
        self._line = http.Line(settings.base_url, timeout_seconds)
        self._bearer = Bearer(self._fetch_token, clock)

    def push(self, order: Order) -> Pushed:
        """Ask the phone to pay; the same order again is a duplicate, so the first one stands."""
        party = {"country": "TZ", "currency": shillings.CURRENCY}
        amount = shillings.to_send(order.amount, order.currency)
        request = {
            "reference": order.reference,
            "subscriber": party | {"msisdn": phones.subscriber(order.msisdn, COUNTRY_CODE)},
            "transaction": party | {"amount": amount, "id": order.reference},
        }
        said = self._post("/merchant/v1/payments/", request)
        said.insist_on(order.reference)
        taken = said.success and not said.has(answers.LEAVE_OPEN)
        if not taken and not said.has(answers.DUPLICATES + answers.PUSH_TAKEN):
            raise said.refusal(answers.PUSH_REFUSED)
        return Pushed()

    def ask(self, asked: Asked) -> Status:
        """By our own id; a failure counts three minutes after the order at the earliest."""
        return self._ask(f"/standard/v1/payments/{asked.reference}", asked, None)

    def pay(self, payout: Payout) -> Status:
        """Pay; the same payout again is a duplicate, whose outcome is to be asked for."""
        if not self.can_pay:
            raise errors.Refused("payouts are not set up", alarm=True)
        amount = shillings.to_send(payout.amount, payout.currency)
        msisdn = phones.subscriber(payout.msisdn, COUNTRY_CODE)
        request = {
            "payee": {"msisdn": msisdn, "currency": shillings.CURRENCY},
            "reference": payout.reference,
            "pin": rsa.encrypt(self._settings.public_key, self._settings.payout_pin),
            "transaction": {"amount": amount, "id": payout.reference, "type": "B2C"},
        }
        said = self._post("/standard/v2/disbursements/", request)
        said.insist_on(payout.reference)
        if said.has(answers.BEING_PAID) or said.word in answers.IN_PROGRESS:
            return Status(Outcome.PENDING, reason=said.message)
        paid = said.word == "TS" or (not said.word and said.has(answers.PAID))
        if not paid or said.has((*answers.LEAVE_OPEN, *answers.PAYOUT_REFUSED)):
            raise said.refusal(answers.PAYOUT_REFUSED)
        return Status(Outcome.SUCCEEDED, txn_id=said.their_id)

    def ask_payout(self, asked: Asked) -> Status:
        """By our own id; a failure counts three minutes after the payout at the earliest."""
        path = f"/standard/v2/disbursements/{asked.reference}"
        return self._ask(path, asked, {"transactionType": "B2C"})

    def _ask(self, path: str, asked: Asked, params: Mapping[str, str] | None) -> Status:
        reply = self._authorized(
            lambda headers: self._line.get(path, headers=headers, params=params)
        )
        if reply.status == NOT_FOUND:
            return Status(Outcome.PENDING, reason="not found")
        said = answers.read(reply)
        said.insist_on(asked.reference)
        if not said.word and not said.has(answers.LEAVE_OPEN):
            raise said.refusal({})
        outcome = said.outcome
        age = self._clock.now() - asked.requested_at
        if outcome == Outcome.FAILED and age < timedelta(seconds=SETTLED_SECONDS):
            outcome = Outcome.PENDING
        succeeded = outcome == Outcome.SUCCEEDED
        return Status(outcome, txn_id=said.their_id if succeeded else "", reason=said.message)

    def _post(self, path: str, request: Mapping[str, object]) -> answers.Said:
        body = json.dumps(request).encode()
        reply = self._authorized(lambda headers: self._line.post(path, body=body, headers=headers))
        return answers.read(reply)

    def _authorized(self, send: Callable[[Mapping[str, str]], http.Reply]) -> http.Reply:
        """Send with our token, once more with a new one if it was refused: nothing was done."""
        token = self._bearer.token()
        reply = send({**JSON, **COUNTRY, "Authorization": f"Bearer {token}"})
        if reply.status == EXPIRED_TOKEN:
            self._bearer.drop(token)
            renewed = self._bearer.token()
            reply = send({**JSON, **COUNTRY, "Authorization": f"Bearer {renewed}"})
        return reply

    def _fetch_token(self) -> tuple[str, int]:
        """A token and its lifetime; whatever fails here, nothing was handed over."""
        request = {
            "client_id": self._settings.client_id,
            "client_secret": self._settings.client_secret,
            "grant_type": "client_credentials",
        }
        body = json.dumps(request).encode()
        try:
            reply = self._line.post("/auth/oauth2/token", body=body, headers=JSON)
            if reply.status not in verdicts.TAKEN:
                raise verdicts.of(reply.status, "")
            with reading.answered():
                found = reply.document()
                token = strict_json.text(found, "access_token", TOKEN_CHARACTERS_MAX)
        except errors.OutcomeUnknown as error:
            raise errors.Unreachable(f"no access token: {error.reason}") from None
        except errors.Refused as error:  # wrong credentials come as a 400, too
            raise errors.Throttled(
                f"no access token: {error.reason}", verdicts.OPERATOR_SECONDS, alarm=True
            ) from None
        if not token or not token.isascii():
            raise errors.Unreachable("no access token in the answer")
        return token, lifetime_seconds(found.get("expires_in"))


def _insist_on_encryption(settings: AirtelMoney) -> None:
    try:
        rsa.encrypt(settings.public_key, settings.payout_pin)
    except errors.Misconfigured as error:
        raise errors.Misconfigured(f"GATEWAY_AIRTELMONEY_PUBLIC_KEY: {error}") from None


def _signed_forms(body: bytes, unsigned: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    """The bytes that Airtel may have signed; each says the same as the body without its hash.

    The vendor's sample is the first; the others are what its transcripts describe.
    """
    for member in islice(HASH_MEMBER.finditer(body), LOOKS_MAX):
        cut = body[: member.start()] + body[member.end() :]
        if _reads(cut) == unsigned:
            yield "body", cut
    written = json.loads(body)
    del written["hash"]
    compact = json.dumps(written, separators=(",", ":"), ensure_ascii=False)
    yield "compact", compact.encode("utf-8", "surrogatepass")
    text = body.decode()
    for opening in islice(INNER.finditer(text), LOOKS_MAX):
        _, end = json.JSONDecoder().raw_decode(text, opening.end())
        inner = text[opening.end() : end].encode()
        if _reads(inner) == unsigned.get("transaction"):
            yield "inner", inner


def _reads(raw: bytes) -> dict[str, Any] | None:
    try:
        return strict_json.document(raw)
    except strict_json.InvalidJson:
        return None
