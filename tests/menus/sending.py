"""Sending tokens by menu, as the tests of 2 Send token and of sent tokens do it."""

import time
from decimal import Decimal

from gateway.settings.limits import Money
from gateway.switches import board
from gateway.switches.board import FRESH_SECONDS
from tests.support.wired import ADA, BELLO, Call, Wired
from tests.tokens.staging import wallet

PIN = "4711"
CHIDI = "+2348030000003"
FEES = Money(
    tiers={
        "basic": {"debit": Decimal("5000.00"), "debits_a_day": Decimal("8000.00")},
    },
    fees={"send": ((Decimal("1000.00"), Decimal("10.00")), (Decimal("5000.00"), Decimal("25.00")))},
)


def ready(wired: Wired, amount: str = "1000.00", phone: str = ADA) -> None:
    """A phone with a PIN and money."""
    wallet(wired, phone, amount)
    wired.set_pin(PIN, phone)


def confirm(wired: Wired, to: str = BELLO, amount: str = "500", phone: str = ADA) -> Call:
    """Dial up to the question for the PIN."""
    call = wired.dial(phone, text=f"2*{to}*{amount}")
    call.send("1")
    return call


def send(wired: Wired, to: str = BELLO, amount: str = "500", phone: str = ADA) -> str:
    """Send a token; its serial."""
    reply = confirm(wired, to, amount, phone).send(PIN)
    assert reply.startswith("END You have sent "), reply
    return reply.rpartition("Ref ")[2]


def pause(wired: Wired) -> None:
    """Let operators stop sends, and this process hear of it."""
    now = wired.clock.now()
    wired.run(lambda c: board.throw(c, "sends", "cli:ops", "a test", now, pause=True))
    time.sleep(FRESH_SECONDS)


def sms(wired: Wired, phone: str) -> list[str]:
    """The messages a phone has, the oldest first, when everything is sent."""
    wired.send_all()
    return [message.text for message in reversed(wired.gateway.inbox(phone))]
