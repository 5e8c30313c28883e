"""The outlets' invariants, to be checked together with the ledger's own."""

from gateway.ledger.invariants.check import Invariant
from gateway.outlets.invariants import store

INVARIANTS = (
    Invariant(
        "shift_totals_are_its_payments",
        "what a shift has paid and voided is the sum of its payments",
        store.TOTALS_OFF,
    ),
    Invariant(
        "tills_were_credited_by_their_shifts",
        "a till was credited and debited by what its shifts have paid and voided",
        store.TILLS_OFF,
    ),
    Invariant(
        "closed_tills_owe_nothing",
        "a till without a shift has given what it was owed to its outlet",
        store.LEFT_IN_TILLS,
    ),
    Invariant(
        "ended_tills_are_empty",
        "a till that was closed for good has no shift, and nothing is owed to it",
        store.CLOSED_TILLS_IN_USE,
    ),
    Invariant(
        "ended_outlets_are_empty",
        "an outlet that was closed for good has no till that is not, and is owed nothing",
        store.CLOSED_OUTLETS_IN_USE,
    ),
    Invariant(
        "payments_redeemed_their_tokens",
        "a payment has redeemed its token at its own till, once, with the token's amount",
        store.PAID_OTHERWISE,
    ),
    Invariant(
        "voided_payments_were_renewed",
        "a voided payment has one fresh token of the same value, whose funder is the old one's",
        store.RENEWED_OTHERWISE,
    ),
    Invariant(
        "variances_are_accepted",
        "a variance is counted less expected cash, and a closed shift's was accepted",
        store.VARIANCES_OFF,
    ),
)
