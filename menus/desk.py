"""What the menus may use: the parts of the gateway that stand behind the screens."""

from dataclasses import dataclass
from zoneinfo import ZoneInfo

from gateway.languages import Languages
from gateway.people.subscribers import Subscribers
from gateway.tokens.redeem import Redeemer
from gateway.tokens.reprint import Reprinter


@dataclass(frozen=True, slots=True)
class Desk:
    """The parts, wired once in app.py."""

    redeemer: Redeemer
    reprinter: Reprinter
    subscribers: Subscribers
    languages: Languages
    currency: str
    zone: ZoneInfo
