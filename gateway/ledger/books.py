"""Movements between accounts: guarded, balanced, once; and the invariants that prove the books."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from weakref import WeakSet

from sqlalchemy import Connection

from gateway.errors import GatewayError, RaceLost
from gateway.ledger import store
from gateway.ledger.store import Account

# Guarded accounts store a balance.
WALLET, TILL, FLOAT = "wallet", "till", "float"
GUARDED = (WALLET, TILL, FLOAT)
# System accounts store none: their balance is the sum of their entries.
OUTSTANDING = "outstanding"  # the value of all live tokens
HOUSE = "house"  # our own money: funds tokens issued without a partner or a wallet


class Unbalanced(GatewayError):
    """A movement whose entries do not sum to zero, or mix currencies: a fault of ours."""


@dataclass(frozen=True, slots=True)
class Leg:
    """One side of a movement: `amount` is added to what we owe the account's owner."""

    account: Account
    amount: Decimal


class Books:
    """Posts movements; remembers the ids of system accounts, which never change."""

    def __init__(self) -> None:
        self._system: dict[tuple[str, str], Account] = {}
        # Whoever made one may read it again and still be rolled back.
        self._makers: WeakSet[Connection] = WeakSet()

    def system(self, connection: Connection, kind: str, currency: str, now: datetime) -> Account:
        """The system account of a kind; made on first use."""
        known = self._system.get((kind, currency))
        if known is not None:
            return known
        account = store.find(connection, kind, "", currency)
        if account is None:
            self._makers.add(connection)
            return store.create(connection, kind, "", currency, now, guarded=False)
        if connection not in self._makers:
            self._system[kind, currency] = account
        return account

    def post(
        self,
        connection: Connection,
        operation_key: str,
        kind: str,
        subject: str,
        legs: Sequence[Leg],
        now: datetime,
        *,
        returning: bool = False,
    ) -> int:
        """Book one movement; its id.

        The caller has read the accounts and found them able. A guard that fails all the same
        lost a race: `RaceLost` rolls the whole unit of work back to be repeated on fresh facts.
        A repeated `operation_key` is refused by the database (`DuplicateKey`).
        `returning` lets money come back to a frozen account.
        """
        _refuse_unbalanced(legs)
        movement = store.add_movement(connection, operation_key, kind, subject, now)
        for leg in sorted(legs, key=lambda leg: leg.account.id):
            if leg.account.guarded and not _apply(connection, leg, returning):
                raise RaceLost(f"account {leg.account.id} could not take its part of a {kind}")
        store.add_entries(connection, movement, [(leg.account.id, leg.amount) for leg in legs])
        return movement


def _refuse_unbalanced(legs: Sequence[Leg]) -> None:
    if sum((leg.amount for leg in legs), Decimal("0.00")) != 0:
        raise Unbalanced("the entries do not sum to zero")
    if len({leg.account.currency for leg in legs}) != 1:
        raise Unbalanced("a movement stays within one currency")


def _apply(connection: Connection, leg: Leg, returning: bool) -> bool:
    if leg.amount < 0:
        return store.debit(connection, leg.account.id, -leg.amount)
    if returning:
        return store.give_back(connection, leg.account.id, leg.amount)
    return store.credit(connection, leg.account.id, leg.amount)
