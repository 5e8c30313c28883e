"""What kind of text each template of the outbox is: only a courtesy is kept from who said STOP."""

from collections.abc import Mapping
from enum import StrEnum


class Kind(StrEnum):
    """Why a text is sent."""

    TOKEN = "token"  # noqa: S105 (a kind, not a secret)
    RECEIPT = "receipt"  # value came, went or is bound, or what the reader did is confirmed
    WARNING = "warning"  # somebody else did something to what is the reader's, or they must act
    ANSWER = "answer"  # to what the reader has just written
    COURTESY = "courtesy"  # nothing changes for the reader, and nothing is for them to do


KINDS: Mapping[str, Kind] = {
    "token": Kind.TOKEN,
    "redeemed": Kind.RECEIPT,
    "token_sent": Kind.RECEIPT,
    "token_moved": Kind.RECEIPT,
    "token_expired": Kind.RECEIPT,
    "token_returned": Kind.RECEIPT,
    "token_spent": Kind.COURTESY,  # the value left with the sending, which had its receipt
    "token_cancelled": Kind.WARNING,
    "token_taken": Kind.WARNING,
    "token_undelivered": Kind.WARNING,
    "withdrawal_paid": Kind.RECEIPT,
    "withdrawal_rejected": Kind.RECEIPT,
    "deposit": Kind.RECEIPT,
    "deposit.held": Kind.RECEIPT,
    "dispute_opened": Kind.RECEIPT,
    "dispute_refunded": Kind.RECEIPT,
    "dispute_released": Kind.RECEIPT,
    "dispute_rejected": Kind.RECEIPT,
    "dispute_credited": Kind.RECEIPT,
    "dispute_debited": Kind.RECEIPT,
    "wallet_blocked": Kind.WARNING,
    "wallet_frozen": Kind.WARNING,
    "wallet_unfrozen": Kind.WARNING,
    "wallet_given_away": Kind.WARNING,
    "wallet_taken_over": Kind.WARNING,
    "pin_reset": Kind.WARNING,
    "note": Kind.ANSWER,
}


def heeds_stop(template: str) -> bool:
    """Whether a text is kept from a phone that has said STOP; one that no line names is sent.

    >>> heeds_stop("token_spent"), heeds_stop("token"), heeds_stop("redeemed"), heeds_stop("new")
    (True, False, False, False)
    """
    return KINDS.get(template) is Kind.COURTESY
