"""Selcom's C2B utility: a payer types our reference at a till, Selcom asks us, then tells us."""

import json
from collections.abc import Mapping, Sequence

from gateway.formats import strict_json
from gateway.providers.base import reading, shillings, signatures
from gateway.providers.base.messages import (
    Answer,
    Callback,
    Decision,
    Kind,
    Malformed,
    Notice,
    Outcome,
    Trust,
    Unauthorized,
)
from gateway.settings.providers import Selcom

SCHEME = "bearer"
NAME_SHOWN = "Token wallet"  # to the payer, before the amount is confirmed

# A question must be answered at once and changes nothing: a validation that is late is reversed
# by Selcom. A notification that is late is not: it waits for people.
PARTS: Mapping[str, Kind] = {
    "lookup": Kind.QUESTION,
    "validation": Kind.QUESTION,
    "notification": Kind.PAYMENT,
}
ANSWERS: Mapping[Decision, tuple[str, str]] = {
    Decision.TAKEN: ("000", "OK"),
    Decision.UNKNOWN_REFERENCE: ("010", "Invalid account or payment reference"),
    Decision.WRONG_AMOUNT: ("012", "Invalid amount"),
    Decision.TOO_MUCH: ("014", "Amount too high"),
    Decision.TOO_LITTLE: ("015", "Amount too low"),
    Decision.NOT_NOW: ("400", "Not available now"),  # "4XX other"
}


class SelcomC2B:
    """The utility's three calls, which carry a bearer token that we have given to Selcom."""

    path = "selcom/c2b"
    parts = tuple(PARTS)
    books_as = "selcom"
    trust = Trust.SIGNED
    guarded = False
    allowed_addresses: Sequence[str] = ()

    def __init__(self, settings: Selcom) -> None:
        """Without a token nothing is believed."""
        self._tokens = settings.c2b_token

    def authenticate(self, callback: Callback) -> None:
        """Raise `Unauthorized` unless the bearer token is one of ours."""
        scheme, _, token = callback.header("Authorization").partition(" ")
        if scheme.lower() != SCHEME or not signatures.is_secret(token, self._tokens):
            raise Unauthorized("not our bearer token")

    def parse(self, callback: Callback) -> Notice:
        """Read one of the three; Selcom's `reference` is the id, as carriers share none."""
        kind = PARTS.get(callback.part)
        if kind is None:
            raise Malformed("no such part")
        with reading.malformed():
            found = strict_json.document(callback.body)
            amount = found.get("amount")
            is_name_check = callback.part == "lookup" and amount in (None, "", "0")
            reference = reading.identifier(found, "reference")
            if kind is Kind.PAYMENT and not reference:
                raise Malformed("no reference")
            return Notice(
                kind=kind,
                outcome=Outcome.SUCCEEDED if kind is Kind.PAYMENT else Outcome.PENDING,
                txn_id=reference,
                reference=reading.typed(found, "utilityref"),
                amount=None if is_name_check else shillings.received(amount),
                currency="" if is_name_check else shillings.CURRENCY,
                payer=reading.typed(found, "msisdn"),
                reason=reading.reason(found.get("operator")),
                echo={"reference": reference},
            )

    def acknowledge(self, callback: Callback, notice: Notice, decision: Decision) -> Answer:
        """The envelope with the code of the decision; a lookup also learns name and amount."""
        code, message = ANSWERS[decision]
        taken = decision is Decision.TAKEN
        said = {
            "reference": notice.echo.get("reference", ""),
            "resultcode": code,
            "result": "SUCCESS" if taken else "FAIL",
            "message": message,
        }
        if taken and callback.part == "lookup":
            said["name"] = NAME_SHOWN
            if notice.amount is not None:
                said["amount"] = shillings.written(notice.amount)
        return Answer(json.dumps(said, separators=(",", ":")).encode())
