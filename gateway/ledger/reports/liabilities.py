"""What we owe against what lies with the providers and the bank."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection

from gateway.formats import money
from gateway.ledger.reports import store
from gateway.ledger.reports.store import Balance
from gateway.ledger.store import GUARDED, HELD, OUTSTANDING, SETTLEMENT, SUSPENSE

# Other people's money, which must lie in the trust account whatever happens.
OWED = (*GUARDED, OUTSTANDING, HELD, SUSPENSE)
ZERO = Decimal("0.00")


@dataclass(frozen=True, slots=True)
class Liabilities:
    """One currency's: what we owe, what is kept for it, and what is therefore our own."""

    currency: str
    owed: Decimal
    kept: Decimal  # with the providers and at the bank, by our books
    own: Decimal  # fees and the house: `kept` less `owed`


def liabilities(connection: Connection, before: datetime) -> list[Liabilities]:
    """What the books say of each currency at an instant; one consistent snapshot, please.

    Test money is owed to nobody and lies nowhere.
    """
    totals = store.totals(connection, before)
    currencies = sorted({total.currency for total in totals} - {money.TEST_CURRENCY})
    return [_of(currency, totals) for currency in currencies]


def _of(currency: str, totals: Sequence[Balance]) -> Liabilities:
    amounts = {total.kind: total.amount for total in totals if total.currency == currency}
    owed = sum((amounts.get(kind, ZERO) for kind in OWED), ZERO)
    kept = -amounts.get(SETTLEMENT, ZERO)
    return Liabilities(currency, owed, kept, kept - owed)
