"""M-Pesa of Vodacom Tanzania through its OpenAPI: callbacks, collections and payouts.

Its portal's pages are not public: read in copies for Mozambique and Lesotho, which run the same
platform, and in code that runs in Tanzania; never tried on a live account. See docs/providers.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from gateway import errors
from gateway.clock import Clock
from gateway.formats import strict_json
from gateway.providers.base import http, phones, reading, rsa, shillings, signatures, unusable
from gateway.providers.base.bearer import Bearer
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
from gateway.settings.providers import Vodacom

NAME = "mpesa"
COUNTRY = "TZN"
RETRY_SECONDS = 60
OPERATOR_SECONDS = 300  # until the next try of what waits for an operator
SESSION_SECONDS = 3_600
SESSION_CHARACTERS_MAX = 200  # RSA must hold it
COUNTRY_CODE = "+255"
# In front of our reference in a ThirdPartyConversationID: a callback says nothing else of which
# way the money went.
IN, OUT = "in", "out"

TAKEN = ("INS-0", "0")
CREDENTIALS_REFUSED = ("INS-2",)
BUSINESS_FAILURE = "INS-6"  # comes under HTTP 401, and yet the session is good
OURS = ("INS-13", "INS-20", "INS-21", "INS-28", "INS-30", "INS-998")  # our settings, or our fault
# Meanings of 993 to 997 differ by market, 1, 9 and 10 leave it open: they stand here in no form.
REFUSED: Mapping[str, str] = {
    "INS-6": "transaction failed",
    "INS-13": "invalid short code",
    "INS-15": "invalid amount",
    "INS-17": "invalid transaction reference",
    "INS-20": "not all parameters given",
    "INS-21": "parameter validations failed",
    "INS-28": "invalid conversation id",
    "INS-30": "invalid description",
    "INS-990": "value limit of the customer",
    "INS-991": "count limit of the customer",
    "INS-992": "limit of the organisation",
    "INS-998": "invalid market",
    "INS-2006": "insufficient balance",
    "INS-2051": "invalid MSISDN",
}
RESULTS: Mapping[str, Outcome] = {
    **dict.fromkeys(TAKEN, Outcome.SUCCEEDED),
    **dict.fromkeys(REFUSED, Outcome.FAILED),
}
STATUSES: Mapping[str, Outcome] = {
    "Completed": Outcome.SUCCEEDED,
    "Pending": Outcome.PENDING,
    "Cancelled": Outcome.FAILED,
    "Expired": Outcome.FAILED,
    "Failed": Outcome.FAILED,
    "N/A": Outcome.PENDING,
}


class VodacomDialect:
    """The callback of the asynchronous mode, the same for both directions: a hint, not signed.

    The core finds the order or payout by `reference` and, where it stored one, requires
    `provider_ref` to be the same; then it asks. In the synchronous mode no callback comes.
    """

    path = "vodacom"
    parts: Sequence[str] = ("",)
    books_as = NAME
    trust = Trust.QUERIED
    guarded = True

    def __init__(self, settings: Vodacom) -> None:
        """Raise `Misconfigured` for an address list that cannot be read."""
        self.allowed_addresses: Sequence[str] = settings.allowed_addresses
        if self.allowed_addresses:
            unusable.insist_on_networks("GATEWAY_VODACOM_ALLOWED_ADDRESSES", self.allowed_addresses)

    def authenticate(self, callback: Callback) -> None:
        """Test the address; the path's secret was tested before."""
        signatures.insist_on_address(callback.address, self.allowed_addresses)

    def parse(self, callback: Callback) -> Notice:
        """Read both conversation ids and the result; there is no amount and no phone."""
        with reading.malformed():
            found = strict_json.document(callback.body)
            ours = reading.identifier(found, "input_ThirdPartyConversationID")
            theirs = reading.identifier(found, "input_OriginalConversationID")
            if not ours.strip():
                raise Malformed("no input_ThirdPartyConversationID")
            code = reading.word(found, "input_ResultCode")
            is_payout = ours.startswith(OUT)
            return Notice(
                kind=Kind.PAYOUT if is_payout else Kind.PAYMENT,
                outcome=RESULTS.get(code, Outcome.PENDING),
                txn_id=_txn_id(reading.identifier(found, "input_TransactionID")),
                reference=ours.removeprefix(OUT if is_payout else IN),
                provider_ref=theirs,
                reason=reading.reason(found.get("input_ResultDesc")),
                echo={"original": theirs, "third_party": ours},
            )

    def acknowledge(self, callback: Callback, notice: Notice, decision: Decision) -> Answer:
        """Say that it is stored, with both ids as they came."""
        words = {
            "output_OriginalConversationID": notice.echo["original"],
            "output_ResponseCode": "0",
            "output_ResponseDesc": "Successfully Accepted Result",
            "output_ThirdPartyConversationID": notice.echo["third_party"],
        }
        return Answer(json.dumps(words, separators=(",", ":"), ensure_ascii=False).encode())


