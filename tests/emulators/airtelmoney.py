"""Airtel Money's API on loopback: short tokens, collections and disbursements by our own ids."""

import base64
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.emulators.provider import ProviderApi, Request, Said

CLIENT_ID, CLIENT_SECRET, PIN = "synthetic-client", "synthetic-client-secret", "4907"
PRIVATE = rsa.generate_private_key(public_exponent=65537, key_size=2048)
PUBLIC_KEY = base64.b64encode(
    PRIVATE.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
).decode()


@dataclass
class Transaction:
    """One collection or disbursement, in progress until a test settles it."""

    amount: int
    msisdn: str
    word: str = "TIP"
    code: str = ""
    airtel_money_id: str = ""


class AirtelMoneyApi(ProviderApi):
    """Answers as the portal's copies describe."""

    def __init__(self) -> None:
        super().__init__()
        self.expires_in: object = "180"
        self.tokens: list[str] = []  # handed out; the last one is good
        self.collections: dict[str, Transaction] = {}
        self.payouts: dict[str, Transaction] = {}
        self.payout_word, self.payout_code = "TS", "DP00900001001"  # of the next payouts

    def exempt(self, request: Request) -> bool:
        """Faults are for what follows the token."""
        return request.path == "/auth/oauth2/token"

    def expire_token(self) -> None:
        """Make every token that was handed out a wrong one."""
        self.tokens.append("")

    def settle(self, transaction: Transaction, word: str, code: str = "", theirs: str = "") -> None:
        """Let a transaction reach a status."""
        transaction.word, transaction.code, transaction.airtel_money_id = word, code, theirs

    def answer(self, request: Request) -> Said:
        """Route it."""
        if request.path == "/auth/oauth2/token":
            return self._token(request)
        if not self.tokens or request.headers["authorization"] != f"Bearer {self.tokens[-1]}":
            return 401, {"error": "invalid_token", "error_description": "expired"}
        if (request.headers["x-country"], request.headers["x-currency"]) != ("TZ", "TZS"):
            return 400, {"status": {"code": "400", "message": "Invalid Country", "success": False}}
        match request.method, request.path.strip("/").split("/"):
            case "POST", ["merchant", "v1", "payments"]:
                return self._collect(request)
            case "POST", ["standard", "v2", "disbursements"]:
                return self._pay(request)
            case "GET", ["standard", "v1", "payments", ours]:
                return _status_of(self.collections.get(ours), ours, "DP00800001025")
            case "GET", ["standard", "v2", "disbursements", ours]:
                assert request.query == {"transactionType": "B2C"}
                return _status_of(self.payouts.get(ours), ours, "DP00900001015")
        return 404, {"message": "no such path"}

    def _token(self, request: Request) -> Said:
        asked = request.document
        if (asked["client_id"], asked["client_secret"]) != (CLIENT_ID, CLIENT_SECRET):
            return 400, {"error": "invalid_client"}
        self.tokens.append(f"synthetic-token-{len(self.tokens)}")
        return 200, {
            "token_type": "bearer",
            "access_token": self.tokens[-1],
            "expires_in": self.expires_in,
        }

    def _collect(self, request: Request) -> Said:
        asked = request.document
        ours, amount = asked["transaction"]["id"], asked["transaction"]["amount"]
        if ours in self.collections:
            return _said("ESB000041", success=False, result=True)
        if amount < 100:
            return _said("DP00800001004", success=False)
        self.collections[ours] = Transaction(amount, asked["subscriber"]["msisdn"])
        return _said("DP00800001006", {"id": ours, "status": "SUCCESS"})

    def _pay(self, request: Request) -> Said:
        asked = request.document
        ours = asked["transaction"]["id"]
        pin = PRIVATE.decrypt(base64.b64decode(asked["pin"]), padding.PKCS1v15()).decode()
        if ours in self.payouts:
            return _said("DP00900001011", success=False)
        if pin != PIN:
            return _said("DP00900001013", success=False)
        made = Transaction(asked["transaction"]["amount"], asked["payee"]["msisdn"])
        self.settle(made, self.payout_word, self.payout_code, f"MP{len(self.payouts):04}")
        self.payouts[ours] = made
        return _status_of(made, ours, "")


def _status_of(transaction: Transaction | None, ours: str, unknown: str) -> Said:
    if transaction is None:
        return _said(unknown, success=False)
    theirs = {"airtel_money_id": transaction.airtel_money_id, "message": "synthetic"}
    return _said(transaction.code, {"id": ours, "status": transaction.word, **theirs})


def _said(
    code: str, transaction: object = None, *, success: bool = True, result: bool = False
) -> Said:
    status = {"code": "200", "message": "SUCCESS" if success else "FAILED", "success": success}
    codes = {"result_code": code} if result else {"response_code": code, "result_code": "ESB000010"}
    data = {} if transaction is None else {"data": {"transaction": transaction}}
    return 200, {**data, "status": {**status, **codes}}
