"""Asking for an outlet's money to be paid to its bank, which a clean day releases."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection

from gateway.errors import BadInput
from gateway.ledger import store as ledger_store
from gateway.ledger.store import Account
from gateway.outlets import manage


@dataclass(frozen=True, slots=True)
class Settlement:
    """What is to be paid out; `intent` names it once and for all, whoever repeats it."""

    account: Account
    amount: Decimal
    destination: str  # the outlet's bank account
    intent: str
    actor: str
    reason: str


# Holds the money, to be paid after a clean reconciliation; the withdrawal's reference.
Holds = Callable[[Connection, Settlement, datetime], str]


class Settling:
    """Settles with outlets."""

    def __init__(self, hold: Holds) -> None:
        self._hold = hold

    def owed(self, connection: Connection, code: str) -> Decimal:
        """What an outlet can be paid now. Raises `BadInput`."""
        account = ledger_store.by_id(connection, manage.known(connection, code).account_id)
        return account.balance or Decimal("0.00")

    def settle(
        self,
        connection: Connection,
        code: str,
        amount: Decimal,
        intent: str,
        actor: str,
        reason: str,
        now: datetime,
    ) -> str:
        """Hold an outlet's money for its bank account; the reference of the withdrawal.

        The same intent again is answered with its withdrawal. Raises `BadInput`, and what
        `Limits.insist_debit` has against the outlet's account.
        """
        outlet = manage.known(connection, code)
        if amount <= 0:
            raise BadInput(f"nothing is owed to outlet {outlet.code}")
        account = ledger_store.by_id(connection, outlet.account_id)
        wanted = Settlement(account, amount, outlet.settle_to, intent, actor, reason)
        return self._hold(connection, wanted, now)
