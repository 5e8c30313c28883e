"""Tigo Pesa (Yas, Mixx): push callbacks, payment prompts, and payouts to its wallets as XML."""

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from gateway import errors
from gateway.formats import strict_json
from gateway.providers.base import flat_xml, phones, reading, shillings, signatures, unusable
from gateway.providers.base.http import TIMEOUT_SECONDS, Line
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
)
from gateway.settings.providers import TigoPesa

NAME = "tigopesa"
COUNTRY_CODE = "+255"
OPERATOR_SECONDS = 300  # until the next try of what waits for an operator
FORM = "application/x-www-form-urlencoded"
TOKEN = re.compile(r"[!-~]{1,4096}\Z")  # it travels in a header

# Status: a bool or its word, by the generation of the service; the text "false" is no falsehood
# by itself.
STATUS: Mapping[str, Outcome] = {"true": Outcome.SUCCEEDED, "false": Outcome.FAILED}

# What we answer a callback, and what a push is answered, in the series of the contract.
ACKNOWLEDGED: Mapping[str, tuple[str, str]] = {
    "18": ("BILLER-18-0000-S", "BILLER-18-3020-E"),
    "30": ("BILLER-30-0000-S", "BILLER-30-3030-E"),
}
ACCEPTED = ("BILLER-18-0000-S", "BILLER-30-0000-S")
DECLINED = re.compile(r"(BILLER-(18|30)-30[0-9]{2}|DebitMandate-10-[0-9]{4})-E\Z")

# TXNSTATUS of a payout. 100 is in neither: "put the amount in HOLD state", says the vendor's
# text, "this is the same case for any kind of timeout".
PAID = ("200", "0")
REFUSED: Mapping[str, str] = {
    "00026": "PIN expired",
    "00031": "above what the network allows",
    "00042": "not a multiple of the allowed value",
    "317": "recipient barred",
    "00317": "recipient barred",
    "410": "above the maximum",
    "00410": "above the maximum",
    "2117": "sender barred",
    "02117": "sender barred",
    "60014": "maximum value per day of the payer",
    "60017": "below the minimum of the sender",
    "60018": "above the maximum",
    "60019": "sender below the minimum balance",
    "60021": "maximum number per day of the payee",
    "60024": "maximum value per day",
    "60028": "above the maximum of the recipient",
    "60030": "recipient above the maximum balance",
    "60074": "recipient has no transfer profile",
}
OPERATOR_ACTS = ("00026", "2117", "02117", "60014", "60019")  # our PIN, account, limit or float


class TigoPesaPush:
    """The push callback: nothing proves it but path secret and address; it names no phone."""

    path = "tigopesa"
    parts = ("push",)
    books_as = NAME
    trust = Trust.LINE
    guarded = True

    def __init__(self, settings: TigoPesa) -> None:
        """Raise `Misconfigured` without a list of addresses: 0.0.0.0/0 has to be written out."""
        unusable.insist_on_networks(
            "GATEWAY_TIGOPESA_ALLOWED_ADDRESSES", settings.allowed_addresses
        )
        self.allowed_addresses = settings.allowed_addresses
        self._codes = _acknowledgements(settings)

    def authenticate(self, callback: Callback) -> None:
        """Raise `Unauthorized` for another address; the path secret is the web edge's."""
        signatures.insist_on_address(callback.address, self.allowed_addresses)

    def parse(self, callback: Callback) -> Notice:
        """Read it; a success must name the carrier's transaction, a failure has none."""
        with reading.malformed():
            found = strict_json.document(callback.body)
            outcome = _status(found.get("Status"))
            txn_id = reading.identifier(found, "MFSTransactionID")
            reference = reading.identifier(found, "ReferenceID")
            succeeded = outcome is Outcome.SUCCEEDED
            if not reference or (succeeded and not txn_id):
                raise Malformed("no ReferenceID, or a success without its MFSTransactionID")
            says_amount = found.get("Amount") is not None and succeeded
            return Notice(
                kind=Kind.PAYMENT,
                outcome=outcome,
                txn_id=txn_id,
                reference=reference,
                amount=shillings.received(found["Amount"]) if says_amount else None,
                currency=shillings.CURRENCY if says_amount else "",
                reason=reading.reason(found.get("Description")),
                echo={"ReferenceID": reference},
            )

    def acknowledge(self, callback: Callback, notice: Notice, decision: Decision) -> Answer:
        """The code of the contract's series; success also for a failure that we have noted."""
        taken = decision is Decision.TAKEN
        said = {
            "ResponseCode": self._codes[0 if taken else 1],
            "ResponseStatus": taken,
            "ResponseDescription": "Callback successful" if taken else "Callback failed",
            "ReferenceID": notice.echo.get("ReferenceID", ""),
        }
        return Answer(_json(said))


