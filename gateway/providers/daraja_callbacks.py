"""Daraja's callbacks: STK results, C2B validation and confirmation, results of B2C payouts.

Nothing of them is signed: the path's secret and Safaricom's addresses stand before them. Read in
a copy of Safaricom's portal pages (2025-12) and in issues of those who use it; see docs/providers.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from gateway.formats import strict_json
from gateway.providers.base import reading, signatures, unusable
from gateway.providers.base.daraja import CURRENCY, NAIROBI, NAME, STAMP, answered, stk_outcome
from gateway.providers.base.messages import (
    Answer,
    Callback,
    Decision,
    Kind,
    Malformed,
    Notice,
    Outcome,
    Trust,
)
from gateway.settings.providers import Daraja

PATH = "daraja"
VALIDATION, CONFIRMATION = "c2b/validation", "c2b/confirmation"
RESULT, TIMEOUT = "b2c/result", "b2c/timeout"
DOTTED_STAMP = "%d.%m.%Y %H:%M:%S"
ECHO_CHARACTERS_MAX = 100
STORED = Answer(b'{"ResultCode":0,"ResultDesc":"Success"}')

VALIDATION_ANSWERS: Mapping[Decision, Mapping[str, str]] = {
    Decision.TAKEN: {"ResultCode": "0", "ResultDesc": "Accepted"},
    Decision.UNKNOWN_REFERENCE: {"ResultCode": "C2B00012", "ResultDesc": "Rejected"},
    Decision.WRONG_AMOUNT: {"ResultCode": "C2B00013", "ResultDesc": "Rejected"},
    Decision.TOO_MUCH: {"ResultCode": "C2B00013", "ResultDesc": "Rejected"},
    Decision.TOO_LITTLE: {"ResultCode": "C2B00013", "ResultDesc": "Rejected"},
    Decision.NOT_NOW: {"ResultCode": "C2B00016", "ResultDesc": "Rejected"},
}

# Of a payout, from M-Pesa's list of result codes. What may also speak of a question of ours (a
# wrong initiator, 2001), of a duplicate (15) or of M-Pesa itself (17, 26) stands here in no form:
# it leaves the payout open.
PAYOUT_RESULTS: Mapping[str, Outcome] = {
    "0": Outcome.SUCCEEDED,
    "1": Outcome.FAILED,  # our balance
    "2": Outcome.FAILED,  # below the least amount
    "3": Outcome.FAILED,  # above the largest amount
    "4": Outcome.FAILED,  # above the daily limit
    "7": Outcome.FAILED,  # the receiver is not known
    "8": Outcome.FAILED,  # the receiver's balance would be too large
    "12": Outcome.FAILED,  # the receiver's account is not valid
    "2040": Outcome.FAILED,  # the receiver is not registered
}
# Words of the answer to our question about a payout; only the first stands in the portal's page.
PAYOUT_STATUSES: Mapping[str, Outcome] = {
    "Completed": Outcome.SUCCEEDED,
    "Cancelled": Outcome.FAILED,
    "Declined": Outcome.FAILED,
    "Expired": Outcome.FAILED,
    "Failed": Outcome.FAILED,
}


class DarajaStk:
    """The callback of an STK push: a hint, so that the core asks before it credits.

    Success is a ResultCode whose JSON text, as a number or in quotes, is exactly `0`. Neither
    `0.0` nor `true` nor a missing code is one: they are asked about like any unknown word.
    The account reference is not echoed: orders are found by `provider_ref`, CheckoutRequestID.
    """

    path = PATH
    parts: Sequence[str] = ("stk",)
    books_as = NAME
    trust = Trust.QUERIED
    guarded = True

    def __init__(self, settings: Daraja) -> None:
        """Raise `Misconfigured` for an address list that cannot be read."""
        self.allowed_addresses: Sequence[str] = _addresses(settings)

    def authenticate(self, callback: Callback) -> None:
        """Test the address; the path's secret was tested before."""
        signatures.insist_on_address(callback.address, self.allowed_addresses)

    def parse(self, callback: Callback) -> Notice:
        """Read the items by name: `Balance` comes without a value, a failure without any item."""
        with reading.malformed():
            found = strict_json.document(callback.body)
            result = reading.within(found, "Body", "stkCallback")
            listed = reading.within(result, "CallbackMetadata").get("Item")
            items = reading.by_name(listed, "Name", "Value")
            return Notice(
                kind=Kind.PAYMENT,
                outcome=stk_outcome(result),
                txn_id=reading.identifier(items, "MpesaReceiptNumber"),
                provider_ref=_needed(result, "CheckoutRequestID"),
                amount=_amount(items, "Amount"),
                currency=CURRENCY,
                payer=reading.typed(items, "PhoneNumber"),
                occurred_at=_instant(items, "TransactionDate"),
                reason=reading.reason(result.get("ResultDesc")),
            )

    def acknowledge(self, callback: Callback, notice: Notice, decision: Decision) -> Answer:
        """Say that it is stored; Safaricom sends it once, whatever we say."""
        return STORED


