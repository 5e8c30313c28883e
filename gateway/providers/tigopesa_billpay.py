"""Tigo Pesa's bill pay: a payer enters our reference, and the answer decides about the money."""

from collections.abc import Mapping

from gateway.providers.base import flat_xml, reading, shillings, signatures, unusable
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
from gateway.settings.providers import TigoPesa

CONTENT_TYPE = "application/xml"
NAME_SHOWN = "Token wallet"  # to the payer, before the amount is confirmed
NATIONAL_DIGITS = 9  # the MSISDN lacks its 255

KINDS: Mapping[str, Kind] = {
    "SYNC_LOOKUP_REQUEST": Kind.QUESTION,
    "SYNC_BILLPAY_REQUEST": Kind.PAYMENT,
}
ANSWERED_AS: Mapping[Kind, str] = {
    Kind.QUESTION: "SYNC_LOOKUP_RESPONSE",
    Kind.PAYMENT: "SYNC_BILLPAY_RESPONSE",
}
TAKEN, REFUSED = "TS", "TF"
ANSWERS: Mapping[Decision, tuple[str, str, str]] = {
    Decision.TAKEN: (TAKEN, "error000", "Success"),
    Decision.UNKNOWN_REFERENCE: (REFUSED, "error010", "Invalid customer reference"),
    Decision.WRONG_AMOUNT: (REFUSED, "error012", "Invalid amount"),
    Decision.TOO_MUCH: (REFUSED, "error014", "Amount too high"),
    Decision.TOO_LITTLE: (REFUSED, "error015", "Amount too low"),
    Decision.NOT_NOW: (REFUSED, "error100", "Not available now"),
}


class TigoPesaBillPay:
    """Name check and payment as XML on one path; only the path secret and addresses prove them."""

    path = "tigopesa"
    parts = ("billpay",)
    books_as = "tigopesa"
    trust = Trust.LINE
    guarded = True

    def __init__(self, settings: TigoPesa) -> None:
        """Raise `Misconfigured` without a list of addresses: 0.0.0.0/0 has to be written out."""
        unusable.insist_on_networks(
            "GATEWAY_TIGOPESA_ALLOWED_ADDRESSES", settings.allowed_addresses
        )
        self.allowed_addresses = settings.allowed_addresses

    def authenticate(self, callback: Callback) -> None:
        """Raise `Unauthorized` for another address; the path secret is the web edge's."""
        signatures.insist_on_address(callback.address, self.allowed_addresses)

    def parse(self, callback: Callback) -> Notice:
        """Read a lookup or a payment; what the payer typed as reference may be anything."""
        try:
            found = flat_xml.texts(callback.body)
        except flat_xml.InvalidXml as error:
            raise Malformed(str(error)) from None
        with reading.malformed():
            kind = KINDS.get(found.get("TYPE", ""))
            if kind is None:
                raise Malformed("a TYPE that is not known")
            is_payment = kind is Kind.PAYMENT
            txn_id = reading.identifier(found, "TXNID")
            msisdn = reading.typed(found, "MSISDN")
            if is_payment and not txn_id:
                raise Malformed("no TXNID")
            return Notice(
                kind=kind,
                outcome=Outcome.SUCCEEDED if is_payment else Outcome.PENDING,
                txn_id=txn_id,
                reference=reading.typed(found, "CUSTOMERREFERENCEID"),
                amount=shillings.received(found.get("AMOUNT")) if is_payment else None,
                currency=shillings.CURRENCY if is_payment else "",
                payer=_payer(msisdn),
                echo={"TXNID": txn_id, "MSISDN": msisdn},
            )

    def acknowledge(self, callback: Callback, notice: Notice, decision: Decision) -> Answer:
        """The decision itself: TS keeps the money with us, TF returns it to the payer.

        Made of nothing but TXNID, MSISDN and the decision, so that a repeat of a TXNID is answered
        with the same bytes as long as it meets with the same decision.
        """
        result, code, words = ANSWERS[decision]
        taken = result == TAKEN
        said = {"TYPE": ANSWERED_AS[notice.kind]}
        if notice.kind is Kind.PAYMENT:
            said |= {"TXNID": notice.echo["TXNID"], "REFID": notice.echo["TXNID"]}
        said |= {
            "RESULT": result,
            "ERRORCODE": code,
            "ERRORDESC": words,
            "MSISDN": notice.echo["MSISDN"],
            "FLAG": "Y" if taken else "N",
            "CONTENT": NAME_SHOWN if taken else words,
        }
        return Answer(flat_xml.written(said), CONTENT_TYPE)


def _payer(msisdn: str) -> str:
    """The payer's number with the country that Tigo leaves out; anything else as it came.

    >>> _payer("700000001"), _payer("255700000001"), _payer("7000 00001")
    ('+255700000001', '255700000001', '7000 00001')
    """
    is_national = len(msisdn) == NATIONAL_DIGITS and msisdn.isascii() and msisdn.isdigit()
    return f"+255{msisdn}" if is_national else msisdn
