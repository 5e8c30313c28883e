"""The caps of a wallet beside what was used of them today, for people to look at."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from gateway.database.types import MONEY_MAX
from gateway.ledger.limits import Limits
from gateway.ledger.store import Account

ZERO = Decimal("0.00")


@dataclass(frozen=True, slots=True)
class Cap:
    """One cap in the wallet's currency; `most` is None where there is none."""

    says: str
    most: Decimal | None
    used: Decimal | None  # today, or at present; None: it is about each movement alone


def caps(limits: Limits, wallet: Account, now: datetime) -> Sequence[Cap]:
    """Every cap that the wallet's tier has.

    >>> from zoneinfo import ZoneInfo
    >>> from gateway.ledger.limits import Tier
    >>> wallet = Account(1, "wallet", "+2348030000001", "NGN", Decimal("7.00"), ZERO, "active")
    >>> limits = Limits({"basic": Tier(debit=Decimal("5.00"))}, zone=ZoneInfo("Africa/Lagos"))
    >>> [(cap.says, cap.most, cap.used) for cap in caps(limits, wallet, datetime(2026, 3, 2))][:2]
    [('Single debit', Decimal('5.00'), None), ('Debits today', None, Decimal('0.00'))]
    """
    tier, is_today = limits.of(wallet), wallet.day == limits.today(now)
    return (
        Cap("Single debit", _most(tier.debit), None),
        Cap("Debits today", _most(tier.debits_a_day), wallet.day_debits if is_today else ZERO),
        Cap("Credits today", _most(tier.credits_a_day), wallet.day_credits if is_today else ZERO),
        Cap("Balance", _most(tier.balance), wallet.balance),
    )


def _most(amount: Decimal) -> Decimal | None:
    return None if amount >= MONEY_MAX else amount
