"""Daraja's API on loopback: pushes, queries, payouts and questions, and its callbacks.

In a test: `with DarajaApi() as api: ...` and `GATEWAY_DARAJA_BASE_URL=api.url`. A push or payout
stays in process until `settle` or `finish`; callbacks go out when the test says so.
"""

import base64
import json
from collections.abc import Mapping
from typing import Any

from tests.emulators.posting import post_form
from tests.emulators.provider import Fault, ProviderApi, Request, Said

OAUTH = "/oauth/v1/generate"
PUSH = "/mpesa/stkpush/v1/processrequest"
QUERY = "/mpesa/stkpushquery/v1/query"
PAY = "/mpesa/b2c/v3/paymentrequest"
QUESTION = "/mpesa/transactionstatus/v1/query"
KEY, SECRET = "synthetic-consumer-key", "synthetic-consumer-secret"
PROCESSED = "The service request is processed successfully."
STAMP = 20260302120000


def error(code: str, message: str, status: int) -> Said:
    """An error in Daraja's form."""
    return status, {"requestId": "syn-1", "errorCode": code, "errorMessage": message}


BUSY = Fault(says=error("500.003.02", "Spike arrest violation", 500))
BAD_PHONE = Fault(says=error("400.002.02", "Bad Request - Invalid PhoneNumber", 400))
LOCKED = Fault(says=error("500.001.1001", "Unable to lock subscriber", 500))
STALE_TOKEN = error("404.001.03", "Invalid Access Token", 404)


