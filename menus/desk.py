"""What the menus may use: the parts of the gateway that stand behind the screens."""

from dataclasses import dataclass
from zoneinfo import ZoneInfo

from gateway.languages import Languages
from gateway.people.pins.choose import Chooser
from gateway.people.pins.prove import Pins
from gateway.people.subscribers import Subscribers
from gateway.tokens.redeem import Redeemer
from gateway.tokens.reprint import Reprinter
from gateway.ussd.screens import Say

CALL_US = "Please call {help}."


@dataclass(frozen=True, slots=True)
class Desk:
    """The parts, wired once in app.py."""

    redeemer: Redeemer
    reprinter: Reprinter
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
