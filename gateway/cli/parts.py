"""What the commands are wired to; app.py fills it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import click

from gateway.api.batches.batch import Batches
from gateway.api.issuing import Issuing
from gateway.api.profile import Profiles
from gateway.audit.approvals import Approvals
from gateway.chores import Chore
from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.deposits.asking import Asking
from gateway.disputes.open import Opener
from gateway.disputes.resolve import Resolver
from gateway.languages import Languages
from gateway.ledger.books import Books
from gateway.ledger.invariants.check import Invariant
from gateway.ledger.operate import WalletOperators
from gateway.outbox.sending import Sender
from gateway.outlets.counter import Counter
from gateway.outlets.settle import Settling as OutletSettling
from gateway.partners.endpoints.manage import Endpoints
from gateway.partners.funding import Funding
from gateway.people.staff.roster import Roster
from gateway.people.staff.way_back import WayBack
from gateway.reconciliation.run import Reconciler
from gateway.reconciliation.settling import Settling
from gateway.settings import Settings
from gateway.tokens.issue import Issuer
from gateway.tokens.keys.rings import KeyRings
from gateway.tokens.reprint import Reprinter
from gateway.tokens.retire import Retirer
from gateway.ussd.screens import Tree
from gateway.withdrawals.operate import Operators
from gateway.withdrawals.settlements import Settlements


class Works(Protocol):
    """The body of a worker process."""

    def stop_on_signals(self) -> None:
        """Let SIGTERM and SIGINT end `run` cleanly."""

    def run(self) -> None:
        """Work until stopped."""

    def drain(self) -> int:
        """Send what is due now; how many messages."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The wired gateway, as commands use it."""

    settings: Settings
    database: Database
    clock: Clock
    rings: KeyRings
    books: Books
    issuer: Issuer
    issuing: Issuing  # for partners
    profiles: Profiles  # of partners
    batches: Batches
    reprinter: Reprinter
    retirer: Retirer
    languages: Languages
    tree: Tree
    invariants: Sequence[Invariant]
    chores: Mapping[str, Chore]  # what `sweep` does, by the name it is reported under
    settle: Chore  # outbox rows whose worker died or whose report never came; events' numbers
    endpoints: Endpoints  # where partners' webhooks go
    sender: Callable[[str], Sender]  # by the worker's name
    channel_checks: Mapping[str, Callable[[], str]]  # of SMS channels; raise a `SendFailed`
    worker: Callable[[int, int | None], Works]  # by its threads, and the seconds between sweeps
    report_keys: Callable[[str], None]  # tells the database which keys this process holds
    sign_off: Callable[[], None]
    obstacles: Callable[[], Sequence[str]]
    approvals: Approvals
    roster: Roster  # the staff
    way_back: WayBack  # of the staff that is locked out
    deposits: Asking  # what operators ask for about them
    wallets: WalletOperators
    withdrawals: Operators
    settlements: Settlements
    disputes: Opener
    resolver: Resolver  # of disputes
    funding: Funding  # of floats
    settling: Settling  # of what providers pay out to us
    counter: Counter
    outlets: OutletSettling  # pays outlets what they are owed
    reconciler: Reconciler
    statement_providers: Sequence[str]  # of whom a statement may be imported


class Lazy:
    """The wired gateway, made when a command first needs it: `--help` needs no settings."""

    def __init__(self, make: Callable[[], Parts]) -> None:
        self._make = make
        self._made: Parts | None = None

    def parts(self) -> Parts:
        """The parts."""
        if self._made is None:
            self._made = self._make()
        return self._made


pass_parts = click.make_pass_decorator(Lazy)
