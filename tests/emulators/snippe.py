"""Snippe's API on loopback: payments and payouts that are pending until a test settles them."""

from typing import Any

from tests.emulators.provider import ProviderApi, Request, Said

API_KEY = "snp_synthetic_key"
FEE = 1500
AMOUNT_MIN = {"payments": 500, "payouts": 5000}
KEY_CHARACTERS_MAX = 30


class SnippeApi(ProviderApi):
    """Answers as references/{payments,disbursements,errors}.md describe."""

    prefix = "/v1"

    def __init__(self) -> None:
        super().__init__()
        self.made: dict[str, dict[str, Any]] = {}  # by Snippe's reference, payments and payouts
        self._keyed: dict[str, tuple[bytes, str]] = {}
        self.echoes_metadata = True

    def settle(self, reference: str, status: str, **members: object) -> None:
        """Let a payment or payout reach a status, as its payer or the network decides."""
        self.made[reference].update(status=status, **members)

    def by_order(self, order_id: str) -> list[dict[str, Any]]:
        """What was made under one of our references."""
        return [one for one in self.made.values() if one["metadata"]["order_id"] == order_id]

    def answer(self, request: Request) -> Said:
        """Route it."""
        if request.headers.get("authorization") != f"Bearer {API_KEY}":
            return _error(401, "unauthorized")
        match request.method, request.path.strip("/").split("/"):
            case "POST", ["payments"]:
                return self._make(request, "payments", "pi")
            case "POST", ["payouts", "send"]:
                return self._make(request, "payouts", "po")
            case "GET", ["payouts", "fee"]:
                amount = int(request.query["amount"])
                return _success({"amount": amount, "fee_amount": FEE, "total_amount": amount + FEE})
            case "GET", ["payments", "search"] | ["payouts"]:
                noun = request.path.split("/")[1]
                listed = [one for one in self.made.values() if one["noun"] == noun]
                return _success([self._shown(one) for one in listed])
            case "GET", ["payments" | "payouts", reference] if reference in self.made:
                return _success(self._shown(self.made[reference]))
        return _error(404, "not_found")

    def _make(self, request: Request, noun: str, mark: str) -> Said:
        key = request.headers.get("idempotency-key", "")
        if len(key) > KEY_CHARACTERS_MAX:
            return _error(500, "PAY_001")
        if key in self._keyed:
            body, reference = self._keyed[key]
            if body != request.body:
                return _error(422, "validation_error")
            return _success(self._shown(self.made[reference]), 201)
        asked = request.document
        amount = asked["details"]["amount"] if noun == "payments" else asked["amount"]
        if type(amount) is not int or amount < AMOUNT_MIN[noun]:
            return _error(400, "validation_error")
        reference = f"{mark}_synthetic{len(self.made) + 1:04}"
        self._keyed[key] = (request.body, reference)
        self.made[reference] = {
            "noun": noun,
            "reference": reference,
            "status": "pending",
            "amount": {"value": amount, "currency": "TZS"},
            "metadata": asked["metadata"],
        }
        return _success(self._shown(self.made[reference]), 201)

    def _shown(self, one: dict[str, Any]) -> dict[str, Any]:
        hidden = ("noun",) if self.echoes_metadata else ("noun", "metadata")
        return {name: value for name, value in one.items() if name not in hidden}


def _success(data: object, code: int = 200) -> Said:
    return code, {"status": "success", "code": code, "data": data}


def _error(code: int, word: str) -> Said:
    return code, {"status": "error", "code": code, "error_code": word, "message": word}