class DarajaC2b:
    """Payments to our short code that nobody pushed: asked about first, then confirmed.

    Line-trusted, so the address list must be set. A payment that we pushed may come here too, in
    any order with its STK callback: `txn_id` is the same receipt.
    """

    path = PATH
    parts: Sequence[str] = (VALIDATION, CONFIRMATION)
    books_as = NAME
    trust = Trust.LINE
    guarded = True

    def __init__(self, settings: Daraja) -> None:
        """Raise `Misconfigured` for an address list that is empty or cannot be read."""
        unusable.insist_on("GATEWAY_DARAJA_ALLOWED_ADDRESSES", settings.addresses)
        self.allowed_addresses: Sequence[str] = _addresses(settings)
        self._shortcode = settings.shortcode

    def authenticate(self, callback: Callback) -> None:
        """Test the address; the path's secret was tested before."""
        signatures.insist_on_address(callback.address, self.allowed_addresses)

    def parse(self, callback: Callback) -> Notice:
        """Read a validation (a QUESTION) or a confirmation (a PAYMENT): the same flat body.

        The reference is what the customer typed; the MSISDN may be masked or hashed.
        """
        asks = callback.part == VALIDATION
        with reading.malformed():
            found = strict_json.document(callback.body)
            if self._shortcode and _needed(found, "BusinessShortCode") != self._shortcode:
                raise Malformed("paid to another short code")
            return Notice(
                kind=Kind.QUESTION if asks else Kind.PAYMENT,
                outcome=Outcome.PENDING if asks else Outcome.SUCCEEDED,
                txn_id=_needed(found, "TransID"),
                reference=reading.typed(found, "BillRefNumber").upper(),
                amount=strict_json.amount(found.get("TransAmount")),
                currency=CURRENCY,
                payer=reading.typed(found, "MSISDN"),
                occurred_at=_instant(found, "TransTime"),
                reason=reading.reason(found.get("TransactionType")),
            )

    def acknowledge(self, callback: Callback, notice: Notice, decision: Decision) -> Answer:
        """Answer a validation, within 8 s, or say that a confirmation is stored."""
        if notice.kind is not Kind.QUESTION:
            return STORED
        return Answer(json.dumps(VALIDATION_ANSWERS[decision], separators=(",", ":")).encode())


