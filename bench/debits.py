"""Guarded debits from several processes at once, on one hot account and spread over many."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from decimal import Decimal
from multiprocessing import get_context

from bench import floor_debits, product_debits
from bench.floor_schema import Connection
from bench.report import Row, middle

PROCESSES, THREADS_EACH = 2, 4
ACCOUNTS = 1_000
WARM_UP_SECONDS = 0.2
START_SECONDS = 0.5  # for every process to open its connections and move once
OURS, FLOOR = "ours", "floor"
HOT, SPREAD = "hot_debit", "spread_debit"
ROWS = (HOT, SPREAD)

Mover = Callable[[int], None]
MOVERS: Mapping[str, Callable[[str, int], Mover]] = {
    OURS: product_debits.mover,
    FLOOR: floor_debits.mover,
}
# How much has left the accounts, how many movements say so, and the sum of their entries.
BOOKED = {
    OURS: "SELECT (SELECT SUM(1000000 - balance) FROM accounts WHERE balance IS NOT NULL),"
    " (SELECT COUNT(*) FROM movements WHERE kind = 'issue'),"
    " (SELECT -SUM(e.amount) FROM entries e JOIN movements m ON m.id = e.movement_id"
    " JOIN accounts a ON a.id = e.account_id WHERE m.kind = 'issue' AND a.balance IS NOT NULL)",
    FLOOR: "SELECT (SELECT SUM(1000000 - balance) FROM account), (SELECT COUNT(*) FROM movement),"
    " (SELECT -SUM(amount) FROM entry WHERE account_id > 0)",
}


@dataclass(frozen=True, slots=True)
class Job:
    """What one process has to do, from a moment on its monotonic clock that all share."""

    side: str
    url: str
    accounts: Sequence[int]
    starts_at: float
    seconds: float


@dataclass(slots=True)
class Done:
    """What one process or phase did; `warm` movements came before the clock started."""

    moved: int = 0
    warm: int = 0
    seconds: float = 0.0
    errors: int = 0
    first_error: str | None = None

    @property
    def per_second(self) -> float:
        """Movements a second."""
        return self.moved / self.seconds if self.seconds else 0.0


@dataclass(slots=True)
class Arm:
    """One side: where its accounts are, and what each row's phases did."""

    name: str
    url: str
    accounts: Mapping[str, Sequence[int]]
    warm_up: list[Done] = field(default_factory=list)
    phases: dict[str, list[Done]] = field(default_factory=lambda: {row: [] for row in ROWS})

    @property
    def moved(self) -> int:
        """All its movements."""
        everything = (self.warm_up, *self.phases.values())
        return sum(done.moved + done.warm for phases in everything for done in phases)


def play(arms: Sequence[Arm], rounds: int, seconds: float, tell: Callable[[str], None]) -> None:
    """Let each side take its turns at both rows."""
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        for arm in arms:
            arm.warm_up.append(_phase(pool, arm, HOT, WARM_UP_SECONDS))
        for number in range(rounds):
            for row in ROWS:
                for arm in arms if number % 2 == 0 else arms[::-1]:
                    arm.phases[row].append(_phase(pool, arm, row, seconds))
            rates = ", ".join(
                f"{arm.name} {' / '.join(f'{arm.phases[row][-1].per_second:.0f}' for row in ROWS)}"
                for arm in arms
            )
            tell(f"round {number + 1} of {rounds}, hot / spread debits a second: {rates}")


def debit_row(name: str, ours: Arm, floor: Arm, wrong: int) -> Row:
    """Compare a row round by round; a movement too many or too few is an error too."""
    mine, theirs = ([done.per_second for done in arm.phases[name]] for arm in (ours, floor))
    failed = sum(done.errors for arm in (ours, floor) for done in arm.phases[name])
    return Row(
        name,
        "a second",
        middle(mine),
        middle(theirs),
        errors=failed + wrong,
        round_ratios=tuple(one / other for one, other in zip(mine, theirs, strict=True) if other),
    )


def misbooked(arm: Arm, connection: Connection) -> list[str]:
    """What the database holds against what the threads did."""
    with connection.cursor() as cursor:
        cursor.execute(BOOKED[arm.name])
        left, movements, entries = (Decimal(value or 0) for value in cursor.fetchone() or (0, 0, 0))
    moved = Decimal(arm.moved)
    if left == movements == entries == moved:
        return []
    return [f"{arm.name}: {moved} debits, {left} left, {movements} movements, {entries} in entries"]


def first_errors(arms: Sequence[Arm]) -> list[str]:
    """The first error of each phase that had one."""
    return [
        f"{arm.name} {row}: {done.errors} errors, the first: {done.first_error}"
        for arm in arms
        for row in ROWS
        for done in arm.phases[row]
        if done.errors
    ]


def _phase(pool: ProcessPoolExecutor, arm: Arm, row: str, seconds: float) -> Done:
    job = Job(arm.name, arm.url, arm.accounts[row], time.monotonic() + START_SECONDS, seconds)
    return together(list(pool.map(in_process, [job] * PROCESSES)))


def in_process(job: Job) -> Done:
    """The work of one process: its threads move as fast as they can."""
    move = MOVERS[job.side](job.url, THREADS_EACH)
    with ThreadPoolExecutor(THREADS_EACH) as pool:
        futures = [pool.submit(_in_thread, job, move) for _ in range(THREADS_EACH)]
        return together([future.result() for future in futures])


def _in_thread(job: Job, move: Mover) -> Done:
    done = Done(warm=1)
    move(job.accounts[0])  # opens the connection
    time.sleep(max(0.0, job.starts_at - time.monotonic()))
    started = time.monotonic()
    while time.monotonic() - started < job.seconds:
        try:
            move(random.choice(job.accounts))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
            done.errors += 1
            done.first_error = done.first_error or f"{type(error).__name__}: {error}"
        else:
            done.moved += 1
    done.seconds = time.monotonic() - started
    return done


def together(parts: Sequence[Done]) -> Done:
    """What several did side by side.

    >>> together([Done(moved=10, seconds=1.0), Done(moved=20, seconds=1.0, errors=1)]).per_second
    30.0
    """
    failed = [part.first_error for part in parts if part.first_error]
    return Done(
        moved=sum(part.moved for part in parts),
        warm=sum(part.warm for part in parts),
        seconds=max((part.seconds for part in parts), default=0.0),
        errors=sum(part.errors for part in parts),
        first_error=failed[0] if failed else None,
    )
