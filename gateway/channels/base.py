"""What every aggregator's file speaks in: the messages and the two protocols a channel can fill."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from gateway.errors import BadInput


class Malformed(BadInput):
    """The aggregator's request lacks something we cannot do without."""


FIELD_CHARACTERS_MAX = 128  # of every field but the texts people write


@dataclass(frozen=True, slots=True)
class Inbound:
    """A request as it arrived, free of any web framework; its repr shows nothing it may hold."""

    method: str
    form: Mapping[str, str] = field(repr=False)  # decoded; the last of a repeated name
    query: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class UssdTurn:
    """One request of a USSD dialogue."""

    channel: str
    session_id: str
    phone: str  # as the aggregator wrote it; the web edge makes it E.164
    service_code: str
    network: str  # the aggregator's code for the mobile network, "" when not told
    text: str = field(repr=False)  # the whole dialogue so far, joined by `*` (cumulative channels)


@dataclass(frozen=True, slots=True)
class UssdReply:
    """What the caller sees; `ends` closes the dialogue."""

    text: str = field(repr=False)
    ends: bool
    unconfirmed: str = field(default="", repr=False)  # said instead if no answer to COMMIT comes


@dataclass(frozen=True, slots=True)
class UssdEnd:
    """The aggregator's notice that a dialogue is over."""

    channel: str
    session_id: str
    phone: str
    status: str  # the aggregator's word


@dataclass(frozen=True, slots=True)
class InboundSms:
    """A mobile-originated message."""

    channel: str
    message_id: str
    sender: str
    recipient: str  # our short code
    text: str = field(repr=False)
    sent_at: datetime | None  # None when the aggregator's date is missing or odd


class Delivery(StrEnum):
    """Where a message we sent stands, by its delivery reports."""

    INTERIM = "interim"
    DELIVERED = "delivered"
    FAILED = "failed"
    UNKNOWN_WORD = "unknown_word"  # stored as it came, decides nothing


@dataclass(frozen=True, slots=True)
class DeliveryReport:
    """What the aggregator says of a message we sent; `message_id` is compared exactly."""

    channel: str
    message_id: str
    delivery: Delivery
    status: str = field(repr=False)  # the aggregator's word, verbatim; it may echo the message
    reason: str = field(repr=False)  # "" when none
    phone: str = ""  # whom the message went to; the only tie to a send that got no id back


@dataclass(frozen=True, slots=True)
class Handover:
    """The aggregator took a message over."""

    message_id: str  # "" when the aggregator gives none
    cost: str = ""
    delivered: bool = False  # true only where handing over is delivering (the simulator)


class UssdChannel(Protocol):
    """USSD of one aggregator."""

    name: str
    content_type: str
    septets_max: int

    def parse_turn(self, request: Inbound) -> UssdTurn:
        """Raise `Malformed` when the session or the phone is missing."""

    def parse_end(self, request: Inbound) -> UssdEnd:
        """Raise `Malformed` when the session is missing."""

    def render(self, reply: UssdReply) -> bytes:
        """The response body, byte for byte the same for the same reply."""


class SmsChannel(Protocol):
    """SMS of one aggregator."""

    name: str

    def parse_message(self, request: Inbound) -> InboundSms:
        """Raise `Malformed` when the id or the sender is missing."""

    def parse_report(self, request: Inbound) -> DeliveryReport:
        """Raise `Malformed` when the id is missing."""

    def send(self, to: str, text: str, *, reference: str, sender_id: str | None) -> Handover:
        """Hand one message over; raise one of `SendFailed`'s children otherwise.

        `reference` is ours and the same for every try of the same message.
        """


def optional(fields: Mapping[str, str], name: str) -> str:
    """A field exactly as it came, "" when absent; raises `Malformed` above 128 characters.

    >>> optional({"networkCode": "62130"}, "networkCode"), optional({}, "networkCode")
    ('62130', '')
    >>> optional({"networkCode": "6" * 129}, "networkCode")
    Traceback (most recent call last):
    gateway.channels.base.Malformed: networkCode is longer than 128 characters
    """
    value = fields.get(name, "")
    if len(value) > FIELD_CHARACTERS_MAX:
        raise Malformed(f"{name} is longer than {FIELD_CHARACTERS_MAX} characters")
    return value


def required(fields: Mapping[str, str], name: str) -> str:
    """A field exactly as it came; raises `Malformed` when it is absent, blank or too long.

    >>> required({"sessionId": "ATUid_1"}, "sessionId")
    'ATUid_1'
    >>> required({"sessionId": " "}, "sessionId")
    Traceback (most recent call last):
    gateway.channels.base.Malformed: sessionId is missing
    """
    value = optional(fields, name)
    if not value.strip():
        raise Malformed(f"{name} is missing")
    return value


def with_plus(phone: str) -> str:
    """A phone number whose `+` was sent unescaped in a form, and so arrived as a space, mended.

    >>> with_plus(" 254700000001"), with_plus("+254700000001"), with_plus("MTN")
    ('+254700000001', '+254700000001', 'MTN')
    """
    digits = phone.strip()
    return f"+{digits}" if phone.startswith(" ") and digits.isdigit() else digits
