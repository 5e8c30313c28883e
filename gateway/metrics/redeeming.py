"""Redeeming that is counted: each answer once its transaction is committed, whoever asked.

The rooms of tokens know nothing of it: these stand in their places.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Final

from sqlalchemy import Connection

from gateway.database import after
from gateway.formats.money import TEST_CURRENCY
from gateway.ledger.books import Books
from gateway.ledger.store import Account
from gateway.tokens import agency
from gateway.tokens.agency import Agency, Seen
from gateway.tokens.changes import Hear, unheard
from gateway.tokens.keys.rings import KeyRings
from gateway.tokens.redeem import Answer, Caller, Outcome, Redeemer
from gateway.tokens.store import Status
from gateway.tokens.tills import pay
from gateway.tokens.tills.pay import Paid, TillPayer

Count = Callable[[str, str], None]  # told the channel and the outcome

# One word for one thing: at a counter and to a partner "redeemed" says that it was, before.
ALREADY: Final = "already_redeemed"
AT_COUNTER: Final[Mapping[str, str]] = {
    pay.Answer.PAID: Answer.REDEEMED.value,
    pay.Answer.REDEEMED: ALREADY,
}


class CountedRedeemer(Redeemer):
    """Counts what callers and senders of SMS are answered."""

    def __init__(self, rings: KeyRings, books: Books, count: Count, hear: Hear = unheard) -> None:
        super().__init__(rings, books, hear)
        self._count = count

    def redeem(self, connection: Connection, entry: str, caller: Caller, now: datetime) -> Outcome:
        """As a `Redeemer` does."""
        outcome = super().redeem(connection, entry, caller, now)
        after.commit(partial(self._count, caller.channel, outcome.answer.value))
        return outcome


class CountedPayer(TillPayer):
    """Counts what cashiers are answered, but for a look-up that only shows what it is worth."""

    def __init__(
        self,
        rings: KeyRings,
        books: Books,
        per_customer: Decimal | None,
        count: Count,
        hear: Hear = unheard,
    ) -> None:
        super().__init__(rings, books, per_customer, hear)
        self._count = count

    def look_up(
        self,
        connection: Connection,
        entry: str,
        till: Account,
        cashier: str,
        now: datetime,
        customer: str = "",
    ) -> Paid:
        """As a `TillPayer` does."""
        found = super().look_up(connection, entry, till, cashier, now, customer)
        if found.answer is not pay.Answer.PAYABLE:
            self._counted(found, pay.CHANNEL)
        return found

    def pay(
        self,
        connection: Connection,
        entry: str,
        till: Account,
        cashier: str,
        customer: str,
        now: datetime,
    ) -> Paid:
        """As a `TillPayer` does."""
        paid = super().pay(connection, entry, till, cashier, customer, now)
        return self._counted(paid, pay.CHANNEL)

    def pay_token(
        self,
        connection: Connection,
        token_id: int,
        till: Account,
        cashier: str,
        customer: str,
        now: datetime,
        channel: str,
        partner: str = "",
    ) -> Paid:
        """As a `TillPayer` does."""
        paid = super().pay_token(
            connection, token_id, till, cashier, customer, now, channel, partner
        )
        return self._counted(paid, channel)

    def _counted(self, paid: Paid, channel: str) -> Paid:
        word = AT_COUNTER.get(paid.answer, paid.answer.value)
        # Cashiers over USSD have a channel of their own, or they would be taken for callers.
        name = channel if channel == pay.CHANNEL else f"{pay.CHANNEL}-{channel}"
        after.commit(partial(self._count, name, word))
        return paid


class CountedAgency(Agency):
    """Counts what partners are answered of money, but for a look-up that only shows its worth."""

    def __init__(self, rings: KeyRings, redeemer: Redeemer, count: Count) -> None:
        super().__init__(rings, redeemer)
        self._count = count

    def look_up(
        self, connection: Connection, entry: str, partner: str, currency: str, now: datetime
    ) -> Seen:
        """As an `Agency` does."""
        seen = super().look_up(connection, entry, partner, currency, now)
        if seen.answer != agency.FOUND and currency != TEST_CURRENCY:
            self._counted(seen.answer)
        return seen

    def at_till(
        self,
        connection: Connection,
        entry: str,
        partner: str,
        currency: str,
        customer: str | None,
        now: datetime,
    ) -> Seen:
        """As an `Agency` does; what is paid is counted by a `CountedPayer`."""
        seen = super().at_till(connection, entry, partner, currency, customer, now)
        if seen.answer != agency.FOUND:
            self._counted(seen.answer)
        return seen

    def redeem(
        self,
        connection: Connection,
        entry: str,
        partner: str,
        currency: str,
        payee: str,
        language: str,
        now: datetime,
        *,
        tells: bool = True,
    ) -> tuple[Seen, Outcome | None]:
        """As an `Agency` does."""
        seen, done = super().redeem(
            connection, entry, partner, currency, payee, language, now, tells=tells
        )
        if currency == TEST_CURRENCY:
            return seen, done
        if done is None:
            self._counted(seen.answer)
        else:
            after.commit(partial(self._count, agency.CHANNEL, done.answer.value))
        return seen, done

    def _counted(self, answer: str) -> None:
        word = ALREADY if answer == Status.REDEEMED else str(answer)
        after.commit(partial(self._count, agency.CHANNEL, word))
