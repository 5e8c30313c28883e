"""Running the tasks of the outbox: claim, begin, act outside any transaction, record."""

import itertools
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

import structlog
from sqlalchemy import Connection

from gateway.clock import Clock, monotonic
from gateway.database.engine import Database
from gateway.errors import (
    CommitUnknown,
    GatewayError,
    OutcomeUnknown,
    Refused,
    SendFailed,
    Throttled,
    TryAgain,
    Unreachable,
)
from gateway.outbox import closing, queue
from gateway.outbox.calls import CALL_SECONDS_MAX, BoundedCalls
from gateway.outbox.leases import store as leases_store
from gateway.outbox.queue import Lease
from gateway.outbox.recording import Record, Recorder
from gateway.outbox.sending import NotWanted, NotYet, nothing_is_paused
from gateway.outbox.store import LEASE, Message
from gateway.outbox.tasks import PAYOUT, PROVIDER, Task, Work

log = structlog.get_logger()

PAUSED_WAIT = timedelta(seconds=30)  # between two looks at a row whose provider is paused
WAIT_FOR_TASK = timedelta(minutes=1)
MARGIN_SECONDS = 5.0  # of a lease, kept for recording
SWITCHES = {PAYOUT: "payouts"}  # what pauses a whole line


class LeaseLost(GatewayError):
    """Somebody else has decided about the row meanwhile."""


