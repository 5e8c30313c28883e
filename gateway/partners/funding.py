"""Funding a float: money that reached the bank, by its reference, once, and by two operators."""

import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection

from gateway.audit.approvals import Requests
from gateway.errors import BadInput
from gateway.formats import money
from gateway.formats.facts import Fact, Sum, fact
from gateway.ledger import floats
from gateway.ledger import store as ledger_store
from gateway.ledger.books import ZERO, Books, Leg
from gateway.ledger.store import HOUSE, SETTLEMENT, Account
from gateway.partners import profiles

APPROVAL = "float.fund"  # the kind of approval a funding waits for
BANK = "bank"  # whose settlement account stands for what lies at the bank
REFERENCE_MAX = 35  # of a bank's end-to-end reference (ISO 20022)
# What a line of the bank's statement may have been booked as: one of these, once.
_REFERENCE = re.compile(r"[!-~]([ -~]*[!-~])?", re.ASCII)


class ReferenceUsed(BadInput):
    """This bank reference has been booked before, for a float or as a settlement."""


class Funding:
    """Books what the bank has received for a float."""

    def __init__(self, books: Books) -> None:
        self._books = books

    def request(
        self,
        connection: Connection,
        owner: str,
        amount: Decimal,
        currency: str,
        reference: str,
        now: datetime,
    ) -> Mapping[str, str]:
        """The details of a funding, for an approval; refuses what could never be booked.

        Of the house they say what it owes now, which is covered first.
        Raises `BadInput`, `ReferenceUsed`, `UnknownPartner`.
        """
        if not is_reference(reference):
            raise BadInput(f"a reference takes 1 to {REFERENCE_MAX} printable ASCII characters")
        if owner != HOUSE:
            profiles.find(connection, owner)
        refuse_used(connection, reference)
        details = {"owner": owner, "amount": money.plain(amount), "currency": currency}
        covers = self._covers(connection, owner, amount, currency, now)[1]
        if covers:
            details |= {"covers": money.plain(covers), "rest": money.plain(amount - covers)}
        return details

    def ask(
        self,
        connection: Connection,
        requests: Requests,
        owner: str,
        amount: Decimal,
        currency: str,
        reference: str,
        actor: str,
        reason: str,
        now: datetime,
    ) -> int:
        """Ask a second operator for a funding; the number of the approval.

        Raises what `request` does, and `BadInput` while one with this reference waits.
        """
        details = self.request(connection, owner, amount, currency, reference, now)
        return requests.ask(connection, APPROVAL, reference, details, actor, reason, now)

    def fund(
        self, connection: Connection, reference: str, details: Mapping[str, str], now: datetime
    ) -> Fact:
        """Book an approved funding; what was done, for the trail.

        The house first covers its advance, as it stands by then. A reference is spent once,
        whatever float it went to: it is the movement's operation key.
        Raises `ReferenceUsed`, `Stopped`, `LimitExceeded`.
        """
        refuse_used(connection, reference)
        owner, currency = details["owner"], details["currency"]
        amount = money.parse(details["amount"])
        house, covers = self._covers(connection, owner, amount, currency, now)
        account, rest = floats.ensure(connection, owner, currency, now), amount - covers
        bank = self._books.system(connection, SETTLEMENT, currency, now, BANK)
        legs = [Leg(bank, -amount)]
        if house is not None and covers:
            legs.append(Leg(house, covers))
        if rest:
            self._books.limits.insist_credit(account, rest, now)
            legs.append(Leg(account, rest))
        self._books.post(connection, bank_key(reference), "fund", reference, legs, now)
        funded = fact("{owner} funded with {sum}", owner=owner, sum=Sum(amount, currency))
        if not covers:
            return funded
        parts = "{funded}: {covers} covers its advance, {rest} on its float"
        return fact(parts, funded=funded, covers=covers, rest=rest)

    def _covers(
        self, connection: Connection, owner: str, amount: Decimal, currency: str, now: datetime
    ) -> tuple[Account | None, Decimal]:
        """The account that the house's advance was given from, and how much of it this covers."""
        if owner != HOUSE:
            return None, ZERO
        advance = floats.advance(connection, self._books, currency, now)
        return advance.account, min(advance.owed, amount)


def refuse_used(connection: Connection, reference: str) -> None:
    """Raise `ReferenceUsed` when money was booked under this bank reference before."""
    if ledger_store.has_movement(connection, bank_key(reference)):
        raise ReferenceUsed(f"the reference {reference!r} has been booked before")


def is_reference(text: str) -> bool:
    """Whether a bank may have written this as its reference.

    >>> is_reference("FT 2026/03-0012"), is_reference(" FT1"), is_reference("F" * 36)
    (True, False, False)
    """
    return len(text) <= REFERENCE_MAX and _REFERENCE.fullmatch(text) is not None


def bank_key(reference: str) -> str:
    """The operation key of what a bank's reference stands for, which is spent once."""
    return f"bank:{reference}"
