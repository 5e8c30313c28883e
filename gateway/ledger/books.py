"""Movements between accounts: guarded, balanced, once; and the invariants that prove the books."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from weakref import WeakSet

from sqlalchemy import Connection

from gateway.errors import GatewayError, RaceLost
from gateway.ledger import store
from gateway.ledger.guards import store as guards
from gateway.ledger.guards.store import Day
from gateway.ledger.limits import Limits, Tier
from gateway.ledger.store import TILL, WALLET, Account

ZERO = Decimal("0.00")


class Unbalanced(GatewayError):
    """A movement whose entries do not sum to zero, or mix currencies: a fault of ours."""


@dataclass(frozen=True, slots=True)
class Leg:
    """One side of a movement: `amount` is added to what we owe the account's owner.

    `held` is added to what a guarded account holds: a hold takes it from the balance
    (`amount` below zero), a release gives it back, and a payout lets it go (`amount` zero).
    `passes_on` says of a debit that the account only held the money for another: it also leaves a
    frozen one. So does one that `undoes` a credit of that local day, which counts for it no more.
    `caps` are those of a float that is issued from: its debits count for the day.
    """

    account: Account
    amount: Decimal
    held: Decimal = ZERO
    passes_on: bool = False
    undoes: date | None = None
    caps: Tier | None = None


class Books:
    """Posts movements; remembers the ids of system accounts, which never change."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._system: dict[tuple[str, str, str], Account] = {}
        # Whoever made one may read it again and still be rolled back.
        self._makers: WeakSet[Connection] = WeakSet()

    def system(
        self, connection: Connection, kind: str, currency: str, now: datetime, owner: str = ""
    ) -> Account:
        """The system account of a kind; made on first use."""
        known = self._system.get((kind, owner, currency))
        if known is not None:
            return known
        account = store.find(connection, kind, owner, currency)
        if account is None:
            self._makers.add(connection)
            return store.create(connection, kind, owner, currency, now, guarded=False)
        if connection not in self._makers:
            self._system[kind, owner, currency] = account
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
        by_owner: bool = False,
    ) -> int:
        """Book one movement; its id.

        The caller has read the accounts and found them able (`Limits.insist_debit`, `_credit`). A
        guard that fails all the same lost a race: `RaceLost` rolls the whole unit of work back to
        be repeated on fresh facts. A repeated `operation_key` is refused by the database
        (`DuplicateKey`). `returning` lets money come back to a frozen or full account. `by_owner`
        says that the wallet's owner moves it: tiers then cap what leaves it, and it counts as
        used. Other debits of a wallet are an operator's, which no tier caps.
        """
        _refuse_unbalanced(legs)
        movement = store.add_movement(connection, operation_key, kind, subject, now)
        for leg in sorted(legs, key=lambda leg: leg.account.id):
            if leg.account.guarded and not self._apply(connection, leg, returning, by_owner, now):
                raise RaceLost(f"account {leg.account.id} could not take its part of a {kind}")
        booked = [(leg.account.id, leg.amount) for leg in legs if leg.amount]
        store.add_entries(connection, movement, booked)
        return movement

    def _apply(
        self, connection: Connection, leg: Leg, returning: bool, by_owner: bool, now: datetime
    ) -> bool:
        account, amount = leg.account, leg.amount
        if not amount:
            return guards.let_go(connection, account.id, -leg.held)
        if amount < 0 and (leg.passes_on or leg.undoes):
            return guards.pass_on(connection, account.id, -amount, leg.undoes)
        if amount < 0 and leg.caps is not None:
            of_float = self._day(account, amount, now, leg.caps)
            return guards.spend(connection, account.id, -amount, of_float)
        if amount < 0:
            day = self._day(account, amount, now) if by_owner and account.kind == WALLET else None
            return guards.debit(connection, account.id, -amount, leg.held, day)
        if returning:
            return guards.give_back(connection, account.id, amount, -leg.held)
        most = self.limits.of(account).balance
        day = self._day(account, amount, now) if account.kind in (WALLET, TILL) else None
        of_owner = by_owner and account.kind == WALLET
        return guards.credit(connection, account.id, amount, most, day, by_owner=of_owner)

    def _day(
        self, account: Account, amount: Decimal, now: datetime, caps: Tier | None = None
    ) -> Day:
        tier, limits = caps or self.limits.of(account), self.limits
        most = tier.debits_a_day if amount < 0 else tier.credits_a_day
        return Day(limits.today(now), limits.idle_before(now), most - abs(amount))


def _refuse_unbalanced(legs: Sequence[Leg]) -> None:
    if sum((leg.amount for leg in legs), ZERO) != 0:
        raise Unbalanced("the entries do not sum to zero")
    if len({leg.account.currency for leg in legs}) != 1:
        raise Unbalanced("a movement stays within one currency")
