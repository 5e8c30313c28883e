"""The disputes' invariants, to be checked together with the ledger's own."""

from gateway.disputes.invariants import store
from gateway.ledger.invariants.check import Invariant

INVARIANTS = (
    Invariant(
        "refunded_disputes_have_their_movement",
        "every refunded dispute has exactly one movement, over its amount",
        store.REFUNDS_OFF,
    ),
    Invariant(
        "redemptions_are_refunded_within_their_amount",
        "the refunds of one redemption, over all its disputes, are at most its amount",
        store.REDEMPTIONS_OVER_REFUNDED,
    ),
    Invariant(
        "withdrawals_are_refunded_within_their_total",
        "the refunds of one paid withdrawal are at most its amount and fee",
        store.WITHDRAWALS_OVER_REFUNDED,
    ),
    Invariant(
        "refunds_belong_to_disputes",
        "no movement refunds but for a dispute that was refunded",
        store.REFUNDS_OF_NONE,
    ),
    Invariant(
        "counters_refund_their_own_payments",
        "a till refunds only what its own shift has paid, and its outlet once that was closed",
        store.REFUNDED_BY_OTHERS,
    ),
)
