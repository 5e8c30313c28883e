"""What must always hold of the books, as named queries that return the rows that break it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from gateway.ledger.invariants import store
from gateway.ledger.invariants.store import Query


@dataclass(frozen=True, slots=True)
class Invariant:
    """A sentence that is true of healthy books, and the query for what contradicts it."""

    name: str
    says: str
    broken: Query


INVARIANTS = (
    Invariant(
        "movements_balance",
        "every movement's entries sum to zero",
        store.UNBALANCED_MOVEMENTS,
    ),
    Invariant(
        "movements_have_entries",
        "every movement has at least two entries",
        store.MOVEMENTS_WITHOUT_ENTRIES,
    ),
    Invariant(
        "balance_is_ledger_sum",
        "every stored balance equals the sum of its account's entries",
        store.BALANCES_OFF,
    ),
    Invariant(
        "holds_are_held",
        "what the accounts hold together is what the books say is held",
        store.HELD_OFF,
    ),
    Invariant(
        "guarded_accounts_store_a_balance",
        "wallets, tills, floats and outlets store a balance, others none and nothing held",
        store.UNGUARDED,
    ),
    Invariant(
        "one_currency_a_movement",
        "no movement mixes currencies",
        store.MIXED_MOVEMENTS,
    ),
)


@dataclass(frozen=True, slots=True)
class Breach:
    """One row that breaks an invariant."""

    invariant: str
    row: dict[str, Any]


def check(connection: Connection, invariants: Sequence[Invariant]) -> list[Breach]:
    """Every row that breaks one of `invariants`; run it in one consistent snapshot."""
    return [
        Breach(invariant.name, row)
        for invariant in invariants
        for row in store.rows(connection, invariant.broken)
    ]
