"""What the console is wired to; wiring/pages.py fills it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from gateway.audit.approvals import Approvals
from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.deposits.asking import Asking
from gateway.disputes.open import Opener
from gateway.disputes.resolve import Resolver
from gateway.ledger.books import Books
from gateway.ledger.invariants.check import Invariant
from gateway.ledger.operate import WalletOperators
from gateway.outbox.sending import BillGuard
from gateway.outlets.counter import Counter
from gateway.outlets.settle import Settling as OutletSettling
from gateway.partners.funding import Funding
from gateway.people.staff.roster import Roster
from gateway.people.staff.way_back import WayBack
from gateway.reconciliation.run import Reconciler
from gateway.reconciliation.settling import Settling
from gateway.settings.limits import Money
from gateway.switches.board import Board
from gateway.tokens.issue import Issuer
from gateway.tokens.keys.rings import KeyRings
from gateway.tokens.reprint import Reprinter
from gateway.tokens.retire import Retirer
from gateway.web.pages.door import Door
from gateway.withdrawals.operate import Operators
from gateway.withdrawals.settlements import Settlements


@dataclass(frozen=True, slots=True)
class ConsoleParts:
    """The wired gateway, as the console uses it."""

    door: Door
    database: Database
    clock: Clock
    zone: ZoneInfo
    country: str  # ISO 3166: whose numbers are typed without a prefix
    currency: str
    rings: KeyRings
    books: Books
    issuer: Issuer
    reprinter: Reprinter
    retirer: Retirer
    invariants: Sequence[Invariant]
    approvals: Approvals
    roster: Roster
    way_back: WayBack
    deposits: Asking
    wallets: WalletOperators
    withdrawals: Operators
    settlements: Settlements
    disputes: Opener
    resolver: Resolver
    funding: Funding
    settling: Settling
    reconciler: Reconciler
    statement_providers: Sequence[str]
    in_use: Collection[str]  # the providers and SMS channels that are set up
    board: Board
    caps: Money  # as configured
    bill: BillGuard
    counter: Counter
    outlets: OutletSettling  # pays outlets what they are owed
