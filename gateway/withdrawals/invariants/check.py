"""The withdrawals' invariants, to be checked together with the ledger's own."""

from gateway.ledger.invariants.check import Invariant
from gateway.withdrawals.invariants import store

INVARIANTS = (
    Invariant(
        "accounts_hold_their_withdrawals",
        "what an account holds is the sum of its withdrawals that are held",
        store.HOLDS_OFF,
    ),
    Invariant(
        "withdrawal_state_has_its_movement",
        "every withdrawal was held once, and ended at most once, as its state says",
        store.STATE_WITHOUT_MOVEMENT,
    ),
    Invariant(
        "withdrawals_are_booked_exactly",
        "the entries of a withdrawal are its amount and fee, on the accounts it is about",
        store.BOOKED_OTHERWISE,
    ),
    Invariant(
        "holds_belong_to_withdrawals",
        "no movement holds, pays out or releases but for a withdrawal",
        store.MOVEMENTS_OF_NONE,
    ),
)
