"""Issuing what waits in batches, a row in each unit of work: a killed worker doubles nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import structlog
from sqlalchemy import Connection

from gateway.api.batches import store
from gateway.api.batches.store import Batch, Kept, RowStatus, Status
from gateway.api.issuing import Issuing, Wish
from gateway.clock import Clock
from gateway.database.alone import Busy, alone
from gateway.database.engine import Database
from gateway.errors import BadInput, CommitUnknown, GatewayError, KeyMissing, TryAgain
from gateway.formats import money
from gateway.ledger.limits import InsufficientFunds, LimitExceeded, Stopped
from gateway.partners import testing
from gateway.partners.profiles import PartnerSuspended
from gateway.tokens.issue import DuplicateIssueRef

log = structlog.get_logger()

JOB = "batches"  # one process at a time; who is not alone doubles nothing either
LOOK_SECONDS = 3  # how often a worker looks for one that runs
SLICE = 100  # rows of one batch before the next one has its turn
# Why a row has failed: the first that fits decides.
CODES: tuple[tuple[type[GatewayError], str], ...] = (
    (DuplicateIssueRef, "duplicate_issue_ref"),
    (InsufficientFunds, "insufficient_funds"),
    (LimitExceeded, "limit_exceeded"),
    (BadInput, "invalid_request"),
)
UNAVAILABLE = "temporarily_unavailable"
Waits = (PartnerSuspended, Stopped)  # operators have stopped it: its rows wait, none has failed


@dataclass(frozen=True, slots=True)
class Worker:
    """Issues the rows of batches that run."""

    database: Database
    clock: Clock
    issuing: Issuing

    def advance(self) -> int:
        """Issue all that waits; how many rows were decided.

        Raises `TryAgain` or `CommitUnknown` when the database is away.
        """
        try:
            with alone(self.database, JOB) as lock:
                done = 0
                while some := self._turn():
                    lock.insist()
                    done += some
                return done
        except Busy:
            return 0

    def _turn(self) -> int:
        """A slice of each batch that runs; how many rows."""
        with self.database.snapshot() as connection:
            found = store.running(connection)
        return sum(self.slice(batch) for batch in found)

    def slice(self, batch: Batch) -> int:
        """The next rows of one batch; how many were decided, 0 when none can be now."""
        with self.database.snapshot() as connection:
            waits = store.rows_of(connection, batch.id, SLICE, status=RowStatus.WAITING)
        try:
            decided = sum(self._row(batch, kept) for kept in waits)
        except Waits as error:
            log.warning("batch_waits", batch=batch.reference, reason=str(error))
            return 0
        if len(waits) < SLICE:
            self.database.run(partial(self._end, batch), keyed=True)
        return decided

    def _row(self, batch: Batch, kept: Kept) -> bool:
        try:
            return self.database.run(partial(self._issue, batch, kept), keyed=True)
        except (*Waits, TryAgain, CommitUnknown, KeyMissing):
            raise
        except GatewayError as error:
            code = next((code for kind, code in CODES if isinstance(error, kind)), UNAVAILABLE)
            return self._failed(kept, code, str(error))
        except Exception as error:  # a fault of one row must not stop the others
            log.exception("batch_row_failed", batch=batch.reference, row=kept.row.number)
            # Its type alone: the text of an unforeseen error may hold anything.
            return self._failed(kept, UNAVAILABLE, f"not issued: {type(error).__name__}")

    def _issue(self, batch: Batch, kept: Kept, connection: Connection) -> bool:
        now = self.clock.now()
        if not store.claim(connection, kept.id, now):
            return False
        row = kept.row
        wish = Wish(
            amount=money.plain(row.amount),
            recipient=testing.shown(row.recipient),
            issue_ref=row.issue_ref,
            digits=row.digits,
            bound=row.bound,
            language=row.language,
            sender_name=row.sender_name,
        )
        order = self.issuing.order(connection, batch.owner, batch.asked_by, wish, now)
        made = self.issuing.issue(connection, order, now)
        store.name(connection, kept.id, made.serial)
        return True

    def _failed(self, kept: Kept, code: str, detail: str) -> bool:
        now = self.clock.now()
        return self.database.run(lambda c: store.fail(c, kept.id, code, detail, now))

    def _end(self, batch: Batch, connection: Connection) -> None:
        """Close it when nothing waits any more; whoever retries it meanwhile is waited for."""
        store.by_reference(connection, batch.reference, lock=True)
        if not store.has_waiting(connection, batch.id):
            store.move(connection, batch.id, Status.RUNNING, Status.DONE, self.clock.now())


def progress(counts: Sequence[int], width: int = 20) -> str:
    """How far a batch is: rows decided of all, as a bar.

    >>> progress([3, 4], 8)
    '[######..] 3/4'
    """
    decided, rows = counts
    filled = width * decided // max(rows, 1)
    return f"[{'#' * filled}{'.' * (width - filled)}] {decided}/{rows}"
