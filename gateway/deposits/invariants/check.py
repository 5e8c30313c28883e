"""The invariants of deposits: what is booked was received once, and suspense is accounted for."""

from gateway.deposits.invariants import store
from gateway.ledger.invariants.check import Invariant

INVARIANTS = (
    Invariant(
        "deposits_booked_once",
        "every completed deposit has exactly one movement over its amount, every other none",
        store.NOT_BOOKED_ONCE,
    ),
    Invariant(
        "deposit_movements_have_a_deposit",
        "every movement of a deposit belongs to one that is booked",
        store.MOVEMENTS_WITHOUT_DEPOSIT,
    ),
    Invariant(
        "deposits_credited_where_they_say",
        "a deposit's movement credits the account that its row names, less the fee",
        store.CREDITED_ELSEWHERE,
    ),
    Invariant(
        "suspense_is_open_deposits",
        "each suspense account holds exactly the deposits that wait in it",
        store.SUSPENSE_OFF,
    ),
)