class DarajaB2c:
    """Results of payouts, and the answers to our questions about them.

    How the core uses a notice: a result is a hint like any queried one; `ask_payout` then sends
    a question, returns PENDING, and its answer comes here too. An answer echoes the proof that
    our question carried, which only Safaricom has seen. Such a notice has an `event_id`, and its
    outcome counts as if `ask_payout` had returned it. Without the proof an answer is PENDING. On
    `b2c/timeout` nothing is known: PENDING, never a failure.
    """

    path = PATH
    parts: Sequence[str] = (RESULT, TIMEOUT)
    books_as = NAME
    trust = Trust.QUERIED
    guarded = True

    def __init__(self, settings: Daraja) -> None:
        """Raise `Misconfigured` for an address list that cannot be read."""
        self.allowed_addresses: Sequence[str] = _addresses(settings)
        self._secret = settings.consumer_secret

    def authenticate(self, callback: Callback) -> None:
        """Test the address; the path's secret was tested before."""
        signatures.insist_on_address(callback.address, self.allowed_addresses)

    def parse(self, callback: Callback) -> Notice:
        """Read a result; `ReferenceItem` is an object or a list of them."""
        with reading.malformed():
            found = strict_json.document(callback.body)
            result = reading.within(found, "Result") if "Result" in found else found
            if callback.part == TIMEOUT:
                return _payout(result, Outcome.PENDING)
            listed = reading.within(result, "ResultParameters").get("ResultParameter")
            said = reading.by_name(listed, "Key", "Value")
            items = reading.within(result, "ReferenceData").get("ReferenceItem")
            echoed = reading.by_name(items, "Key", "Value")
            proven = answered(self._secret, reading.word(echoed, "Occasion", ECHO_CHARACTERS_MAX))
            if proven or "TransactionStatus" in said:
                return _answer(result, said, proven)
            code = reading.word(result, "ResultCode")
            return _payout(
                result,
                PAYOUT_RESULTS.get(code, Outcome.PENDING),
                txn_id=reading.identifier(result, "TransactionID"),
                amount=_amount(said, "TransactionAmount"),
                occurred_at=_instant(said, "TransactionCompletedDateTime"),
            )

    def acknowledge(self, callback: Callback, notice: Notice, decision: Decision) -> Answer:
        """Say that it is stored."""
        return STORED


def _payout(result: Mapping[str, Any], outcome: Outcome, **more: Any) -> Notice:
    """A notice about the payout that these conversation ids name; one of them must be there."""
    reference = reading.identifier(result, "OriginatorConversationID")
    return Notice(
        kind=Kind.PAYOUT,
        outcome=outcome,
        reference=reference,
        provider_ref=reading.identifier(result, "ConversationID")
        if reference
        else _needed(result, "ConversationID"),
        currency=CURRENCY,
        reason=reading.reason(result.get("ResultDesc")),
        **more,
    )


def _answer(result: Mapping[str, Any], said: Mapping[str, Any], proven: str) -> Notice:
    """The answer to a question: its own ids are the question's, the parameters' the payout's.

    Its ResultCode says whether the question could be answered, not what became of the payout.
    """
    found = reading.word(result, "ResultCode") == "0" and proven
    word = reading.word(said, "TransactionStatus")
    return Notice(
        kind=Kind.PAYOUT,
        outcome=PAYOUT_STATUSES.get(word, Outcome.PENDING) if found else Outcome.PENDING,
        txn_id=reading.identifier(said, "ReceiptNo"),
        reference=proven or reading.identifier(said, "OriginatorConversationID"),
        provider_ref=reading.identifier(said, "ConversationID"),
        amount=_amount(said, "Amount"),
        currency=CURRENCY,
        event_id=_needed(result, "ConversationID") if found else "",
        occurred_at=_instant(said, "FinalisedTime"),
        reason=reading.reason(word or result.get("ResultDesc")),
    )


def _addresses(settings: Daraja) -> tuple[str, ...]:
    if settings.addresses:
        unusable.insist_on_networks("GATEWAY_DARAJA_ALLOWED_ADDRESSES", settings.addresses)
    return settings.addresses


def _needed(found: Mapping[str, Any], name: str) -> str:
    text = reading.identifier(found, name)
    if not text.strip():
        raise Malformed(f"no {name}")
    return text


def _amount(found: Mapping[str, Any], name: str) -> Any:
    stated = found.get(name)
    return None if stated is None else strict_json.amount(stated)


def _instant(found: Mapping[str, Any], name: str) -> datetime | None:
    """A time of Nairobi, in either of the two forms that Daraja writes."""
    written = found.get(name)
    return reading.local_instant(written, STAMP, NAIROBI) or reading.local_instant(
        written, DOTTED_STAMP, NAIROBI
    )
