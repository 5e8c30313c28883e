"""Tigo Pesa's push and payout services over real HTTP on loopback, and the callbacks they make."""

import json
import re
from urllib.parse import parse_qsl

from gateway.providers.base import flat_xml
from tests.emulators.provider import ProviderApi, Request, Said

USERNAME, PASSWORD, PIN = "biller", "synthetic-tigo-password", "1357"
TOKEN = "synthetic-token-1"
BILLER, BILLER_MSISDN = "900001", "255700000009"
LOGIN, PUSH, PAYOUT = "/token", "/PushBillPay", "/a2w"
MSISDN = re.compile(r"255[0-9]{9}")


def command(**fields: str) -> bytes:
    """A flat XML command."""
    return f"<COMMAND>{''.join(f'<{n}>{v}</{n}>' for n, v in fields.items())}</COMMAND>".encode()


def payout_answer(reference: str, status: str, txn_id: str = "") -> bytes:
    """What a payout is answered."""
    return command(
        TYPE="REQMFCI", REFERENCEID=reference, TXNID=txn_id, TXNSTATUS=status, MESSAGE="said"
    )


class TigoPesaApi(ProviderApi):
    """Prompts are taken down; payouts are paid once for each REFERENCEID."""

    def __init__(self) -> None:
        super().__init__()
        self.prompts: dict[str, dict[str, object]] = {}
        self.payouts: dict[str, str] = {}
        self.faulty_login = False

    def exempt(self, request: Request) -> bool:
        """Faults are for prompts and payouts, unless `faulty_login`."""
        return request.path == LOGIN and not self.faulty_login

    def answer(self, request: Request) -> Said:
        """As the path says."""
        paths = {LOGIN: self._login, PUSH: self._push, PAYOUT: self._payout}
        return paths[request.path](request)

    def callback(self, reference: str, *, paid: bool = True, txn_id: str = "SYN00000001") -> bytes:
        """The body of the notice about a prompt."""
        said = {
            "Status": paid,
            "Description": "Payment successful" if paid else "Payment failed",
            **({"MFSTransactionID": txn_id} if paid else {}),
            "ReferenceID": reference,
            "Amount": str(self.prompts[reference]["Amount"]),
        }
        return json.dumps(said).encode()

    def _login(self, request: Request) -> Said:
        given = dict(parse_qsl(request.body.decode()))
        good = {"username": USERNAME, "password": PASSWORD, "grant_type": "password"}
        if given != good:
            return 400, {"error": "invalid_grant"}
        said = {"access_token": TOKEN, "token_type": "bearer", "expires_in": 3600}
        return 200, said

    def _push(self, request: Request) -> Said:
        names = ("authorization", "username", "password")
        given = tuple(request.headers.get(name) for name in names)
        if given != (f"bearer {TOKEN}", USERNAME, PASSWORD):
            return 401, {"error": "unauthorized"}
        asked = request.document
        reference = asked["ReferenceID"]
        good = (
            MSISDN.fullmatch(asked["CustomerMSISDN"])
            and asked["BillerMSISDN"] == BILLER_MSISDN
            and reference.startswith(BILLER)
            and isinstance(asked["Amount"], int)
        )
        if good:
            self.prompts[reference] = asked
        said = {
            "ResponseCode": "BILLER-18-0000-S" if good else "BILLER-18-3020-E",
            "ResponseStatus": bool(good),
            "ResponseDescription": "Request in progress" if good else "Bad request",
            "ReferenceID": reference,
        }
        return 200, said

    def _payout(self, request: Request) -> Said:
        asked = flat_xml.texts(request.body)
        reference, status, txn_id = asked["REFERENCEID"], "200", ""
        if asked["TYPE"] != "REQMFCI" or not MSISDN.fullmatch(asked["MSISDN1"]):
            status = "100"
        elif asked["PIN"] != PIN:
            status = "00026"
        else:
            txn_id = self.payouts.setdefault(reference, f"A2W{len(self.payouts):08}")
        return 200, payout_answer(reference, status, txn_id)
