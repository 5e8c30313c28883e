"""What the counter's pages are wired to; wiring/pages.py fills it."""

from dataclasses import dataclass
from zoneinfo import ZoneInfo

from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.outlets.counter import Counter
from gateway.web.pages.door import Door


@dataclass(frozen=True, slots=True)
class CounterParts:
    """The wired gateway, as the counter uses it."""

    door: Door
    database: Database
    clock: Clock
    zone: ZoneInfo
    country: str  # ISO 3166: whose numbers are typed without a prefix
    currency: str
    counter: Counter
