"""A task for tests: what it is told goes to the audit trail, what it does is counted."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, select

from gateway.audit import trail
from gateway.audit.store import audit_trail
from gateway.errors import SendFailed
from gateway.outbox import queue
from gateway.outbox.running import TaskRunner
from gateway.outbox.store import Message
from gateway.outbox.tasks import LINES, PAYOUT, Again, Task, Work
from tests.outbox.rows import Rows

PAY = "pay"
Decision = Callable[[Message, datetime], Again | None]


def closed(_: Message, __: datetime) -> Again | None:
    """The task wants the row no more."""
    return None


def in_a_minute(_: Message, now: datetime) -> Again | None:
    """The task wants the row again."""
    return Again(now + timedelta(minutes=1), "not yet")


@dataclass
class Pays:
    """Pays by calling `call`, and decides by what it was made with."""

    call: Callable[[], Any] = lambda: "receipt"
    repeatable: bool = False
    after_done: Decision = closed
    after_failed: Decision = closed
    after_lost: Decision = closed
    before: Callable[[Message], None] = lambda _: None
    wanted: bool = True
    calls: list[str] = field(default_factory=list)

    def begin(self, connection: Connection, message: Message, now: datetime) -> Work | None:
        """Look, and say what to do."""
        self._note(connection, "begun", message, now)
        self.before(message)
        return (lambda: self._act(message)) if self.wanted else None

    def _act(self, message: Message) -> Any:
        self.calls.append(message.subject)
        return self.call()

    def done(
        self, connection: Connection, message: Message, result: Any, now: datetime
    ) -> Again | None:
        """Write down what came back."""
        self._note(connection, "done", message, now, str(result))
        return self.after_done(message, now)

    def failed(
        self, connection: Connection, message: Message, failure: SendFailed, now: datetime
    ) -> Again | None:
        """Write down what went wrong."""
        self._note(connection, type(failure).__name__, message, now, failure.reason)
        return self.after_failed(message, now)

    def lost(self, connection: Connection, message: Message, now: datetime) -> Again | None:
        """Write down that nobody knows."""
        self._note(connection, "lost", message, now)
        return self.after_lost(message, now)

    def _note(
        self, connection: Connection, what: str, message: Message, now: datetime, why: str = ""
    ) -> None:
        trail.record(connection, "task", what, message.subject, now, why)


class Killed(BaseException):
    """The process ends here and now."""


@dataclass
class Stage:
    """Rows of payouts and the runners that work on them."""

    rows: Rows
    tasks: Mapping[str, Task]
    paused: set[str] = field(default_factory=set)

    def add(self, subject: str = "1", line: str = PAYOUT, **details: str) -> int:
        """Queue a payout; its row."""
        rows, cause = self.rows, f"{line}:{subject}"
        rows.run(
            lambda c: queue.add(c, cause, PAY, subject, "", "", rows.now(), details, line=line)
        )
        return next(row.id for row in rows.all() if row.cause == cause)

    def runner(self, worker: str = "r1", **options: Any) -> TaskRunner:
        """A runner, as if of a process of its own."""
        options.setdefault("is_paused", self.is_paused)
        return TaskRunner(self.rows.database, self.rows.clock, self.tasks, LINES, worker, **options)

    def is_paused(self, what: str) -> bool:
        """Whether a test has paused it."""
        return what in self.paused

    def told(self, subject: str = "1") -> list[str]:
        """What the task was told about a subject, in order."""
        of = select(audit_trail.c.action).where(audit_trail.c.subject == subject)
        return self.rows.run(
            lambda c: [str(row[0]) for row in c.execute(of.order_by(audit_trail.c.id))]
        )


def stage(rows: Rows, task: Task | None = None) -> Stage:
    """A stage with one task, or with none."""
    return Stage(rows, {} if task is None else {PAY: task})


def drained(runner: TaskRunner) -> int:
    """Run all that is due; how many rows."""
    handled = 0
    while runner.run_next():
        handled += 1
    return handled


def running_threads(runners: list[TaskRunner], until: Callable[[], object]) -> None:
    """Each runner on a thread of its own until it holds."""
    stop = threading.Event()

    def run(of: TaskRunner) -> None:
        while not stop.is_set():
            if not of.run_next():
                stop.wait(0.02)

    threads = [threading.Thread(target=run, args=(of,)) for of in runners]
    for thread in threads:
        thread.start()
    until()
    stop.set()
    for thread in threads:
        thread.join()
