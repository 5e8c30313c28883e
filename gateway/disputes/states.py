"""The table of disputes: what each is about, what opening one does, and how it may end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gateway.tokens.store import Status as Token
from gateway.withdrawals.store import State as Withdrawal


class Kind(StrEnum):
    """What a dispute is about, as it was when the dispute was opened."""

    LIVE = "live"  # a token
    REDEMPTION = "redemption"
    HELD = "held"  # a withdrawal that is not paid yet
    PAID = "paid"  # a withdrawal that was


class State(StrEnum):
    """The states of a dispute; it leaves `open` once."""

    OPEN = "open"
    REFUNDED = "refunded"
    RELEASED = "released"
    REJECTED = "rejected"


class Opening(StrEnum):
    """What opening does to the subject."""

    NOTHING = "nothing"
    SUSPENDS = "suspends"
    STOPS_PAYOUT = "stops_payout"


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the table."""

    opening: Opening
    ends: Sequence[State]
    movement: str  # the kind of movement that a refund is booked as
    partial: bool = False  # whether less than everything may be refunded


KINDS: Mapping[Token | Withdrawal, Kind] = {
    Token.ISSUED: Kind.LIVE,
    Token.SUSPENDED: Kind.LIVE,
    Token.REDEEMED: Kind.REDEMPTION,
    Withdrawal.HELD: Kind.HELD,
    Withdrawal.PAID: Kind.PAID,
}
ANY_END = (State.REFUNDED, State.RELEASED, State.REJECTED)
GIVEN_AWAY = (State.REFUNDED, State.REJECTED)  # what is done cannot be released
REFUND = "refund"  # the movement of a refund that has no other name
RULES: Mapping[Kind, Rule] = {
    Kind.LIVE: Rule(Opening.SUSPENDS, ANY_END, "cancel"),
    Kind.REDEMPTION: Rule(Opening.NOTHING, GIVEN_AWAY, REFUND, partial=True),
    Kind.HELD: Rule(Opening.STOPS_PAYOUT, ANY_END, "release"),
    Kind.PAID: Rule(Opening.NOTHING, GIVEN_AWAY, REFUND, partial=True),
}
