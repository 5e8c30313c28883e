"""The tokens' invariants, to be checked together with the ledger's own."""

from gateway.ledger.invariants.check import Invariant
from gateway.tokens.invariants import store

INVARIANTS = (
    Invariant(
        "token_state_has_its_movement",
        "a live token is not settled; any other is settled once, as its state says",
        store.STATE_WITHOUT_MOVEMENT,
    ),
    Invariant(
        "outstanding_is_live_tokens",
        "the outstanding account equals the value of all live tokens",
        store.OUTSTANDING_OFF,
    ),
    Invariant(
        "tokens_are_funded",
        "every token was paid for, with its own amount",
        store.NOT_FUNDED,
    ),
    Invariant(
        "tokens_settle_their_amount",
        "what leaves the outstanding account for a token is the token's amount",
        store.SETTLED_WITH_ANOTHER_AMOUNT,
    ),
    Invariant(
        "value_goes_where_it_belongs",
        "a redemption credits its redeemer, expiry and cancellation the funder",
        store.SETTLED_TO_ANOTHER,
    ),
)
