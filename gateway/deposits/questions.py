"""Lookups and validations: may this payment come? Answered from one read, changing nothing."""

from datetime import datetime

from sqlalchemy import Connection

from gateway.deposits import references, store
from gateway.deposits.settle import Policy
from gateway.deposits.states import State
from gateway.deposits.store import Deposit
from gateway.formats import msisdn
from gateway.ledger import wallets
from gateway.ledger.limits import LimitExceeded, Limits, Stopped
from gateway.ledger.store import Account
from gateway.providers.base.messages import Decision, Notice, Trust


class Questions:
    """Says beforehand what settling would do: money that would lie in suspense may stay away."""

    def __init__(self, limits: Limits, policy: Policy) -> None:
        self._limits = limits
        self._policy = policy

    def answer(
        self, connection: Connection, provider: str, trust: Trust, notice: Notice, now: datetime
    ) -> Decision:
        """What to say to a provider that asks; without an amount only the name is asked about."""
        order = store.by_reference(connection, references.within(notice.reference))
        if order is not None and order.is_order:
            if order.provider != provider:
                return Decision.UNKNOWN_REFERENCE
            return self._ordered(connection, order, notice, now)
        wallet = self._wallet(connection, notice)
        if wallet is None:
            return Decision.UNKNOWN_REFERENCE
        amount = notice.amount
        if amount is None:
            return Decision.TAKEN
        if trust is Trust.LINE and amount > self._policy.unsolicited_max:
            return Decision.TOO_MUCH
        return self._room(wallet, notice, now)

    def _ordered(
        self, connection: Connection, order: Deposit, notice: Notice, now: datetime
    ) -> Decision:
        if order.state not in (State.PENDING, State.FAILED) or order.parked is not None:
            return Decision.UNKNOWN_REFERENCE  # it is paid: a second time would be too much
        if notice.amount is not None and notice.amount != order.amount:
            return Decision.WRONG_AMOUNT
        wallet = wallets.find(connection, order.msisdn, order.currency)
        return Decision.TAKEN if wallet is None else self._room(wallet, notice, now)

    def _wallet(self, connection: Connection, notice: Notice) -> Account | None:
        try:
            owner = msisdn.parse(notice.payer, self._policy.country)
        except msisdn.InvalidMsisdn:
            return None
        return wallets.find(connection, owner, notice.currency or self._policy.currency)

    def _room(self, wallet: Account, notice: Notice, now: datetime) -> Decision:
        try:
            if notice.amount is not None:
                self._limits.insist_credit(wallet, notice.amount, now)
        except Stopped:
            return Decision.NOT_NOW
        except LimitExceeded:
            return Decision.TOO_MUCH
        return Decision.TAKEN
