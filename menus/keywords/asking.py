"""What every conversation by SMS is handed, and what it hands back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection

from gateway.sms.inbound import Incoming


@dataclass(frozen=True, slots=True)
class Asking:
    """One text that asks for something, in the transaction that stores it."""

    connection: Connection
    incoming: Incoming
    language: str

    @property
    def msisdn(self) -> str:
        """Who wrote."""
        return self.incoming.msisdn

    @property
    def now(self) -> datetime:
        """When it came."""
        return self.incoming.now


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a text, and the note that says so; "" when another SMS says it, or nothing."""

    outcome: str
    note: str = ""
    details: Mapping[str, str] = field(default_factory=dict)  # never a token's digits
    serial: str = ""
    once: str = ""  # the cause, where the same is not said again for every text
