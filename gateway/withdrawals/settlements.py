"""Asking for a till's or a partner's money to be paid to its bank, which a clean day releases."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

from sqlalchemy import Connection

from gateway.errors import BadInput
from gateway.ledger import store as ledger_store
from gateway.ledger.store import FLOAT, TILL
from gateway.withdrawals.request import IntentReused, Requester, Wish, new_reference
from gateway.withdrawals.store import SETTLEMENT, Withdrawal

PARTNER: Final = "partner"
KINDS: Final = (TILL, PARTNER)  # whom is settled with
DESTINATION_MAX: Final = 64  # characters of a bank account
_PREFIX = "settle:"
# Whether an account is the till of an outlet, whose shifts pay it into the outlet's own account.
IsOfOutlet = Callable[[Connection, int], bool]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be paid to whom; `intent` names it once and for all, whoever repeats it."""

    kind: str
    owner: str
    amount: Decimal
    destination: str  # a bank account
    intent: str
    actor: str
    reason: str


class Settlements:
    """Holds money for the bank to pay."""

    def __init__(self, requester: Requester, currency: str, is_of_outlet: IsOfOutlet) -> None:
        self._requester = requester
        self._currency = currency
        self._is_of_outlet = is_of_outlet

    def ask(self, connection: Connection, wanted: Wanted, now: datetime) -> Withdrawal:
        """Hold the money; the same intent again is answered with its withdrawal.

        It is paid after a clean reconciliation of the day. Raises `BadInput`, `IntentReused`, and
        what `Limits.insist_debit` has against the account.
        """
        destination = wanted.destination.strip()
        if not 0 < len(destination) <= DESTINATION_MAX or not destination.isprintable():
            raise BadInput(f"a bank account takes 1 to {DESTINATION_MAX} characters")
        if wanted.kind not in KINDS or not is_intent(wanted.intent):
            raise BadInput("this is no settlement: begin anew")
        held_by = TILL if wanted.kind == TILL else FLOAT
        account = ledger_store.find(connection, held_by, wanted.owner, self._currency)
        if account is None:
            raise BadInput(f"there is no {wanted.kind} {wanted.owner} with money")
        if self._is_of_outlet(connection, account.id):
            raise BadInput("it is an outlet's till: close it, then settle with the outlet")
        none = Decimal("0.00")
        wish = Wish(
            account,
            wanted.amount,
            none,
            wanted.intent,
            destination,
            wanted.actor,
            method=SETTLEMENT,
            reason=wanted.reason,
        )
        held = self._requester.request(connection, wish, now)
        if held.destination != destination:
            raise IntentReused("this was confirmed before, to another bank account")
        return held


def new_intent() -> str:
    """A fresh name of a settlement, minted where it is confirmed."""
    return f"{_PREFIX}{new_reference()}"


def is_intent(text: str) -> bool:
    """Whether this is a settlement's name, and never that of another withdrawal.

    >>> is_intent("settle:K7M29QXDK7M2"), is_intent("wallet:1"), is_intent("settle:")
    (True, False, False)
    """
    name = text.removeprefix(_PREFIX)
    return name != text and name.isascii() and name.isalnum() and len(name) == len(new_reference())