class DarajaApi(ProviderApi):
    """The server."""

    def __init__(self) -> None:
        """Listen on loopback; only `KEY` and `SECRET` get a token."""
        super().__init__()
        self.tokens_fail = False  # whether the script is for requests of a token alone
        self._tokens: list[str] = []
        self.pushes: dict[str, dict[str, Any]] = {}  # by CheckoutRequestID
        self.payouts: dict[str, dict[str, Any]] = {}  # by OriginatorConversationID
        self.questions: list[dict[str, Any]] = []

    def exempt(self, request: Request) -> bool:
        """Faults are for requests about money, unless the tokens fail."""
        return (request.path == OAUTH) is not self.tokens_fail

    def sent(self, path: str) -> list[Request]:
        """All requests to this path."""
        return [request for request in self.requests if request.path == path]

    def answer(self, seen: Request) -> Said:
        """What the state makes of a request."""
        if seen.path == OAUTH:
            return self._token(seen)
        if seen.headers.get("authorization") != f"Bearer {(self._tokens or [''])[-1]}":
            return STALE_TOKEN
        answers = {PUSH: self._push, QUERY: self._query, PAY: self._pay, QUESTION: self._question}
        return answers[seen.path](seen.document)

    def revoke_tokens(self) -> None:
        """Accept none of the tokens that were given out."""
        self._tokens.append("revoked")

    def settle(self, checkout: str, code: str = "0") -> None:
        """Let the customer enter the PIN, or not."""
        self.pushes[checkout]["code"] = code

    def stk_callback(self, checkout: str) -> dict[str, Any]:
        """The callback of a push that is settled."""
        push = self.pushes[checkout]
        result = {
            "MerchantRequestID": "0000-1",
            "CheckoutRequestID": checkout,
            "ResultCode": int(push["code"]),
            "ResultDesc": PROCESSED,
        }
        items = [
            {"Name": "Amount", "Value": push["Amount"]},
            {"Name": "MpesaReceiptNumber", "Value": f"SYN{checkout[-7:]}"},
            {"Name": "Balance"},
            {"Name": "TransactionDate", "Value": STAMP},
            {"Name": "PhoneNumber", "Value": int(push["PhoneNumber"])},
        ]
        more = {"CallbackMetadata": {"Item": items}} if push["code"] == "0" else {}
        return {"Body": {"stkCallback": {**result, **more}}}

    def confirmation(self, checkout: str) -> dict[str, Any]:
        """The C2B confirmation that some short codes are sent of a push as well."""
        push = self.pushes[checkout]
        return {
            "TransactionType": "Pay Bill",
            "TransID": f"SYN{checkout[-7:]}",
            "TransTime": str(STAMP),
            "TransAmount": f"{push['Amount']}.00",
            "BusinessShortCode": push["BusinessShortCode"],
            "BillRefNumber": push["AccountReference"],
            "InvoiceNumber": "",
            "OrgAccountBalance": "",
            "ThirdPartyTransID": "",
            "MSISDN": "2547 ***** 001",
            "FirstName": "TEST",
        }

    def finish(self, reference: str, code: int = 0) -> None:
        """Let a payout come to its end."""
        self.payouts[reference]["code"] = code

    def result(self, reference: str) -> dict[str, Any]:
        """The result of a payout that is finished, for its ResultURL."""
        payout = self.payouts[reference]
        parameters = [
            {"Key": "TransactionAmount", "Value": payout["Amount"]},
            {"Key": "TransactionReceipt", "Value": f"SYN{reference}"},
            {"Key": "TransactionCompletedDateTime", "Value": "02.03.2026 12:00:00"},
        ]
        references = {"Key": "QueueTimeoutURL", "Value": payout["QueueTimeOutURL"]}
        return {
            "Result": {
                "ResultType": 0,
                "ResultCode": payout["code"],
                "ResultDesc": PROCESSED,
                "OriginatorConversationID": reference,
                "ConversationID": f"AG_{reference}",
                "TransactionID": f"SYN{reference}",
                "ResultParameters": {"ResultParameter": parameters},
                "ReferenceData": {"ReferenceItem": references},
            }
        }

    def question_result(self, number: int) -> dict[str, Any]:
        """The answer to a question, for its ResultURL."""
        question = self.questions[number]
        reference = question["OriginatorConversationID"]
        payout = self.payouts[reference]
        statuses = {None: "Pending", 0: "Completed"}
        parameters = [
            {"Key": "ReceiptNo", "Value": f"SYN{reference}"},
            {"Key": "Conversation ID", "Value": f"AG_{reference}"},
            {"Key": "FinalisedTime", "Value": STAMP},
            {"Key": "Amount", "Value": payout["Amount"]},
            {"Key": "TransactionStatus", "Value": statuses.get(payout["code"], "Failed")},
            {"Key": "TransactionReason"},
            {"Key": "Originator Conversation ID", "Value": reference},
        ]
        return {
            "Result": {
                "ResultType": 0,
                "ResultCode": 0,
                "ResultDesc": PROCESSED,
                "OriginatorConversationID": f"syn-question-{number}",
                "ConversationID": f"AG_QUESTION_{number}",
                "TransactionID": "SYNQ000000",
                "ResultParameters": {"ResultParameter": parameters},
                "ReferenceData": {
                    "ReferenceItem": {"Key": "Occasion", "Value": question["Occasion"]}
                },
            }
        }

    def call_back(self, url: str, *bodies: Mapping[str, Any]) -> list[int]:
        """Post these to one of our callbacks, in this order; the statuses that came back."""
        return [
            post_form(
                url,
                json.dumps(body).encode(),
                user_agent="synthetic-daraja",
                content_type="application/json",
            ).status
            for body in bodies
        ]

    def _token(self, seen: Request) -> Said:
        good = base64.b64encode(f"{KEY}:{SECRET}".encode()).decode()
        if seen.headers.get("authorization") != f"Basic {good}":
            return 400, b""
        self._tokens.append(f"syn-token-{len(self._tokens)}")
        return 200, {"access_token": self._tokens[-1], "expires_in": "3599"}

    def _push(self, members: Mapping[str, Any]) -> Said:
        checkout = f"ws_CO_{len(self.pushes):07}"
        self.pushes[checkout] = {**members, "code": None}
        return 200, {
            "MerchantRequestID": "0000-1",
            "CheckoutRequestID": checkout,
            "ResponseCode": "0",
            "ResponseDescription": "Success. Request accepted for processing",
        }

    def _query(self, members: Mapping[str, Any]) -> Said:
        push = self.pushes.get(members["CheckoutRequestID"])
        if push is None:
            return error("400.002.02", "Bad Request - Invalid CheckoutRequestID", 400)
        if push["code"] is None:
            return error("500.001.1001", "The transaction is being processed", 500)
        return 200, {"ResponseCode": "0", "ResultCode": push["code"], "ResultDesc": PROCESSED}

    def _pay(self, members: Mapping[str, Any]) -> Said:
        reference = members["OriginatorConversationID"]
        if reference in self.payouts:
            return error("500.002.1001", "Duplicate OriginatorConversationID", 500)
        self.payouts[reference] = {**members, "code": None}
        return self._accepted(reference, f"AG_{reference}")

    def _question(self, members: Mapping[str, Any]) -> Said:
        self.questions.append(dict(members))
        return self._accepted("syn-question", "AG_QUESTION")

    def _accepted(self, originator: str, conversation: str) -> Said:
        return 200, {
            "ConversationID": conversation,
            "OriginatorConversationID": originator,
            "ResponseCode": "0",
            "ResponseDescription": "Accept the service request successfully.",
        }
