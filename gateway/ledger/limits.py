"""What a wallet or till may move (M8): caps by tier, and who must be verified first."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from gateway.database.types import MONEY_MAX
from gateway.errors import BadInput
from gateway.ledger.store import ACTIVE, CLOSED, TILL, WALLET, Account

IDLE_DAYS = 90  # a number that was quiet for so long may have been given to somebody else
BASIC = "basic"  # the tier of a wallet that has been given none
UTC_ZONE = ZoneInfo("UTC")


class Stopped(BadInput):
    """The account is frozen or closed."""


class InsufficientFunds(BadInput):
    """The account has less than the amount."""


class NotVerified(BadInput):
    """An operator must first make sure that the wallet's owner is who they were."""


class LimitExceeded(BadInput):
    """The movement would pass a cap; `cap` says which, `most` what it allows now."""

    def __init__(self, cap: str, most: Decimal) -> None:
        super().__init__(f"above the {cap.replace('_', ' ')}: at most {most} now")
        self.cap = cap
        self.most = most


@dataclass(frozen=True, slots=True)
class Tier:
    """The caps of a kind of wallet, each in its currency; a day is a local day."""

    debit: Decimal = MONEY_MAX  # a single one
    debits_a_day: Decimal = MONEY_MAX
    credits_a_day: Decimal = MONEY_MAX
    balance: Decimal = MONEY_MAX


UNCAPPED = Tier()


@dataclass(frozen=True, slots=True)
class Limits:
    """The tiers of this country's wallets, and what an agent's till may take in a day."""

    tiers: Mapping[str, Tier] = field(default_factory=dict)
    till: Tier = UNCAPPED
    zone: ZoneInfo = UTC_ZONE

    def of(self, account: Account) -> Tier:
        """The caps of an account; a tier that settings no longer name falls back to basic."""
        if account.kind == TILL:
            return self.till
        if account.kind != WALLET:
            return UNCAPPED
        basic = self.tiers.get(BASIC, UNCAPPED)
        return self.tiers.get(account.tier or BASIC, basic)

    def today(self, now: datetime) -> date:
        """The local day."""
        return now.astimezone(self.zone).date()

    def idle_before(self, now: datetime) -> date:
        """A wallet last used before this day has been idle."""
        return self.today(now) - timedelta(days=IDLE_DAYS)

    def insist_debit(
        self, account: Account, amount: Decimal, now: datetime, caps: Tier | None = None
    ) -> None:
        """Raise unless `amount` may leave `account` now.

        `caps` are those of a float, which its partner's terms know.
        Raises `Stopped`, `NotVerified`, `InsufficientFunds`, `LimitExceeded`.
        """
        if account.status != ACTIVE:
            raise Stopped(f"the account is {account.status}")
        if self.needs_verification(account, now):
            raise NotVerified("an operator must verify the owner first")
        if account.balance is not None and account.balance < amount:
            raise InsufficientFunds("the balance is below the amount")
        tier = caps or self.of(account)
        _within("debit", amount, tier.debit)
        spent = account.day_debits if account.day == self.today(now) else Decimal("0.00")
        _within("debits_a_day", amount, tier.debits_a_day - spent)

    def insist_credit(self, account: Account, amount: Decimal, now: datetime) -> None:
        """Raise unless `account` may take `amount` now. Raises `Stopped`, `LimitExceeded`."""
        if account.status != ACTIVE:
            raise Stopped(f"the account is {account.status}")
        tier = self.of(account)
        taken = account.day_credits if account.day == self.today(now) else Decimal("0.00")
        _within("credits_a_day", amount, tier.credits_a_day - taken)
        balance = Decimal("0.00") if account.balance is None else account.balance
        _within("balance", amount, min(tier.balance, MONEY_MAX) - balance)

    def insist_passing_on(self, account: Account, amount: Decimal) -> None:
        """Raise unless `account`, frozen or not, can pass on what it holds for another.

        Raises `Stopped`, `InsufficientFunds`.
        """
        if account.status == CLOSED:
            raise Stopped("the account is closed")
        if account.balance is not None and account.balance < amount:
            raise InsufficientFunds("the balance is below the amount")

    def needs_verification(self, account: Account, now: datetime) -> bool:
        """Whether debits and the setting of a PIN wait for an operator."""
        if account.kind != WALLET:
            return False
        idle = account.active_on is not None and account.active_on < self.idle_before(now)
        return account.unverified or idle


def _within(cap: str, amount: Decimal, most: Decimal) -> None:
    if amount > most:
        raise LimitExceeded(cap, max(most, Decimal("0.00")))