class VodacomProvider:
    """Collections and payouts; may be shared by threads, which share one session."""

    name = NAME
    currencies: Sequence[str] = (shillings.CURRENCY,)
    payout_amounts = shillings.PAYS

    def __init__(
        self,
        settings: Vodacom,
        clock: Clock,
        *,
        timeout_seconds: tuple[float, float] = http.TIMEOUT_SECONDS,
    ) -> None:
        """Raise `Misconfigured` for settings that cannot work."""
        for name in ("api_key", "public_key", "service_provider", "origin"):
            unusable.insist_on(f"GATEWAY_VODACOM_{name.upper()}", getattr(settings, name))
        unusable.insist_on_url("GATEWAY_VODACOM_BASE_URL", settings.base_url)
        rsa.public_key(settings.public_key)
        self.phone_prefixes: Sequence[str] = settings.phone_prefixes
        self.can_pay = settings.pays == "yes"
        self._settings = settings
        self._clock = clock
        self._line = http.Line(settings.base_url, timeout_seconds)
        self._session = Bearer(self._new_session, clock)
        # "SessionKeys can take up to 30 seconds to become 'live'" (the portal's examples)
        wait = unusable.seconds("GATEWAY_VODACOM_SESSION_WAIT", settings.session_wait)
        self._live_after = timedelta(seconds=wait)
        self._live_at = clock.now()

    def push(self, order: Order) -> Pushed:
        """Show the phone its prompt. Where Vodacom answers only after the PIN, a time-out of ours
        is the usual case: `OutcomeUnknown`, and the query tells."""
        found = self._send(
            "/c2bPayment/singleStage/",
            IN,
            order,
            {"input_PurchasedItemsDesc": f"Top up {order.reference}"},
        )
        return Pushed(provider_ref=reading.word(found, "output_ConversationID"))

    def ask(self, asked: Asked) -> Status:
        """Query an order by the conversation id it was pushed under."""
        return self._ask(IN, asked)

    def pay(self, payout: Payout) -> Status:
        """Pay; done where the answer names a transaction, without one it was taken, no more."""
        if not self.can_pay:
            raise errors.Refused("payouts are not set up", alarm=True)
        found = self._send(
            "/b2cPayment/",
            OUT,
            payout,
            {"input_PaymentItemsDesc": f"Withdrawal {payout.reference}"},
        )
        txn_id = _txn_id(reading.word(found, "output_TransactionID"))
        return Status(
            Outcome.SUCCEEDED if txn_id else Outcome.PENDING,
            txn_id=txn_id,
            provider_ref=reading.word(found, "output_ConversationID"),
        )

    def ask_payout(self, asked: Asked) -> Status:
        """Query a payout by the conversation id it was sent under."""
        return self._ask(OUT, asked)

    def _send(
        self, path: str, way: str, request: Order | Payout, more: Mapping[str, str]
    ) -> Mapping[str, Any]:
        phone = f"255{phones.subscriber(request.msisdn, COUNTRY_CODE)}"
        members = {
            "input_Amount": str(shillings.to_send(request.amount, request.currency)),
            "input_Country": COUNTRY,
            "input_Currency": shillings.CURRENCY,
            "input_CustomerMSISDN": phone,
            "input_ServiceProviderCode": self._settings.service_provider,
            "input_ThirdPartyConversationID": f"{way}{request.reference}",
            "input_TransactionReference": request.reference,
            **more,
        }
        session = self._live_session()
        headers = {**self._headers(session), "Content-Type": "application/json"}
        reply = self._line.post(path, body=json.dumps(members).encode(), headers=headers)
        found = self._found(reply, session)
        code = reading.word(found, "output_ResponseCode")
        if code in REFUSED:
            raise errors.Refused(f"{code} {REFUSED[code]}", alarm=code in OURS)
        return found

    def _ask(self, way: str, asked: Asked) -> Status:
        """INS-0 says that the query worked, the status what became of the payment."""
        session = self._live_session()
        sent_under = f"{way}{asked.reference}"
        params = {
            "input_QueryReference": sent_under,
            "input_ServiceProviderCode": self._settings.service_provider,
            "input_ThirdPartyConversationID": sent_under,
            "input_Country": COUNTRY,
        }
        reply = self._line.get(
            "/queryTransactionStatus/", headers=self._headers(session), params=params
        )
        found = self._found(reply, session)
        code = reading.word(found, "output_ResponseCode")
        word = reading.word(found, "output_ResponseTransactionStatus")
        of_ours = reading.word(found, "output_ThirdPartyConversationID") in ("", sent_under)
        known = code in TAKEN and of_ours
        return Status(
            STATUSES.get(word, Outcome.PENDING) if known else Outcome.PENDING,
            txn_id=_txn_id(reading.word(found, "output_OriginalTransactionID")) if known else "",
            provider_ref=asked.provider_ref,
            reason=reading.reason(word or f"{code} {REFUSED.get(code, '')}"),
        )

    def _found(self, reply: http.Reply, session: str) -> Mapping[str, Any]:
        """An answer that says something: taken or refused; raises what is known of any other."""
        if reply.status == 429:
            raise errors.Throttled("rate limit", RETRY_SECONDS)
        if reply.status in (408, 409) or reply.status >= 500:
            raise errors.OutcomeUnknown(f"HTTP {reply.status}")
        if reply.status == 401 and f'"{BUSINESS_FAILURE}"'.encode() not in reply.body:
            self._session.drop(session)
        found = reply.document()
        code = reading.word(found, "output_ResponseCode")
        if code in CREDENTIALS_REFUSED:
            raise errors.Throttled(f"{code} credentials refused", OPERATOR_SECONDS, alarm=True)
        if code in REFUSED or (code in TAKEN and reply.status < 300):
            return found
        raise errors.OutcomeUnknown(f"HTTP {reply.status} {code}".strip())

    def _live_session(self) -> str:
        """A session that Vodacom accepts by now; the first use of a new one has to wait."""
        session = self._session.token()
        wait = self._live_at - self._clock.now()
        if wait > timedelta():
            raise errors.Throttled("the session is not live yet", int(wait.total_seconds()) + 1)
        return session

    def _new_session(self) -> tuple[str, int]:
        try:
            reply = self._line.get("/getSession/", headers=self._headers(self._settings.api_key))
            found = reply.document()
        except errors.OutcomeUnknown as error:  # of this alone: nothing about money was sent
            raise errors.Unreachable(f"no session: {error.reason}") from None
        session = reading.word(found, "output_SessionID", SESSION_CHARACTERS_MAX)
        code = reading.word(found, "output_ResponseCode")
        if reply.status in (400, 401, 403):
            raise errors.Throttled(f"{code} credentials refused", OPERATOR_SECONDS, alarm=True)
        if code not in TAKEN or not session:
            raise errors.Throttled(f"no session, HTTP {reply.status}", RETRY_SECONDS)
        self._live_at = self._clock.now() + self._live_after
        return session, SESSION_SECONDS

    def _headers(self, secret: str) -> dict[str, str]:
        bearer = rsa.encrypt(self._settings.public_key, secret)
        return {"Authorization": f"Bearer {bearer}", "Origin": self._settings.origin}


def _txn_id(text: str) -> str:
    """The carrier's id; "" for the words that stand for none.

    >>> _txn_id("SYNTXN0001"), _txn_id("N/A"), _txn_id("0")
    ('SYNTXN0001', '', '')
    """
    return "" if text.strip() in ("N/A", "0") else text
