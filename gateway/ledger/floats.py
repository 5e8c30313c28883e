"""Floats: money that was paid in beforehand, which tokens are then issued from."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection

from gateway.errors import RaceLost
from gateway.ledger import store
from gateway.ledger.books import ZERO, Books, Leg
from gateway.ledger.limits import InsufficientFunds
from gateway.ledger.store import FLOAT, HOUSE, Account

SURPLUS = "surplus"  # the movement of what came back to the house beyond its advance


def find(connection: Connection, owner: str, currency: str) -> Account | None:
    """The float of a partner, or of the house; None before its first funding."""
    return store.find(connection, FLOAT, owner, currency)


def ensure(connection: Connection, owner: str, currency: str, now: datetime) -> Account:
    """The float of an owner, made if need be."""
    return find(connection, owner, currency) or store.create(
        connection, FLOAT, owner, currency, now, guarded=True
    )


@dataclass(frozen=True, slots=True)
class House:
    """Who pays for a token that nobody else pays for.

    `advance_max` says how much the house may owe before it was ever funded, None: any amount. It
    is asked where there are operators: then nobody makes money alone (M9).
    """

    books: Books
    advance_max: Callable[[Connection], Decimal | None] = lambda _: None

    def payer(
        self, connection: Connection, amount: Decimal, currency: str, now: datetime
    ) -> Account:
        """The house's float once it was funded, else its system account within its advance.

        Raises what `Limits.insist_debit` does, before anything is written.
        """
        account = of_house(connection, currency)
        if account is not None:
            self.books.limits.insist_debit(account, amount, now)
            return account
        account = self.books.system(connection, HOUSE, currency, now)
        most = self.advance_max(connection)
        if most is None:
            store.keep(connection, account.id)
            left = amount
        else:
            left = most + store.locked_sum(connection, account.id)
        # Whoever funds it holds the account: what is read now stays so until this transaction ends.
        _insist_unfunded(connection, currency)
        if amount > left:
            raise InsufficientFunds(
                f"the house was never funded and may give away {max(left, ZERO)} more:"
                " `house fund` it"
            )
        return account


def of_house(connection: Connection, currency: str) -> Account | None:
    """The house's float. Once it was funded, the house issues from it alone, as a partner does;
    before that from its system account, whose sum then says what was given away.
    """
    return find(connection, HOUSE, currency)


def paying(connection: Connection, books: Books, currency: str, now: datetime) -> Account:
    """What the house pays from; nobody funds it until this transaction ends."""
    account = of_house(connection, currency)
    if account is None:
        account = books.system(connection, HOUSE, currency, now)
        store.keep(connection, account.id)
        _insist_unfunded(connection, currency)
    return account


def _insist_unfunded(connection: Connection, currency: str) -> None:
    if of_house(connection, currency) is not None:
        raise RaceLost("the house was funded meanwhile")


@dataclass(frozen=True, slots=True)
class Advance:
    """What the house owes for what it gave away before it was funded."""

    account: Account  # its system account
    owed: Decimal


def advance(connection: Connection, books: Books, currency: str, now: datetime) -> Advance:
    """The house's advance, which nobody changes until this transaction ends."""
    account = books.system(connection, HOUSE, currency, now)
    return Advance(account, max(-store.locked_sum(connection, account.id), ZERO))


def surplus(connection: Connection, account: Account, returned: Decimal) -> Decimal:
    """How much of what comes back to an account is above the house's advance, once it was funded.

    Zero for every account but the house's own. To be asked before it is booked: nobody gives or
    covers advance until this transaction ends.
    """
    if account.kind != HOUSE:
        return ZERO
    if of_house(connection, account.currency) is None:
        store.keep(connection, account.id)
        _insist_unfunded(connection, account.currency)
        return ZERO
    return max(store.locked_sum(connection, account.id) + returned, ZERO)


def bring_over(
    connection: Connection, books: Books, account: Account, amount: Decimal, of: str, now: datetime
) -> None:
    """Put a surplus on the float that the house issues from; `of` is the movement it came with.

    On the system account it would cover an advance that nobody owes, and nothing could be issued
    from it.
    """
    funded = of_house(connection, account.currency)
    if funded is None:
        raise RaceLost("a float is never taken away")
    legs = (Leg(account, -amount), Leg(funded, amount))
    books.post(connection, f"{SURPLUS}:{of}", SURPLUS, of, legs, now, returning=True)
