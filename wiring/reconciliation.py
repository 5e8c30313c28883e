"""The nightly run over everything that hangs, every statement and all books."""

from collections.abc import Callable, Sequence

from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.ledger.invariants.check import Invariant
from gateway.reconciliation.compare.store import BANK
from gateway.reconciliation.hanging.ask import Asking, Runs
from gateway.reconciliation.run import Reconciler
from gateway.settings import Settings

# As the books call them, whether in use now or not: money may have moved while they were.
STATEMENT_PROVIDERS = ("snippe", "selcom", "airtelmoney", "tigopesa", "mpesa", BANK)


def reconciler(
    settings: Settings,
    database: Database,
    clock: Clock,
    invariants: Sequence[Invariant],
    runner: Callable[[], Runs],
) -> Reconciler:
    """The parts; `runner` runs the outbox's questions in this process."""
    asking = Asking(database, clock, runner)
    askers = {"deposits": asking.about_deposits, "withdrawals": asking.about_withdrawals}
    return Reconciler(database, clock, settings.carrier_zone, invariants, askers)
