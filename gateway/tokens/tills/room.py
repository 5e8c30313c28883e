"""What is left at a counter: of a till's day, of a customer's, and of a cashier's wrong entries."""

from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection

from gateway.ledger import store as ledger_store
from gateway.ledger.books import Books
from gateway.ledger.limits import LimitExceeded, Stopped
from gateway.tokens.guesses import limits
from gateway.tokens.guesses import store as guesses
from gateway.tokens.guesses.limits import Allowance
from gateway.tokens.tills import store

CASHIER = Allowance(20, 60)  # wrong entries: a cashier types for a whole queue
ZERO = Decimal("0.00")


class Room:
    """Says it as it is now; a claim asks again, inside its own transaction."""

    def __init__(self, books: Books, per_customer: Decimal | None = None) -> None:
        self._limits = books.limits
        self._per_customer = per_customer

    def of_till(
        self, connection: Connection, till: int, amount: Decimal, now: datetime
    ) -> Decimal | None:
        """What a till could pay now, where `amount` is too much; None where it is not."""
        try:
            self._limits.insist_credit(ledger_store.by_id(connection, till), amount, now)
        except LimitExceeded as error:
            return error.most
        except Stopped:
            return None
        return None

    def of_customer(
        self, connection: Connection, till: int, customer: str, now: datetime
    ) -> Decimal | None:
        """What a customer (E.164) could be paid at a till now; None without such a cap."""
        if self._per_customer is None:
            return None
        paid = store.paid(connection, till, customer, self._limits.today(now))
        return max(self._per_customer - (paid or ZERO), ZERO)

    def reopens(self, connection: Connection, cashier: str, now: datetime) -> datetime | None:
        """When a cashier who has typed too much wrongly may go on; None when they may."""
        name = source_of(cashier)
        counter = guesses.read(connection, [name]).get(name)
        until = now if counter is None else limits.reopens(counter, CASHIER, now)
        return until if until > now else None


def source_of(cashier: str) -> str:
    """Whose guesses they are: the number names a cashier, the name would make it too long.

    >>> source_of("staff:7:Ada Obi"), source_of("staff:7")
    ('cashier:staff:7', 'cashier:staff:7')
    """
    return ":".join(("cashier", *cashier.split(":")[:2]))
