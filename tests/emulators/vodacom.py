"""Vodacom's OpenAPI on loopback: sessions under RSA, collections, queries, payouts, callbacks.

In a test: `with VodacomApi() as api: ...`, with `GATEWAY_VODACOM_BASE_URL=api.url` and
`GATEWAY_VODACOM_PUBLIC_KEY=api.public_key`. A payment stays pending until `settle`.
"""

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.emulators.posting import post_form
from tests.emulators.provider import Fault, ProviderApi, Request, Said

SESSION = "/getSession/"
PUSH = "/c2bPayment/singleStage/"
QUERY = "/queryTransactionStatus/"
PAY = "/b2cPayment/"
API_KEY = "synthetic-vodacom-api-key"
WORKED = "Request processed successfully"


def code(word: str, status: int) -> Said:
    """An answer that carries this code and no more."""
    return status, {"output_ResponseCode": word, "output_ResponseDesc": "said"}


FAILED = Fault(says=code("INS-6", 401))
TIMED_OUT = Fault(says=code("INS-9", 408), carried_out=True)


class VodacomApi(ProviderApi):
    """The server; `synchronous` answers a payment only when it is paid."""

    def __init__(self, *, synchronous: bool = False) -> None:
        """Listen on loopback, with an RSA key of its own."""
        super().__init__()
        self.sessions_fail = False  # whether the script is for requests of a session alone
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        der = self._key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self.public_key = base64.b64encode(der).decode()
        self._synchronous = synchronous
        self._session = ""
        self.sessions = 0
        self.payments: dict[str, dict[str, Any]] = {}  # by ThirdPartyConversationID

    def exempt(self, request: Request) -> bool:
        """Faults are for requests about money, unless the sessions fail."""
        return (request.path == SESSION) is not self.sessions_fail

    def sent(self, path: str) -> list[Request]:
        """All requests to this path."""
        return [request for request in self.requests if request.path == path]

    def answer(self, seen: Request) -> Said:
        """What the state makes of a request."""
        bearer = self._opened(seen.headers.get("authorization", ""))
        if seen.path == SESSION:
            if bearer != API_KEY:
                return code("INS-2", 401)
            self.sessions += 1
            self._session = f"syn-session-{self.sessions}"
            return 200, {"output_ResponseCode": "INS-0", "output_SessionID": self._session}
        if bearer != self._session:
            return 401, {"output_error": "Unauthorized"}
        return self._query(seen.query) if seen.path == QUERY else self._pay(seen.document)

    def reset(self) -> None:
        """Forget everything but the key, which takes a while to make."""
        self.requests.clear()
        self.payments.clear()
        self._script.clear()
        self._session, self.sessions, self.sessions_fail = "", 0, False

    def end_session(self) -> None:
        """Accept the session that was given out no longer."""
        self._session = "ended"

    def settle(self, conversation: str, status: str = "Completed") -> None:
        """Let a payment come to its end."""
        self.payments[conversation]["status"] = status

    def callback(self, conversation: str, word: str = "INS-0") -> dict[str, Any]:
        """The callback about a payment."""
        return {
            "input_OriginalConversationID": f"conv{conversation}",
            "input_TransactionID": f"SYN{conversation}",
            "input_ResultCode": word,
            "input_ResultDesc": WORKED,
            "input_ThirdPartyConversationID": conversation,
        }

    def call_back(self, url: str, *bodies: Mapping[str, Any]) -> list[int]:
        """Post these to our callback, in this order; the statuses that came back."""
        return [
            post_form(
                url,
                json.dumps(body).encode(),
                user_agent="synthetic-vodacom",
                content_type="application/json",
            ).status
            for body in bodies
        ]

    def _opened(self, authorization: str) -> str:
        try:
            sealed = base64.b64decode(authorization.removeprefix("Bearer "), validate=True)
            return self._key.decrypt(sealed, padding.PKCS1v15()).decode("latin-1")
        except (binascii.Error, ValueError):
            return ""

    def _pay(self, members: Mapping[str, Any]) -> Said:
        conversation = members["input_ThirdPartyConversationID"]
        if conversation in self.payments:
            return code("INS-10", 409)
        status = "Completed" if self._synchronous else "Pending"
        self.payments[conversation] = {**members, "status": status}
        named = {"output_TransactionID": f"SYN{conversation}"} if self._synchronous else {}
        return 201, {
            "output_ResponseCode": "INS-0",
            "output_ResponseDesc": WORKED,
            "output_ConversationID": f"conv{conversation}",
            "output_ThirdPartyConversationID": conversation,
            **named,
        }

    def _query(self, query: Mapping[str, str]) -> Said:
        conversation = query["input_QueryReference"]
        payment = self.payments.get(conversation)
        return 200, {
            "output_ResponseCode": "INS-0",
            "output_ResponseDesc": WORKED,
            "output_ResponseTransactionStatus": payment["status"] if payment else "N/A",
            "output_OriginalTransactionID": f"SYN{conversation}" if payment else "N/A",
            "output_ThirdPartyConversationID": query["input_ThirdPartyConversationID"],
        }
