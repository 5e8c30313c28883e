"""What the menus may use: the parts of the gateway that stand behind the screens."""

from collections.abc import Callable
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from gateway.deposits.orders import Orders
from gateway.languages import Languages
from gateway.ledger.fees import Fees
from gateway.ledger.limits import Limits
from gateway.outlets.counter import Counter
from gateway.people.pins.choose import Chooser
from gateway.people.pins.prove import Pins
from gateway.people.subscribers import Subscribers
from gateway.sms.texts import CALL_US
from gateway.tokens.redeem import Redeemer
from gateway.tokens.reprint import Reprinter
from gateway.tokens.retire import Retirer
from gateway.tokens.send import Sends
from gateway.ussd.screens import Say
from gateway.withdrawals.cash import CashCodes
from gateway.withdrawals.request import Requester


@dataclass(frozen=True, slots=True)
class Desk:
    """The parts, wired once in app.py."""

    redeemer: Redeemer
    reprinter: Reprinter
    retirer: Retirer
    sends: Sends
    limits: Limits
    fees: Fees
    withdrawals: Requester
    cash: CashCodes
    orders: Orders
    counter: Counter
    is_payer: Callable[[Connection, str], bool]  # whether a phone is a cashier's or a manager's
    is_paused: Callable[[Connection, str], bool]  # whether operators have stopped a part of it
    subscribers: Subscribers
    pins: Pins
    chooser: Chooser
    languages: Languages
    country: str  # ISO 3166: whose numbers are typed without a prefix
    currency: str
    zone: ZoneInfo
    help_number: str  # "": there is none to name

    def call_us(self, say: Say) -> str:
        """The sentence that ends a text which leaves a person stuck; empty without a number."""
        return f" {say(CALL_US, help=self.help_number)}" if self.help_number else ""
