"""What operators do to wallets: freeze, verify, give a tier; ask for a move or a new PIN."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from gateway.clock import iso
from gateway.errors import BadInput
from gateway.ledger import wallets
from gateway.ledger.limits import BASIC, Limits
from gateway.ledger.store import Account
from gateway.ledger.wallets import MOVE, RESET_PIN, HeldFor

FREEZE, UNFREEZE, TIER, VERIFY = "wallet.freeze", "wallet.unfreeze", "wallet.tier", "wallet.verify"

# Appends to the audit trail: actor, action, subject, instant, reason.
Record = Callable[[Connection, str, str, str, datetime, str], None]
# Queues a notice to a phone in the transaction of an act that has a name.
Tell = Callable[[Connection, str, str, datetime], None]
# Asks a second operator: kind, subject, details, actor, reason, instant; the request's number.
Ask = Callable[[Connection, str, str, Mapping[str, str], str, str, datetime], int]


@dataclass(frozen=True, slots=True)
class Deed:
    """Who does something, why and when."""

    actor: str
    reason: str
    now: datetime


@dataclass(frozen=True, slots=True)
class Word:
    """How others hear of it."""

    record: Record
    tell_frozen: Tell
    tell_unfrozen: Tell
    ask: Ask


class WalletOperators:
    """Acts on the wallet of a phone (E.164); each act stands in the trail with its reason."""

    def __init__(self, currency: str, limits: Limits, word: Word, held_for: HeldFor) -> None:
        self._currency = currency
        self._limits = limits
        self._word = word
        self._held_for = held_for

    @property
    def tiers(self) -> Sequence[str]:
        """The tiers that settings name, and the one of wallets that were given none."""
        return sorted({BASIC, *self._limits.tiers})

    def wallet(self, connection: Connection, phone: str) -> Account:
        """The wallet of a phone. Raises `BadInput` before its first use."""
        found = wallets.find(connection, phone, self._currency)
        if found is None:
            raise BadInput("this phone has no wallet yet")
        return found

    def is_verified(self, wallet: Account, now: datetime) -> bool:
        """Whether its owner may spend and set a PIN."""
        return not self._limits.needs_verification(wallet, now)

    def freeze(self, connection: Connection, phone: str, deed: Deed) -> Account:
        """Active to frozen: no credit, no debit; the owner hears of it. Raises `BadInput`."""
        wallet = self.wallet(connection, phone)
        if not wallets.freeze(connection, wallet):
            raise BadInput(f"the wallet is {wallet.status}")
        self._word.tell_frozen(connection, phone, _act(wallet, deed), deed.now)
        return self._done(connection, phone, FREEZE, deed)

    def unfreeze(self, connection: Connection, phone: str, deed: Deed) -> Account:
        """Frozen to active; the owner hears of it. Raises `BadInput`."""
        wallet = self.wallet(connection, phone)
        if not wallets.unfreeze(connection, wallet):
            raise BadInput(f"the wallet is {wallet.status}")
        self._word.tell_unfrozen(connection, phone, _act(wallet, deed), deed.now)
        return self._done(connection, phone, UNFREEZE, deed)

    def set_tier(self, connection: Connection, phone: str, tier: str, deed: Deed) -> Account:
        """Give it the caps of one of `tiers`. Raises `BadInput`."""
        if tier not in self.tiers:
            raise BadInput(f"the tiers are {', '.join(self.tiers)}")
        wallet = self.wallet(connection, phone)
        if not wallets.set_tier(connection, wallet, tier):
            raise BadInput(f"the wallet's tier is {tier} already")
        return self._done(connection, phone, TIER, deed, f"{tier}: {deed.reason}")

    def verify(self, connection: Connection, phone: str, deed: Deed) -> Account:
        """The owner was seen: after a new PIN, a move, or a long rest. Raises `BadInput`."""
        wallet = self.wallet(connection, phone)
        if not wallets.verify(connection, wallet, self._limits.today(deed.now)):
            raise BadInput(f"the wallet is {wallet.status}")
        return self._done(connection, phone, VERIFY, deed)

    def ask_move(self, connection: Connection, phone: str, to: str, deed: Deed) -> int:
        """Ask for it to be given to another number; the approval's number. Raises `BadInput`.

        Once a second operator has approved it, the owner must be verified.
        """
        wallet = self.wallet(connection, phone)
        wallets.insist_movable(connection, wallet, to, self._held_for)
        details = {"to": to, "wallet": str(wallet.id)}
        return self._ask(connection, MOVE, phone, details, deed)

    def ask_new_pin(self, connection: Connection, phone: str, deed: Deed) -> int:
        """Ask for the PIN to be forgotten; the approval's number. Raises `BadInput`.

        Once a second operator has approved it, the owner must be verified.
        """
        return self._ask(connection, RESET_PIN, phone, {}, deed)

    def _ask(
        self,
        connection: Connection,
        kind: str,
        phone: str,
        details: Mapping[str, str],
        deed: Deed,
    ) -> int:
        ask = self._word.ask
        return ask(connection, kind, phone, details, deed.actor, deed.reason, deed.now)

    def _done(
        self, connection: Connection, phone: str, action: str, deed: Deed, said: str = ""
    ) -> Account:
        reason = said or deed.reason
        self._word.record(connection, deed.actor, action, phone, deed.now, reason)
        return self.wallet(connection, phone)


def _act(wallet: Account, deed: Deed) -> str:
    return f"{wallet.id}:{iso(deed.now)}"
