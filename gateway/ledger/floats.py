"""Floats: money that was paid in beforehand, which tokens are then issued from."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection

from gateway.ledger import store
from gateway.ledger.books import Books
from gateway.ledger.limits import InsufficientFunds
from gateway.ledger.store import FLOAT, HOUSE, Account


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
        if most is not None:
            given = -store.locked_sum(connection, account.id)
            if given + amount > most:
                left = max(most - given, Decimal("0.00"))
                raise InsufficientFunds(
                    f"the house was never funded and may give away {left} more: `house fund` it"
                )
        return account


def of_house(connection: Connection, currency: str) -> Account | None:
    """The house's float. Once it was funded, the house issues from it alone, as a partner does;
    before that from its system account, whose sum then says what was given away.
    """
    return find(connection, HOUSE, currency)
