"""What every money provider's file speaks in: callbacks, notices, orders, payouts, statuses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Protocol

from gateway.errors import BadInput, GatewayError

ID_CHARACTERS_MAX = 64  # of every id that a provider gives us
REASON_CHARACTERS_MAX = 200


class Unauthorized(GatewayError):
    """The callback does not prove who sent it (401); nothing of it is believed or kept."""


class Malformed(BadInput):
    """The callback proves its sender but cannot be read (400); its bytes are kept."""


class Trust(StrEnum):
    """What a dialect's callback proves (M6)."""

    SIGNED = "signed"  # the proof covers the amount: credit in the request
    QUERIED = "queried"  # a hint only: ask the provider, then credit what our order says
    LINE = "line"  # secret path and address list: orders credit what they say


class Outcome(StrEnum):
    """What became of a payment or payout, as far as its provider knows."""

    SUCCEEDED = "succeeded"
    PENDING = "pending"  # also every word that no table knows: ask again later
    FAILED = "failed"
    REVERSED = "reversed"  # paid once and taken back


class Kind(StrEnum):
    """What a callback is about."""

    PAYMENT = "payment"  # money in
    PAYOUT = "payout"  # money out
    QUESTION = "question"  # a lookup or validation: answered at once, changes nothing


class Decision(StrEnum):
    """What we say to a callback; each dialect has its own words for it."""

    TAKEN = "taken"  # stored for good, also when it is a repeat
    UNKNOWN_REFERENCE = "unknown_reference"  # to a question: nobody has this reference
    WRONG_AMOUNT = "wrong_amount"  # to a question: the order is over another amount
    TOO_MUCH = "too_much"  # to a question: above what we may take
    TOO_LITTLE = "too_little"  # to a question: below what we take
    NOT_NOW = "not_now"  # to a question: we cannot take money at present


@dataclass(frozen=True, slots=True)
class Callback:
    """A request of a provider as it arrived; its repr shows nothing it may hold."""

    part: str  # what stands behind the dialect's path, such as "stk"; "" when nothing does
    headers: Sequence[tuple[str, str]] = field(repr=False)
    body: bytes = field(repr=False)
    address: str  # of the client, behind the proxies that are trusted
    received_at: datetime

    def header(self, name: str) -> str:
        """A header's value, "" when absent; one that came twice proves nothing.

        Raises `Unauthorized` for a repeated header.
        """
        values = [value for key, value in self.headers if key.lower() == name.lower()]
        if len(values) > 1:
            raise Unauthorized(f"{name} came {len(values)} times")
        return values[0] if values else ""


@dataclass(frozen=True, slots=True)
class Notice:
    """What a callback says, in our words. An empty text stands for what it does not say."""

    kind: Kind
    outcome: Outcome
    txn_id: str = ""  # the carrier's transaction id, exactly as it came
    reference: str = ""  # ours, as the provider echoes it, or what the payer typed as one
    provider_ref: str = ""  # the provider's id of our request
    amount: Decimal | None = None
    currency: str = ""
    payer: str = ""  # the phone as the provider writes it; may be masked
    event_id: str = ""
    occurred_at: datetime | None = None  # aware, UTC
    reason: str = ""
    echo: Mapping[str, str] = field(default_factory=dict)  # what the acknowledgement repeats


@dataclass(frozen=True, slots=True)
class Answer:
    """The HTTP answer to a callback, in the dialect's own form."""

    body: bytes
    content_type: str = "application/json"
    status: int = 200