class TigoPesaProvider:
    """Prompts and account-to-wallet payouts; holds no connection, may be shared by threads."""

    name = NAME
    currencies = (shillings.CURRENCY,)
    payout_amounts = shillings.PAYS

    def __init__(
        self, settings: TigoPesa, *, timeout_seconds: tuple[float, float] = TIMEOUT_SECONDS
    ) -> None:
        """Raise `Misconfigured` for settings that cannot work; `can_pay` with a payout service."""
        unusable.insist_on("GATEWAY_TIGOPESA_USERNAME", settings.username)
        unusable.insist_on("GATEWAY_TIGOPESA_PASSWORD", settings.password)
        unusable.insist_on("GATEWAY_TIGOPESA_BILLER", settings.biller)
        unusable.insist_on("GATEWAY_TIGOPESA_BILLER_MSISDN", settings.biller_msisdn)
        _insist_on_urls(settings)
        self.phone_prefixes = settings.phone_prefixes
        self._settings = settings
        self._line = Line(settings.base_url, timeout_seconds)
        self._payouts = Line(settings.payout_url, timeout_seconds)
        self.can_pay = bool(settings.payout_url)
        if self.can_pay:
            unusable.insist_on("GATEWAY_TIGOPESA_PAYOUT_MSISDN", settings.payout_msisdn)
            unusable.insist_on("GATEWAY_TIGOPESA_PAYOUT_PIN", settings.payout_pin)

    def push(self, order: Order) -> Pushed:
        """Prompt the phone; the callback will name the order with the biller's prefix."""
        reference = f"{self._settings.biller}{order.reference}"
        asked = {
            "CustomerMSISDN": _phone(order.msisdn),
            "BillerMSISDN": self._settings.biller_msisdn.removeprefix("+"),
            "Amount": shillings.to_send(order.amount, order.currency),
            "Remarks": "Wallet top-up",
            "ReferenceID": reference,
        }
        headers = {
            "Content-Type": "application/json",
            "Authorization": f"bearer {self._token()}",
            "Username": self._settings.username,
            "Password": self._settings.password,
        }
        reply = self._line.post(self._settings.push_path, body=_json(asked), headers=headers)
        if reply.status in (401, 403):
            raise errors.Throttled("credentials refused", OPERATOR_SECONDS, alarm=True)
        found = reply.document()
        code, status = str(found.get("ResponseCode")), _status(found.get("ResponseStatus"))
        if code in ACCEPTED and status is Outcome.SUCCEEDED and reply.status < 300:
            return Pushed(reference=reference)
        if DECLINED.match(code) and status is not Outcome.SUCCEEDED and reply.status < 500:
            raise errors.Refused(f"{code} {reading.reason(found.get('ResponseDescription'))}")
        raise errors.OutcomeUnknown(f"HTTP {reply.status}, not a code that is known")

    def ask(self, asked: Asked) -> Status:
        """PENDING, always: Yas publishes no status service; the statement settles it."""
        return Status(Outcome.PENDING, reason="no status service")

    def pay(self, payout: Payout) -> Status:
        """Pay once; anything but a listed word leaves it unknown, whatever the HTTP status."""
        if not self.can_pay:
            raise errors.Refused("no payout service is set up", alarm=True)
        command = {
            "TYPE": "REQMFCI",
            "REFERENCEID": payout.reference,
            "MSISDN": self._settings.payout_msisdn.removeprefix("+"),
            "PIN": self._settings.payout_pin,
            "MSISDN1": _phone(payout.msisdn),
            "AMOUNT": str(shillings.to_send(payout.amount, payout.currency)),
            "SENDERNAME": "Token wallet",
            "LANGUAGE1": "EN",
            "BRAND_ID": "0",
        }
        headers = {"Content-Type": "application/xml"}
        reply = self._payouts.post("", body=flat_xml.written(command), headers=headers)
        try:
            found = flat_xml.texts(reply.body)
            txn_id = reading.identifier(found, "TXNID")
        except (flat_xml.InvalidXml, strict_json.InvalidJson):
            raise errors.OutcomeUnknown(f"unreadable answer, HTTP {reply.status}") from None
        word = found.get("TXNSTATUS", "")
        of_ours = found.get("REFERENCEID", payout.reference) == payout.reference
        if reply.status >= 300 or not of_ours or word not in (*PAID, *REFUSED):
            raise errors.OutcomeUnknown(f"HTTP {reply.status}, not a word that is known")
        if word in REFUSED:
            raise errors.Refused(f"{word} {REFUSED[word]}", alarm=word in OPERATOR_ACTS)
        return Status(Outcome.SUCCEEDED, txn_id, reason=reading.reason(found.get("MESSAGE")))

    def ask_payout(self, asked: Asked) -> Status:
        """PENDING, always: there is nothing to ask; an operator decides by the statement."""
        return Status(Outcome.PENDING, reason="no status service")

    def _token(self) -> str:
        """A token of its own for each prompt; without one nothing has been handed over."""
        form = {
            "username": self._settings.username,
            "password": self._settings.password,
            "grant_type": "password",
        }
        try:
            reply = self._line.post(
                self._settings.login_path,
                body=urlencode(form).encode(),
                headers={"Content-Type": FORM},
            )
            if reply.status in (400, 401, 403):
                raise errors.Throttled("credentials refused", OPERATOR_SECONDS, alarm=True)
            token = reply.document().get("access_token")
        except errors.OutcomeUnknown as error:
            raise errors.Unreachable(f"no token: {error.reason}") from None
        if reply.status >= 300 or not isinstance(token, str) or not TOKEN.match(token):
            raise errors.Throttled("no token")
        return str(token)


