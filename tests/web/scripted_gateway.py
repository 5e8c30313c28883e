"""A gateway that answers by script, so that the phone page can be tested without the product."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Event
from typing import Final

from flask import Flask, Response, request

from gateway.web.phone import PhoneParts, Sms, blueprint

ADA: Final = "+2348030000001"
BAYO: Final = "+2348030000002"
TOKEN: Final = "123456789012345671"
SERVICE_CODE: Final = "*384*1#"
TOKEN_SMS: Final = (
    "Bayo sent you NGN 500.00. Token: 1234 5678 9012 345671. To redeem dial"
    f" *384*1*1*{TOKEN}# by 30 Dec 2026. Help: 0800 123 4567"
)

ROOT: Final = (
    "CON Payment tokens\n1 Redeem token\n2 Send token\n3 My tokens\n4 My wallet\n5 Settings\n0 Exit"
)
REPLIES: Final = {
    "": ROOT,
    "1": "CON Enter the token, 18 or 11 digits:\n0 Back  00 Home",
    "1*123": "CON This number is not right. Check it and enter the token again:\n0 Back  00 Home",
    f"1*{TOKEN}": "END NGN 500.00 is in your wallet.\nNew balance: NGN 1,250.00\nRef K7QM-4TXD",
    "4": "CON My wallet\n1 Balance\n2 Statement\n3 Top up\n4 Withdraw\n0 Back  00 Home",
    "4*2": (
        "CON Statement\n30 Nov +500.00 token\n29 Nov -200.00 sent\n28 Nov +1,000.00 top up\n"
        "27 Nov -50.00 sent\n26 Nov +300.00 token\n25 Nov -75.00 sent\n24 Nov +10.00 token\n"
        "98 More\n0 Back  00 Home"
    ),
    "0": "END Goodbye.",
}


@dataclass(slots=True)
class Gateway:
    """What the script answers, and what was asked; a test changes the fields as it goes."""

    people: list[tuple[str, str]] = field(default_factory=lambda: [(ADA, "Ada"), (BAYO, "Bayo")])
    replies: dict[str, str] = field(default_factory=lambda: dict(REPLIES))
    inboxes: dict[str, list[Sms]] = field(default_factory=dict)
    ussd_status: int = 200
    sms_status: int = 200
    answers: Event = field(default_factory=Event)  # cleared, it holds every answer back
    turns: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    messages: list[dict[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.answers.set()

    @property
    def texts(self) -> list[str]:
        return [turn["text"] for turn in self.turns]

    def deliver(self, number: str, text: str, sender: str = "Tokens") -> None:
        inbox = self.inboxes.setdefault(number, [])
        inbox.insert(0, Sms(id=len(inbox) + 1, sender=sender, text=text, at=datetime.now(UTC)))


def application(gateway: Gateway) -> Flask:
    """The phone's blueprint beside two endpoints that answer from the script."""
    app = Flask(__name__, static_folder=None)

    @app.post("/ussd/africastalking/s3cret")
    def ussd() -> Response:
        gateway.bodies.append(request.get_data(cache=True))
        gateway.turns.append(request.form.to_dict())
        gateway.answers.wait(timeout=20)
        reply = gateway.replies.get(request.form["text"], "END Invalid choice.")
        return Response(reply, status=gateway.ussd_status, mimetype="text/plain")

    @app.post("/sms/africastalking/s3cret/inbound")
    def sms() -> Response:
        gateway.messages.append(request.form.to_dict())
        return Response("", status=gateway.sms_status, mimetype="text/plain")

    parts = PhoneParts(
        phones=lambda: gateway.people,
        inbox=lambda number: gateway.inboxes.get(number, []),
        ussd_path="/ussd/africastalking/s3cret",
        sms_path="/sms/africastalking/s3cret/inbound",
        service_code=SERVICE_CODE,
        short_code="38400",
        network="62130",
    )
    app.register_blueprint(blueprint(parts))
    return app
