"""The guard of a restored database: paused, told by the log what was spent, and let go at last."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.errors import BadInput
from gateway.ledger.invariants.check import Invariant, check
from gateway.partners.events import feed
from gateway.reconciliation.runs import store as runs
from gateway.restores import store
from gateway.restores.reading import Leaving, Reading, spent
from gateway.switches import board, operate
from gateway.switches import store as switches
from gateway.switches.restores import store as restores
from gateway.switches.restores.store import Restore
from gateway.tokens import store as tokens
from gateway.tokens import suspend
from gateway.tokens.store import Holder, Status
from gateway.withdrawals import store as withdrawals
from gateway.withdrawals.store import Payout

# In the trail.
BEGIN, REPLAY, STOP_ALL, END = [f"restore.{w}" for w in ("begin", "replay", "stop-all", "end")]
SUBJECT = "database"
SPENT = "left circulation after the backup, says the log"
UNSURE = "may have been spent after the backup"
BATCH = 200
RUNS_LOOKED_AT = 50


@dataclass(slots=True)
class Replayed:
    """What became of the tokens that the log names."""

    suspended: list[Leaving] = field(default_factory=list)
    suspended_before: int = 0  # in the backup already
    over: int = 0  # in the backup already: redeemed, cancelled, expired
    unknown: list[Leaving] = field(default_factory=list)  # issued after the backup


def current(connection: Connection) -> Restore:
    """The restore under way. Raises `BadInput`."""
    found = restores.under_way(connection)
    if found is None:
        raise BadInput("no restore is under way: gateway restore begin")
    return found


def begin(connection: Connection, actor: str, reason: str, now: datetime) -> Restore:
    """Pause all that moves value, and hold back payouts that may have been made since the backup.

    Partners' events go on behind every number that they may have read. Before any process serves
    from this database. Raises `BadInput` while another is under way.
    """
    if restores.under_way(connection) is not None:
        raise BadInput("a restore is under way already")
    paused = switches.paused(connection)
    for part in board.PARTS:
        if part not in paused:
            operate.pause(connection, part, actor, reason, now, trail.record)
    restores.add(connection, actor, store.newest_movement(connection), now)
    _hold_back(connection, now)
    feed.skip_all(connection)
    trail.record(connection, actor, BEGIN, SUBJECT, now, reason)
    return current(connection)


def _hold_back(connection: Connection, now: datetime) -> None:
    """A payout that waits in the backup may have been paid since: an operator looks first."""
    moved = True
    while moved:
        queued = withdrawals.listed(connection, payout=Payout.QUEUED, rows_max=BATCH)
        steps = ((Payout.QUEUED,), Payout.MANUAL, now)
        moved = sum(withdrawals.move(connection, one.id, *steps) for one in queued) > 0


def replay(database: Database, clock: Clock, reading: Reading, actor: str) -> Replayed:
    """Suspend every live token that the log names; safe to repeat. Raises `BadInput`."""
    restore = database.run(current)
    done = Replayed()
    for leaving in spent(reading):
        became = database.run(partial(_stop, leaving=leaving, actor=actor, now=clock.now()))
        done.suspended += [leaving] if became == Status.ISSUED else []
        done.unknown += [leaving] if became is None else []
        done.suspended_before += became == Status.SUSPENDED
        done.over += became not in (None, Status.ISSUED, Status.SUSPENDED)
    missed = reading.missed() + (not reading.reaches(restore.newest_at))

    def note(connection: Connection) -> None:
        restores.read(connection, restore.id, reading.lines, missed, len(done.suspended))
        trail.record(connection, actor, REPLAY, SUBJECT, clock.now())

    database.run(note)
    return done


def _stop(connection: Connection, leaving: Leaving, actor: str, now: datetime) -> str | None:
    """What the token was; None for one that the backup does not have."""
    found = tokens.by_serial(connection, leaving.serial)
    if found is None:
        return None
    token = tokens.locked(connection, found.id)
    if token.status == Status.SUSPENDED:  # so that whoever resumes it can read why not to
        tokens.hold(connection, token.id, Holder.RESTORE)
        trail.record(connection, actor, "token.suspend", token.serial, now, SPENT)
    if token.status != Status.ISSUED:
        return token.status
    # Also one whose time is over: the sweep would give back the value of what was spent in time.
    suspend.suspend(connection, token, actor, SPENT, now, by=Holder.RESTORE, overdue=True)
    return Status.ISSUED


def stop_all(database: Database, clock: Clock, actor: str, reason: str) -> int:
    """Suspend every live token, where the log cannot be trusted; how many. Raises `BadInput`.

    What was suspended before is held too: it may have been resumed and spent after the backup.
    """
    restore = database.run(current)
    after, stopped = 0, 0
    while True:
        with database.snapshot() as connection:
            batch = store.live(connection, after, BATCH)
        if not batch:
            break
        stopped += database.run(partial(_stop_some, batch, actor, clock.now()))
        after = batch[-1]

    def note(connection: Connection) -> None:
        restores.stopped_all(connection, restore.id, stopped)
        trail.record(connection, actor, STOP_ALL, SUBJECT, clock.now(), reason)

    database.run(note)
    return stopped


def _stop_some(batch: Sequence[int], actor: str, now: datetime, connection: Connection) -> int:
    stopped = 0
    for token_id in batch:
        token = tokens.locked(connection, token_id)
        if token.status == Status.ISSUED:
            suspend.suspend(connection, token, actor, UNSURE, now, by=Holder.RESTORE, overdue=True)
            stopped += 1
        elif token.status == Status.SUSPENDED and token.held_by != Holder.RESTORE:
            tokens.hold(connection, token.id, Holder.RESTORE)
            trail.record(connection, actor, "token.suspend", token.serial, now, UNSURE)
    return stopped


def obstacles(connection: Connection, invariants: Sequence[Invariant]) -> list[str]:
    """What is left to do before a restored database may move value again."""
    restore = current(connection)
    return [words for words, stands in OBSTACLES.items() if stands(connection, restore)] + (
        [BOOKS] if check(connection, invariants) else []
    )


def end(
    connection: Connection,
    invariants: Sequence[Invariant],
    actor: str,
    reason: str,
    now: datetime,
) -> None:
    """Let everything go on. Raises `BadInput` with all that is left to do."""
    restore = current(connection)
    left = obstacles(connection, invariants)
    if left:
        raise BadInput("; ".join(left))
    restores.end(connection, restore.id, actor, now)
    paused = switches.paused(connection)
    for part in board.PARTS:
        if part in paused:
            operate.resume(connection, part, actor, reason, now, trail.record)
    trail.record(connection, actor, END, SUBJECT, now, reason)


def _not_read(_: Connection, restore: Restore) -> bool:
    return not restore.lines and not restore.everything


def _incomplete(_: Connection, restore: Restore) -> bool:
    return restore.missed > 0 and not restore.everything


def _not_reconciled(connection: Connection, restore: Restore) -> bool:
    return not any(
        run.provider == runs.EVERYTHING
        and run.state in (runs.CLEAN, runs.FINDINGS)
        and run.started_at >= restore.began_at
        for run in runs.latest(connection, RUNS_LOOKED_AT)
    )


Stands = Callable[[Connection, Restore], bool]
BOOKS = "the books do not hold: gateway books check"
OBSTACLES: Mapping[str, Stands] = {
    "the logs were not read: gateway restore replay": _not_read,
    "the logs are not complete: read the rest too, or gateway restore stop-all": _incomplete,
    "nothing was reconciled since: gateway reconcile": _not_reconciled,
}