def _status(value: object) -> Outcome:
    """A bool or its word; what is neither decides nothing.

    >>> [_status(value).value for value in (True, "true", False, "false")]
    ['succeeded', 'succeeded', 'failed', 'failed']
    >>> {_status(value).value for value in ("TRUE", "1", 1, None, [], {})}
    {'pending'}
    """
    word = str(value).lower() if isinstance(value, bool) else value
    return STATUS.get(word, Outcome.PENDING) if isinstance(word, str) else Outcome.PENDING


def _phone(msisdn: str) -> str:
    return f"255{phones.subscriber(msisdn, COUNTRY_CODE)}"


def _insist_on_urls(settings: TigoPesa) -> None:
    base_url = settings.base_url.rstrip("/")
    unusable.insist_on_url("GATEWAY_TIGOPESA_BASE_URL", base_url)
    for name in ("login_path", "push_path"):
        path = getattr(settings, name)
        setting = f"GATEWAY_TIGOPESA_{name.upper()}"
        if not path.startswith("/"):
            raise errors.Misconfigured(f"{setting} must begin with a slash")
        unusable.insist_on_url(setting, f"{base_url}{path}")
    if settings.payout_url:
        unusable.insist_on_url("GATEWAY_TIGOPESA_PAYOUT_URL", settings.payout_url)


def _acknowledgements(settings: TigoPesa) -> tuple[str, str]:
    if settings.ack_series not in ACKNOWLEDGED:
        series = " or ".join(ACKNOWLEDGED)
        raise errors.Misconfigured(f"GATEWAY_TIGOPESA_ACK_SERIES must be {series}")
    return ACKNOWLEDGED[settings.ack_series]


def _json(fields: Mapping[str, Any]) -> bytes:
    return json.dumps(fields, separators=(",", ":")).encode()
