"""All that happened to a token, in one line of time, and what it moved in the books."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection

from gateway.audit import store as audit
from gateway.ledger.floats import SURPLUS
from gateway.ledger.listing import store as ledger
from gateway.ledger.listing.store import Booked
from gateway.outbox.listed import store as outbox
from gateway.outbox.store import SMS, Message
from gateway.tokens.issue import DELIVERY
from gateway.tokens.redeem import RECEIPT
from gateway.tokens.store import Token

ROWS_MAX: Final = 200  # of each kind
# What each text is, by its template; the others are notices about the token.
TEXTS: Final[Mapping[str, str]] = {
    DELIVERY: "SMS with the token",
    RECEIPT: "SMS with the receipt",
}
STATES: Final[Mapping[str, str]] = {
    "queued": "waits to be sent",
    "sending": "is being sent",
    "unknown": "was handed over, no answer yet",
    "sent": "was taken by the network",
    "delivered": "was delivered",
    "failed": "failed",
    "dropped": "was not wanted any more",
}
# Every way in which a token's value moves, and how the books name the movement.
KEYS: Final = ("redeem", "cancel", "expire")
DEEDS: Final[Mapping[str, str]] = {
    "token.issue": "Issued",
    "token.suspend": "Suspended",
    "token.resume": "Resumed",
    "token.cancel": "Cancelled",
    "token.resend": "Reprinted to its recipient",
    "token.reprint": "Digits shown again",
    "token.reveal": "Digits shown at issue",
    "token.refused": "Refused to whoever entered it",
    "token.pay": "Paid at a till",
}


@dataclass(frozen=True, slots=True)
class Happened:
    """One thing that happened; `who` is an actor or a phone, empty for nobody in particular."""

    at: datetime
    what: str
    who: str = ""
    note: str = ""
    bad: bool = False


def history(connection: Connection, token: Token) -> Sequence[Happened]:
    """The latest first. Raises nothing for what it does not know: its own name stands there."""
    lines = audit.latest(connection, ROWS_MAX, subject=token.serial)
    messages = outbox.latest(connection, ROWS_MAX, subject=token.serial, line=SMS)
    found = [
        *(
            Happened(line.at, DEEDS.get(line.action, line.action), line.actor, line.reason)
            for line in lines
        ),
        *map(_sent, messages),
        *_stands(token, {line.action for line in lines}),
    ]
    return sorted(found, key=lambda one: one.at, reverse=True)


def movements(connection: Connection, token: Token) -> Sequence[Booked]:
    """What its issue and its end have moved, as they were booked."""
    ends = [f"{key}:{token.id}" for key in KEYS]
    beyond = [f"{SURPLUS}:{end}" for end in ends]
    return ledger.booked(connection, [f"issue:{token.txn_id}", *ends, *beyond])


def _stands(token: Token, recorded: set[str]) -> Iterator[Happened]:
    """What the token's own row says, unless the trail has said it better."""
    if "token.issue" not in recorded:
        yield Happened(token.issued_at, DEEDS["token.issue"], token.issuer)
    if token.redeemed_at is not None:
        through = f"through {token.redeemed_channel}" if token.redeemed_channel else ""
        yield Happened(token.redeemed_at, "Redeemed", token.redeemed_by or "", through)
    if token.status == "expired":
        yield Happened(token.changed_at, "Expired: its value went back")


def _sent(message: Message) -> Happened:
    what = TEXTS.get(message.template, f"SMS: {message.template.replace('_', ' ')}")
    parts = [STATES.get(message.state, message.state)]
    parts += [f"over {message.channel}"] if message.channel else []
    parts += [message.reason] if message.reason else []
    bad = message.state == "failed"
    return Happened(message.created_at, what, message.recipient, ", ".join(parts), bad)
