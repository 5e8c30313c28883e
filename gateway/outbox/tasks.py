"""What stands behind an outbox row that is no SMS: a task that asks, acts and records."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from sqlalchemy import Connection

from gateway.errors import SendFailed, Throttled
from gateway.outbox import queue
from gateway.outbox.store import Message

PUSH = "push"  # ask a phone for money: somebody waits for the prompt
PAYOUT = "payout"  # send money to a phone
QUERY = "query"  # ask a provider what became of something
WEBHOOK = "webhook"  # tell a partner
LINES = (PUSH, PAYOUT, QUERY, WEBHOOK)
# The name of a row's detail that says which provider it speaks to; `provider:<name>` pauses it.
PROVIDER = "provider"

# Speaks to the outside, with no transaction open, and returns what the outside said. Raises one
# of `SendFailed`'s children; anything else it raises counts as `OutcomeUnknown`.
Work = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Again:
    """The row is wanted again at a time; whatever was done for it may then be done once more."""

    at: datetime
    reason: str = ""
    counts: bool = True  # whether this try counts in the row's `attempts`


class Task(Protocol):
    """What rows of one template do; every method runs in a transaction, the work outside of any.

    After a `begin` that was committed and gave work, `done`, `failed` or `lost` follows for sure.
    """

    repeatable: bool  # whether a call whose outcome is unknown may simply be made again

    def begin(self, connection: Connection, message: Message, now: datetime) -> Work | None:
        """What to do outside; None when nothing is to be done any more.

        Raises `NotWanted` (dropped) or `NotYet` (asked again in a while, nothing is given up).
        """

    def done(
        self, connection: Connection, message: Message, result: Any, now: datetime
    ) -> Again | None:
        """Record what the work returned, in the transaction that closes the row.

        Also called when the lease ran out meanwhile and `lost` was asked: what was done was done.
        """

    def failed(
        self, connection: Connection, message: Message, failure: SendFailed, now: datetime
    ) -> Again | None:
        """Decide after `Unreachable`, `Throttled`, `Refused` or `OutcomeUnknown`; None: closed.

        `later` gives the usual answer to the first two.
        """

    def lost(self, connection: Connection, message: Message, now: datetime) -> Again | None:
        """Decide for a row whose worker died in the middle: its call may have been made."""


def later(message: Message, failure: SendFailed, now: datetime) -> Again | None:
    """Again after a backoff, or when the provider said; None after `ATTEMPTS_MAX` tries.

    What waits for an operator (an alarm) says nothing of the row and is never given up for it.
    """
    if isinstance(failure, Throttled):
        at = now + timedelta(seconds=failure.retry_after)
        if failure.alarm:
            return Again(at, failure.reason, counts=False)
    else:
        at = now + queue.backoff(message.attempts)
    return None if message.attempts >= queue.ATTEMPTS_MAX else Again(at, failure.reason)
