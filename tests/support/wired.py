"""The whole gateway over a test's database and clock, with short ways to issue, dial and look."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import Connection

from app import Gateway, web_application
from gateway import settings
from gateway.clock import Clock
from gateway.ledger import wallets
from gateway.ledger.invariants.check import Breach, check
from gateway.settings import AfricasTalking, Settings
from gateway.tokens import store
from gateway.tokens.issue import Issued, Order, expiry
from gateway.tokens.redeem import Caller, Outcome
from gateway.tokens.store import Token
from tests.support.compilations import share

T = TypeVar("T")

SECRET = "test-callback-secret"
ADA, BELLO = "+2348030000001", "+2348030000002"
GENERATE_KEY, LOOKUP_KEY = bytes(range(32)).hex(), bytes(range(32, 64)).hex()


def wired_settings(url: str, **changes: Any) -> Settings:
    """Settings for a test: golden keys, the simulator for SMS, Nigeria; `changes` win."""
    values: dict[str, Any] = {
        "mode": settings.DEMO,
        "bind": "127.0.0.1:0",
        "database_url": url,
        "token_keys": f"k1:{GENERATE_KEY}",
        "lookup_keys": f"p1:{LOOKUP_KEY}",
        "callback_secrets": (SECRET,),
        "session_key": "test-session-key-32-characters--",
        "pin_pepper": "test-pin-pepper-32-characters---",
        "sms_channels": ("simulator",),
        "africastalking": AfricasTalking(username="sandbox", api_key="test-api-key"),
        "country": "NG",
        "currency": "NGN",
        "zone": ZoneInfo("Africa/Lagos"),
        "trusted_proxies": 0,
        "service_code": "*384*1#",
        "short_code": "38400",
        "help_number": "",
        "languages": ("en", "fr"),
        "sms_prefixes": (),
        "sms_daily_max": 100_000,
        "sender_name": "Token Gateway",
        "ussd_budgets": {},
        "var": Path("var"),
    }
    return Settings(**{**values, **changes})


@dataclass
class Call:
    """One USSD dialogue through the real route, in process; `text` is all entered so far."""

    wired: "Wired"
    phone: str
    session_id: str
    text: str = ""
    body: str = field(init=False, default="")

    def post(self, text: str) -> str:
        """Post any text in this dialogue; the raw reply."""
        form = {
            "sessionId": self.session_id,
            "phoneNumber": self.phone,
            "networkCode": "62130",
            "serviceCode": "*384*1#",
            "text": text,
        }
        answer = self.wired.client.post(f"/ussd/africastalking/{SECRET}", data=form)
        assert answer.status_code == 200
        self.body = answer.get_data(as_text=True)
        return self.body

    def send(self, entry: str) -> str:
        """Enter something; the raw reply."""
        self.text = f"{self.text}*{entry}" if self.text else entry
        return self.post(self.text)


class Wired:
    """A gateway for tests; `client` is Flask's test client on the real application."""

    def __init__(self, url: str, clock: Clock, **changes: Any) -> None:
        self.gateway = Gateway(wired_settings(url, **changes), clock)
        share(self.gateway.database.engine)
        self.clock = clock

    @cached_property
    def app(self) -> Flask:
        """The real application, made when it is first asked for: most tests work below it."""
        return web_application(self.gateway)

    @cached_property
    def client(self) -> FlaskClient:
        """A client that calls it in process."""
        return self.app.test_client()

    def run(self, work: Callable[[Connection], T]) -> T:
        """One unit of work."""
        return self.gateway.database.run(work)

    def issue(self, amount: str = "100.00", to: str | None = ADA, **changes: Any) -> Issued:
        """A token that the house funds; `.reveal()` gives its digits. Queues no SMS by default."""
        now = self.clock.now()
        values = {
            "expires_at": expiry("30d", now, self.gateway.settings.zone),
            "recipient": to,
            "deliver": False,
            **changes,
        }
        order = Order(amount=Decimal(amount), currency="NGN", **values)
        return self.run(lambda c: self.gateway.issuer.issue(c, order, now))

    def redeem(self, token: str, phone: str = ADA, channel: str = "africastalking") -> Outcome:
        """Redeem below the USSD engine, in one unit of work."""
        caller = Caller(phone, channel, "en")
        now = self.clock.now()
        return self.run(lambda c: self.gateway.desk.redeemer.redeem(c, token, caller, now))

    def dial(self, phone: str = ADA, text: str = "", session_id: str | None = None) -> Call:
        """Dial; a `text` is a direct dial."""
        call = Call(self, phone, session_id or f"ATUid_{secrets.token_hex(16)}", text)
        call.post(text)
        return call

    def set_pin(self, pin: str = "4711", phone: str = ADA) -> None:
        """Set the first PIN of a phone, as its owner does."""
        call = self.dial(phone, text="5*2")
        call.send(pin)
        assert call.send(pin).startswith("END Your PIN is set.")

    def balance(self, phone: str = ADA) -> Decimal:
        """What a phone can spend."""
        wallet = self.run(lambda c: wallets.find(c, phone, "NGN"))
        return (wallet.balance if wallet else None) or Decimal("0.00")

    def token(self, serial: str) -> Token:
        """A token's row."""
        found = self.run(lambda c: store.by_serial(c, serial))
        assert found is not None
        return found

    def send_all(self, worker: str = "test") -> int:
        """Let a worker send everything that is due; how many messages it handled."""
        sender = self.gateway.sender(worker)
        handled = 0
        while sender.send_next():
            handled += 1
        return handled

    def breaches(self) -> list[Breach]:
        """What `books check` finds; every test of money ends with this being empty."""
        with self.gateway.database.snapshot() as connection:
            return check(connection, self.gateway.parts().invariants)

    def close(self) -> None:
        """Give the connections back."""
        self.gateway.database.dispose()
