"""Top-up orders: which provider can ask a phone, at what fee, and the order itself."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection

from gateway.deposits import asks, store
from gateway.deposits.states import State
from gateway.deposits.store import ORDER, Deposit
from gateway.errors import BadInput
from gateway.ledger import wallets
from gateway.ledger.books import Books
from gateway.ledger.fees import TOP_UP, Fees
from gateway.providers.base.messages import Collects


class NoProvider(BadInput):
    """None of the providers can ask this phone for this currency."""


class FeeChanged(BadInput):
    """The fee is not the one that was agreed to: ask again."""


class Orders:
    """Places orders; the push to the phone is an outbox row, so that nobody waits for it."""

    def __init__(self, collects: Sequence[Collects], books: Books, fees: Fees) -> None:
        self._collects = collects
        self._books = books
        self._fees = fees

    def providers(self, msisdn: str, currency: str) -> Sequence[str]:
        """Who can ask this phone, in order of preference: those of its own network first."""
        able = [
            one
            for one in self._collects
            if currency in one.currencies
            and (not one.phone_prefixes or msisdn.startswith(tuple(one.phone_prefixes)))
        ]
        # The longest prefix knows the phone best: a network before an aggregator of all of them.
        able.sort(key=lambda one: -_closeness(one, msisdn))
        return list(dict.fromkeys(one.name for one in able))

    def fee(self, amount: Decimal) -> Decimal:
        """What of an amount is ours."""
        return self._fees.of(TOP_UP, amount)

    def insist(
        self, connection: Connection, msisdn: str, amount: Decimal, currency: str, now: datetime
    ) -> None:
        """Raise `Stopped`, `LimitExceeded` or `BadInput` when the wallet could not take it now."""
        fee = self.fee(amount)
        if fee >= amount:
            raise BadInput("the fee is as much as the amount")
        wallet = wallets.find(connection, msisdn, currency)
        if wallet is not None:
            self._books.limits.insist_credit(wallet, amount - fee, now)

    def place(
        self,
        connection: Connection,
        reference: str,
        msisdn: str,
        provider: str,
        amount: Decimal,
        currency: str,
        now: datetime,
        fee: Decimal | None = None,
    ) -> Deposit:
        """An order and its push, once for each reference (`references.new`, minted when asked).

        `fee` is what was agreed to (None: whatever it is). Raises `FeeChanged`, `NoProvider`,
        `BadInput`, `Stopped` and `LimitExceeded`, with nothing placed.
        """
        known = store.by_reference(connection, reference)
        if known is not None:
            return known
        if provider not in self.providers(msisdn, currency):
            raise NoProvider(f"{provider} cannot ask this phone")
        if fee is not None and fee != self.fee(amount):
            raise FeeChanged("the table of fees has changed")
        self.insist(connection, msisdn, amount, currency, now)
        wallets.ensure(connection, msisdn, currency, now)
        row = store.add(
            connection,
            reference=reference,
            origin=ORDER,
            provider=provider,
            msisdn=msisdn,
            amount=amount,
            fee=self.fee(amount),
            currency=currency,
            state=State.PENDING.value,
            created_at=now,
            changed_at=now,
        )
        order = store.locked(connection, row)
        asks.push(connection, order, now)
        return order


def _closeness(provider: Collects, msisdn: str) -> int:
    fitting = [len(prefix) for prefix in provider.phone_prefixes if msisdn.startswith(prefix)]
    return max(fitting, default=0)


def collector(collects: Sequence[Collects], order: Deposit) -> Collects | None:
    """The provider of an order; two may share a name in the books, in different currencies."""
    fitting = (
        one for one in collects if one.name == order.provider and order.currency in one.currencies
    )
    return next(fitting, None)
