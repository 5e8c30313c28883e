"""What a provider paid out to our bank: gross, less its fee, net, once per bank reference (M9)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection

from gateway.errors import BadInput
from gateway.formats import money
from gateway.formats.facts import Fact, Sum, fact
from gateway.ledger.books import ZERO, Books, Leg
from gateway.ledger.store import FEES, SETTLEMENT
from gateway.partners.funding import BANK, REFERENCE_MAX, bank_key, is_reference, refuse_used

APPROVAL = "provider.settle"  # the kind of approval a settlement waits for


@dataclass(frozen=True, slots=True)
class Advice:
    """What the bank's statement and the provider's advice say of one payment to us."""

    provider: str
    gross: Decimal
    fee: Decimal
    net: Decimal
    currency: str
    reference: str  # the bank's


class Settling:
    """Books what providers have paid out to us."""

    def __init__(self, books: Books) -> None:
        self._books = books

    def request(self, connection: Connection, advice: Advice) -> Mapping[str, str]:
        """The details of a settlement, for an approval; refuses what could never be booked.

        Raises `BadInput`, `ReferenceUsed`.
        """
        reference = advice.reference
        if not is_reference(reference):
            raise BadInput(f"a reference takes 1 to {REFERENCE_MAX} printable ASCII characters")
        if not advice.provider or advice.provider == BANK:
            raise BadInput("a settlement comes from a provider")
        _refuse_wrong_sum(advice)
        refuse_used(connection, reference)
        amounts = {"gross": advice.gross, "fee": advice.fee, "net": advice.net}
        plain = {name: money.plain(amount) for name, amount in amounts.items()}
        return {"provider": advice.provider, **plain, "currency": advice.currency}

    def settle(
        self, connection: Connection, reference: str, details: Mapping[str, str], now: datetime
    ) -> Fact:
        """Book an approved settlement; what was done, for the trail. Raises as `request` does.

        The provider owes us less by the gross amount, the bank keeps the net for us, and the fee
        is our cost.
        """
        advice = _read(reference, details)
        self.request(connection, advice)
        system, currency = self._books.system, advice.currency
        legs = [
            Leg(system(connection, SETTLEMENT, currency, now, advice.provider), advice.gross),
            Leg(system(connection, SETTLEMENT, currency, now, BANK), -advice.net),
        ]
        if advice.fee:
            legs.append(Leg(system(connection, FEES, currency, now), -advice.fee))
        self._books.post(connection, bank_key(reference), "settle", reference, legs, now)
        net, fee = Sum(advice.net, currency), advice.fee
        return fact("{who} settled {net} net of {fee}", who=advice.provider, net=net, fee=fee)


def _refuse_wrong_sum(advice: Advice) -> None:
    if advice.gross <= ZERO or advice.net <= ZERO or advice.fee < ZERO:
        raise BadInput("gross and net are above zero, the fee is not below")
    if advice.net + advice.fee != advice.gross:
        raise BadInput("net and fee do not make the gross amount")


def _read(reference: str, details: Mapping[str, str]) -> Advice:
    gross, net = money.parse(details["gross"]), money.parse(details["net"])
    fee = money.exact(Decimal(details["fee"]))  # written by `request`: zero is allowed here
    return Advice(details["provider"], gross, fee, net, details["currency"], reference)
