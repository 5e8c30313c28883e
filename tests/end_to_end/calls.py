"""Short ways to issue, post and look that the end-to-end tests share."""

import http.client
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from typing import NamedTuple
from urllib.parse import urlencode

from app import Gateway
from gateway import settings
from gateway.ledger import wallets
from gateway.ledger.invariants.check import check
from gateway.tokens.issue import Order, expiry
from tests.emulators.posting import FORM, Answer
from tests.support.serving import Installed, Web
from tests.support.wired import ADA, SECRET

USSD = f"/ussd/africastalking/{SECRET}"
INBOUND = f"/sms/africastalking/{SECRET}/inbound"
ANSWER_SECONDS_MAX = 3.0  # what a caller's network waits


class Token(NamedTuple):
    """A token that was issued."""

    serial: str
    digits: str


def issue(installed: Installed, *, digits: int = 18, to: str = ADA) -> Token:
    """A token of 500.00 with its SMS, as `gateway tokens issue` makes it.

    In this process: a command takes a second to start, and many tests need many tokens.
    """
    gateway = Gateway(settings.read(installed.env))
    now = gateway.clock.now()
    order = Order(
        amount=Decimal("500.00"),
        currency=gateway.settings.currency,
        expires_at=expiry("30d", now, gateway.settings.zone),
        digits=digits,
        recipient=to,
        actor="cli:test",
    )
    made = gateway.database.run(lambda c: gateway.issuer.issue(c, order, now))
    gateway.database.dispose()
    return Token(made.serial, made.reveal())


def phone(number: int) -> str:
    """One of many phones."""
    return f"+23480300{number:05d}"


def form(text: str, session: str = "ATUid_1", caller: str = ADA) -> dict[str, str]:
    """Africa's Talking's fields of one turn."""
    return {
        "sessionId": session,
        "phoneNumber": caller,
        "networkCode": "62130",
        "serviceCode": "*384*1#",
        "text": text,
    }


def post(
    web: Web,
    body: Mapping[str, str] | bytes | Iterator[bytes],
    path: str = USSD,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """Post as curl does; an iterator goes out in chunks without a length."""
    raw = urlencode(body).encode() if isinstance(body, Mapping) else body
    line = http.client.HTTPConnection("127.0.0.1", web.port, timeout=15)
    try:
        line.request("POST", path, raw, {"Content-Type": FORM, **(headers or {})})
        response = line.getresponse()
        return Answer(response.status, response.getheader("Content-Type", ""), response.read())
    finally:
        line.close()


@contextmanager
def in_time(seconds: float = ANSWER_SECONDS_MAX) -> Iterator[None]:
    """Fail when the block takes longer than a caller waits."""
    began = time.monotonic()
    yield
    took = time.monotonic() - began
    assert took < seconds, f"took {took:.2f} s"


def is_last_screen(answer: Answer) -> bool:
    """Whether this is a proper last screen with words on it."""
    proper = answer.status == 200 and answer.content_type.startswith("text/plain")
    return proper and answer.body.startswith(b"END ") and len(answer.body) > len(b"END ") + 5


def balance(installed: Installed, caller: str = ADA) -> str:
    """What a phone can spend."""
    gateway = Gateway(settings.read(installed.env))
    with gateway.database.snapshot() as connection:
        found = wallets.find(connection, caller, gateway.settings.currency)
    gateway.database.dispose()
    assert found is not None
    return str(found.balance)


def books_are_sound(installed: Installed) -> bool:
    """Whether `gateway books check` would find nothing; in this process, as `issue`."""
    gateway = Gateway(settings.read(installed.env))
    try:
        with gateway.database.snapshot() as connection:
            return check(connection, gateway.parts().invariants) == []
    finally:
        gateway.database.dispose()