class Dialect(Protocol):
    """One form of callback: one path, one proof, one vocabulary."""

    # Read alone, so that a class may write them as it likes.
    @property
    def path(self) -> str:
        """Behind /webhooks/, such as "selcom/c2b"."""

    @property
    def parts(self) -> Sequence[str]:
        """What may follow the path; ("",) when nothing does."""

    @property
    def books_as(self) -> str:
        """The provider in our books: ids are unique within it."""

    @property
    def trust(self) -> Trust:
        """What its callback proves."""

    @property
    def guarded(self) -> bool:
        """Whether the path secret and the address list stand before it."""

    @property
    def allowed_addresses(self) -> Sequence[str]:
        """Addresses and networks; empty: any."""

    def authenticate(self, callback: Callback) -> None:
        """Raise `Unauthorized` unless the bytes prove their sender; nothing else is read here."""

    def parse(self, callback: Callback) -> Notice:
        """Raise `Malformed`; called after `authenticate` alone."""

    def acknowledge(self, callback: Callback, notice: Notice, decision: Decision) -> Answer:
        """The provider's own acknowledgement; the same for the same callback."""


@dataclass(frozen=True, slots=True)
class Order:
    """A payment we ask a phone for. `reference` is ours, 1 to 12 of A-Z and 0-9, never reused."""

    reference: str
    msisdn: str  # E.164
    amount: Decimal
    currency: str


@dataclass(frozen=True, slots=True)
class Pushed:
    """The provider has taken the order and shows the phone its prompt: nothing is paid yet."""

    provider_ref: str = ""  # the provider's id of the request
    reference: str = ""  # what the provider knows the order by, where that is not ours


@dataclass(frozen=True, slots=True)
class Amounts:
    """Which amounts a provider pays out, in its currency, as far as it is known."""

    least: Decimal = Decimal("0.01")
    whole: bool = False  # no cents


WHOLE = Amounts(least=Decimal("1.00"), whole=True)


@dataclass(frozen=True, slots=True)
class Payout:
    """Money we send to a phone. `reference` is ours, 1 to 12 of A-Z and 0-9, never reused."""

    reference: str
    msisdn: str  # E.164
    amount: Decimal
    currency: str


@dataclass(frozen=True, slots=True)
class Asked:
    """An order or payout whose state we ask for, by the references both sides know."""

    reference: str
    provider_ref: str
    requested_at: datetime
    amount: Decimal
    currency: str
    msisdn: str = ""


@dataclass(frozen=True, slots=True)
class Status:
    """What the provider answers; `amount` where it says one, to be compared with ours."""

    outcome: Outcome
    txn_id: str = ""
    provider_ref: str = ""
    amount: Decimal | None = None
    reason: str = ""


class Collects(Protocol):
    """A provider that can ask a phone for money."""

    @property
    def name(self) -> str:
        """As the books call it."""

    @property
    def phone_prefixes(self) -> Sequence[str]:
        """E.164 prefixes of the phones it serves; empty: any."""

    @property
    def currencies(self) -> Sequence[str]:
        """The currencies it takes, ISO 4217."""

    def push(self, order: Order) -> Pushed:
        """Ask the phone to pay; raises one of `SendFailed`'s children."""

    def ask(self, asked: Asked) -> Status:
        """What became of an order; PENDING when the provider cannot tell yet or never heard of it.

        Raises one of `SendFailed`'s children when there is no answer.
        """


class Pays(Protocol):
    """A provider that can pay a phone; which amounts, it may say as its `payout_amounts`."""

    @property
    def name(self) -> str:
        """As the books call it."""

    @property
    def phone_prefixes(self) -> Sequence[str]:
        """E.164 prefixes of the phones it serves; empty: any."""

    @property
    def currencies(self) -> Sequence[str]:
        """The currencies it takes, ISO 4217."""

    def pay(self, payout: Payout) -> Status:
        """Pay once. PENDING: taken, the result follows.

        Raises `Unreachable` and `Throttled` only when nothing can have been paid, `Refused` when
        it never will be, and `OutcomeUnknown` for everything else: never repeat that blindly.
        """

    def ask_payout(self, asked: Asked) -> Status:
        """What became of a payout, by the reference it was sent under.

        FAILED only on a definitive word of the provider; "not found" is PENDING.
        """