class TaskRunner:
    """Runs one task at a time; many may run at once, in threads and processes.

    `is_paused` is asked for `payouts` and for `provider:<name>`: such rows wait untouched.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        tasks: Mapping[str, Task],
        lines: Sequence[str],
        worker: str,
        *,
        is_paused: Callable[[str], bool] = nothing_is_paused,
        call_seconds_max: float = CALL_SECONDS_MAX,
    ) -> None:
        # A call that began later than this could outlast the lease.
        self._begin_seconds_max = LEASE.total_seconds() - call_seconds_max - MARGIN_SECONDS
        if self._begin_seconds_max <= 0:
            raise ValueError("a call may take longer than its lease")
        self._database = database
        self._clock = clock
        self._tasks = tasks
        self._lines = lines
        self._worker = worker
        self._is_paused = is_paused
        self._call_seconds_max = call_seconds_max
        self._calls: dict[str, BoundedCalls[Any]] = {}
        self._recorder = Recorder(database, clock)
        self._turn = 0

    def run_next(self) -> bool:
        """Run the next due task; False when nothing is due or nothing may run now.

        Raises `TryAgain` or `CommitUnknown` when the database is away; an outcome that could not
        be recorded is recorded by the next call, before anything else.
        """
        self._guarded(self._recorder.record_pending)
        claimed = self._claim()
        if claimed is None:
            return False
        message, lease = claimed
        task = self._tasks.get(message.template)
        provider = message.details.get(PROVIDER)
        if task is None:  # a newer process's row: it must not be lost to an older one
            log.error("task_missing", template=message.template, outbox=message.id)
            self._put_back(message, lease, f"no task for {message.template}", WAIT_FOR_TASK)
        elif provider and self._is_paused(f"provider:{provider}"):
            self._put_back(message, lease, f"{provider} is paused", PAUSED_WAIT)
        else:
            self._run(task, message, lease)
        return True

    def settle_lost(self, rows_max: int = 100) -> int:
        """Decide about rows whose worker died in the middle; how many."""
        now = self._clock.now()
        settled = 0
        for line in self._lines:
            lapsed = partial(leases_store.lapsed, now=now, rows_max=rows_max, line=line)
            found = self._database.run(lapsed)
            settled += sum(self._settle(message) for message in found)
        return settled

    def _settle(self, message: Message) -> bool:
        task = self._tasks.get(message.template)
        try:
            return self._database.run(
                lambda c: closing.lost(c, task, message, self._clock.now()), keyed=True
            )
        except (TryAgain, CommitUnknown):
            raise
        except Exception:  # one row that cannot be decided must not hold up the others
            log.exception("lost_task_not_settled", outbox=message.id, template=message.template)
            return False

    def _claim(self) -> tuple[Message, Lease] | None:
        holder = f"{self._worker}:{secrets.token_hex(4)}"
        tries = itertools.count()
        with self._database.snapshot() as connection:
            # Looking costs nobody anything; a claim locks what it looks at, on a small table
            # others' rows too, and those would be passed over.
            due = leases_store.due_among(connection, self._open_lines(), self._clock.now())

        def work(connection: Connection) -> Message | None:
            # The answer to an earlier try's COMMIT may have been lost: then it is ours already.
            ours = queue.claimed(connection, holder) if next(tries) else None
            now = self._clock.now()
            claims = (queue.claim_next(connection, holder, now, line) for line in due)
            return ours or next((message for message in claims if message is not None), None)

        message = self._database.run(work, keyed=True) if due else None
        return None if message is None else (message, Lease(message.id, holder))

    def _open_lines(self) -> list[str]:
        """The lines that may run, each first in its turn: a long one starves no other."""
        self._turn = (self._turn + 1) % len(self._lines)
        turned = [*self._lines[self._turn :], *self._lines[: self._turn]]
        return [
            line for line in turned if line not in SWITCHES or not self._is_paused(SWITCHES[line])
        ]

    def _run(self, task: Task, message: Message, lease: Lease) -> None:
        began = monotonic()
        begun = Lease(lease.row, f"{lease.holder}:begun")
        try:
            work = self._begin(task, message, lease, begun)
        except LeaseLost:
            log.warning("task_lease_lost", outbox=message.id)
        except NotWanted as error:
            reason = str(error)
            self._record(lambda c, now: queue.dropped(c, lease, reason, now))
        except NotYet as error:
            self._put_back(message, lease, str(error), error.wait)
        except (TryAgain, CommitUnknown):
            raise
        except Exception as error:  # nothing has left: a fault of one row stops no other
            log.exception("task_not_begun", outbox=message.id, template=message.template)
            wait = queue.backoff(message.attempts)
            self._put_back(message, lease, f"not begun: {type(error).__name__}", wait)
        else:
            if work is not None:
                self._perform(task, message, begun, work, began)

    def _begin(self, task: Task, message: Message, lease: Lease, begun: Lease) -> Work | None:
        works: list[Work | None] = []

        def work(connection: Connection) -> Work | None:
            now = self._clock.now()
            if works and closing.is_held(connection, begun):
                return works[-1]  # it was committed; only the answer was lost
            until = now + LEASE
            if not leases_store.begin(
                connection, lease.row, lease.holder, begun.holder, until, now
            ):
                raise LeaseLost
            works.append(task.begin(connection, message, now))
            if works[-1] is None:
                queue.dropped(connection, begun, "nothing is to be done any more", now)
            return works[-1]

        return self._database.run(work, keyed=True)

    def _perform(
        self, task: Task, message: Message, lease: Lease, work: Work, began: float
    ) -> None:
        try:
            if monotonic() - began > self._begin_seconds_max:
                raise Unreachable("no time left under this lease")
            result = self._calls_of(message).make(work)
        except (Unreachable, Throttled, Refused, OutcomeUnknown) as failure:
            self._failed(task, message, lease, failure)
        except Exception as error:  # not in the contract, so it may have happened
            log.exception("task_unknown", outbox=message.id, template=message.template)
            self._failed(task, message, lease, OutcomeUnknown(type(error).__name__))
        else:
            unrecorded = OutcomeUnknown("what came of it could not be recorded")
            self._record(
                lambda c, now: closing.done(c, task, message, lease, result, now),
                lambda c, now: closing.failed(c, task, message, lease, unrecorded, now),
                *self._resort(task, message, lease),
            )

    def _calls_of(self, message: Message) -> BoundedCalls[Any]:
        """Calls that never ended hold up only those to the same provider."""
        whose = message.details.get(PROVIDER) or message.template
        return self._calls.setdefault(whose, BoundedCalls(self._call_seconds_max))

    def _failed(self, task: Task, message: Message, lease: Lease, failure: SendFailed) -> None:
        say = (
            log.error if isinstance(failure, Throttled | Refused) and failure.alarm else log.warning
        )
        say(
            "task_failed",
            outbox=message.id,
            template=message.template,
            kind=type(failure).__name__,
            error=failure.reason,
        )
        self._record(
            lambda c, now: closing.failed(c, task, message, lease, failure, now),
            *self._resort(task, message, lease),
        )

    def _resort(self, task: Task, message: Message, lease: Lease) -> Sequence[Record]:
        """What is left when a task cannot even decide; else its lease runs out: `lost`."""
        if not task.repeatable:
            return ()
        wait, reason = queue.backoff(message.attempts), "its outcome could not be recorded"
        return (lambda c, now: queue.retry(c, message, lease, reason, wait, now),)

    def _put_back(self, message: Message, lease: Lease, reason: str, after: timedelta) -> None:
        """It was not begun: that says nothing of the row."""
        self._record(
            lambda c, now: queue.retry(c, message, lease, reason, after, now, counts=False)
        )

    def _record(self, *changes: Record) -> None:
        self._guarded(lambda: self._recorder.record(*changes))

    def _guarded(self, record: Callable[[], None]) -> None:
        """A row that nothing can be recorded about keeps its lease until it runs out."""
        try:
            record()
        except (TryAgain, CommitUnknown):
            raise
        except Exception:
            log.exception("task_outcome_not_recorded")
