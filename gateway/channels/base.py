"""What every aggregator's file speaks in: the messages and the two protocols a channel can fill."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol, runtime_checkable

from gateway.errors import BadInput
from gateway.formats import dial_string, json_forms
from gateway.formats.strict_json import InvalidJson


class Malformed(BadInput):
    """The aggregator's request lacks something we cannot do without."""


FIELD_CHARACTERS_MAX = 128  # of every field but the texts people write
WORD_CHARACTERS_MAX = 80
E164 = re.compile(r"\+[1-9][0-9]{7,14}\Z")


@dataclass(frozen=True, slots=True)
class Inbound:
    """A request as it arrived, free of any web framework; its repr shows nothing it may hold."""

    method: str
    form: Mapping[str, str] = field(repr=False)  # decoded; the last of a repeated name
    query: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    raw_query: bytes = field(default=b"", repr=False)  # for charsets other than UTF-8
    path: Mapping[str, str] = field(default_factory=dict, repr=False)  # parts of its own path


@dataclass(frozen=True, slots=True)
class Path:
    """A way in that an aggregator prescribes besides `POST /ussd/<channel>/<secret>`.

    `below` follows that path; its parts in angle brackets reach the channel in `Inbound.path`.
    """

    below: str
    methods: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LastInput:
    """What was entered on the last screen alone; at a start what was dialled behind the code."""

    text: str = field(repr=False)
    sequence: int | None = None  # the aggregator's number of this turn, where it has one
    is_start: bool = False


# What a request says was entered: the whole dialogue so far, joined by `*` (cumulative channels),
# or the last input.
Entered = str | LastInput


@dataclass(frozen=True, slots=True)
class UssdTurn:
    """One request of a USSD dialogue."""

    channel: str
    session_id: str  # "" where the aggregator has none
    phone: str  # as the aggregator wrote it; the web edge makes it E.164
    service_code: str
    network: str  # the aggregator's code for the mobile network, "" when not told
    text: Entered = field(repr=False)


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
    paths: tuple[Path, ...]

    def parse_turn(self, request: Inbound) -> UssdTurn | UssdEnd:
        """Raise `Malformed` when the session or the phone is missing."""

    def render(self, reply: UssdReply, asked: Inbound) -> bytes:
        """The response body to a request, which may be malformed; the same for the same two."""


@runtime_checkable
class UssdEvents(Protocol):
    """An aggregator that tells the end of a dialogue at an address of its own, `…/events`."""

    def parse_end(self, request: Inbound) -> UssdEnd:
        """Raise `Malformed` when the session is missing."""


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


def international(phone: str) -> str:
    """A phone number that is written in full but for its `+`, with it; others as they are.

    >>> international("233246912184"), international(" 254700000001"), international("+2547")
    ('+233246912184', '+254700000001', '+2547')
    >>> international("0246912184"), international("MTN")
    ('0246912184', 'MTN')
    """
    digits = phone.strip()
    whole = digits.isascii() and digits.isdigit() and not digits.startswith("0")
    return f"+{digits}" if whole else digits


def last_input(text: str, code: str, is_start: bool, sequence: int | None = None) -> LastInput:
    """A turn's input; at a dialogue's start only what was dialled behind the service code.

    >>> last_input("*920*44*1#", "*920*44#", True), last_input("1", "*920*44#", False)
    (LastInput(sequence=None, is_start=True), LastInput(sequence=None, is_start=False))
    """
    return LastInput(dial_string.behind(text, code) if is_start else text, sequence, is_start)


def json_flag(fields: Mapping[str, str], name: str) -> bool:
    """A field that is true or false, in JSON or as some quote it; raises `Malformed`.

    >>> json_flag({"newsession": "True"}, "newsession")
    True
    >>> json_flag({"newsession": "1"}, "newsession")
    Traceback (most recent call last):
    gateway.channels.base.Malformed: newsession is neither true nor false
    """
    said = optional(fields, name).lower()
    if said not in ("true", "false"):
        raise Malformed(f"{name} is neither true nor false")
    return said == "true"


def json_fields(body: bytes) -> dict[str, str]:
    """A JSON object read like a form, its names in lower case; raises `Malformed` for no object.

    >>> json_fields(b"[]")
    Traceback (most recent call last):
    gateway.channels.base.Malformed: not a JSON object
    """
    try:
        return json_forms.fields(body)
    except InvalidJson as error:
        raise Malformed(str(error)) from None


def json_echo(body: bytes) -> dict[str, str]:
    """The fields of a request for the reply to it; none when it cannot be read.

    >>> json_echo(b'{"SessionId": "1"}'), json_echo(b"oops")
    ({'sessionid': '1'}, {})
    """
    try:
        return json_fields(body)
    except Malformed:
        return {}


def lines(text: str) -> str:
    """A screen's text, its lines parted by a single line feed."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def plain(word: object) -> str:
    """The outside's word fit for a log: short, and digits masked, as it may echo a token.

    >>> plain("Could Not Send"), plain("no: 1234 5678\\n"), plain(None)
    ('Could Not Send', 'no: #### ####', 'no reason given')
    """
    if not isinstance(word, str) or not word.strip():
        return "no reason given"
    line = "".join(c for c in " ".join(word.split()) if c.isprintable())
    return re.sub(r"\d", "#", line)[:WORD_CHARACTERS_MAX]
