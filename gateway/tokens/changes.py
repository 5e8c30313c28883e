"""What others want to hear of the ends of tokens: handed in by whoever wires the gateway."""

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from sqlalchemy import Connection

from gateway.tokens.store import Status


class Ended(Protocol):
    """What is told of a token that was redeemed, has expired or was cancelled."""

    @property
    def id(self) -> int:
        """The row's."""

    @property
    def serial(self) -> str:
        """What people call it."""

    @property
    def funder_id(self) -> int:
        """The account that paid for it, which is no wallet."""


# Told in the transaction of the change, and only of tokens that no wallet has paid for: whoever
# listens may remember what each funder is, for it never changes and there are few.
Hear = Callable[[Connection, Ended, Status, datetime], None]


def unheard(_: Connection, __: Ended, ___: Status, ____: datetime) -> None:
    """The listener of a gateway that has none."""
