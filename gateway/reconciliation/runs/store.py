"""Tables and SQL of reconciliation runs and their findings."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from decimal import Decimal

from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    Date,
    ForeignKey,
    Index,
    Integer,
    String,
    insert,
    select,
    update,
)

from gateway.database.types import Instant, Money, new_id, row_id, table

EVERYTHING = ""  # the provider of a run over all of them
RUNNING, CLEAN, FINDINGS, BROKEN = "running", "clean", "findings", "broken"

reconciliation_runs = table(
    "reconciliation_runs",
    row_id(),
    Column("day", Date, nullable=False),
    Column("provider", String(16), nullable=False),
    Column("state", String(10), nullable=False),
    Column("started_at", Instant, nullable=False),
    Column("finished_at", Instant, nullable=True),
    Column("asked", Integer, nullable=False),
    Column("settled", Integer, nullable=False),
    Column("findings", Integer, nullable=False),
    Column("actor", String(64), nullable=False),
    CheckConstraint("state IN ('running', 'clean', 'findings', 'broken')", name="state_known"),
    Index("ix_reconciliation_runs_day", "day"),
)

reconciliation_findings = table(
    "reconciliation_findings",
    row_id(),
    Column("run_id", ForeignKey(reconciliation_runs.c.id), nullable=False, index=True),
    Column("kind", String(20), nullable=False),
    Column("provider", String(16), nullable=False),
    Column("txn_id", String(64), nullable=False),
    Column("reference", String(64), nullable=False),
    Column("ours", Money, nullable=True),
    Column("theirs", Money, nullable=True),
    Column("note", String(200), nullable=False),
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that does not agree. `ours` and `theirs` are amounts, None where there is none."""

    kind: str
    provider: str
    txn_id: str = ""
    reference: str = ""
    ours: Decimal | None = None
    theirs: Decimal | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """One run over a local day."""

    id: int
    day: date
    provider: str
    state: str
    started_at: datetime
    finished_at: datetime | None
    asked: int
    settled: int
    findings: int
    actor: str


_RUNS = select(*reconciliation_runs.c)


def begin(connection: Connection, day: date, provider: str, actor: str, now: datetime) -> int:
    """A new run's row; its id. The caller is alone: what still reads `running` was cut off."""
    r = reconciliation_runs
    connection.execute(update(r).where(r.c.state == RUNNING).values(state=BROKEN, finished_at=now))
    made = connection.execute(
        insert(r).values(
            day=day,
            provider=provider,
            state=RUNNING,
            started_at=now,
            asked=0,
            settled=0,
            findings=0,
            actor=actor,
        )
    )
    return new_id(made)


def add_findings(connection: Connection, run: int, findings: Sequence[Finding]) -> None:
    """Some of what a run found."""
    if findings:
        rows = [{"run_id": run, **asdict(finding)} for finding in findings]
        connection.execute(insert(reconciliation_findings), rows)


def finish(
    connection: Connection, run: int, asked: int, settled: int, findings: int, now: datetime
) -> None:
    """The run is over: clean only if it found nothing at all."""
    r = reconciliation_runs
    connection.execute(
        update(r)
        .where(r.c.id == run, r.c.state == RUNNING)
        .values(
            state=FINDINGS if findings else CLEAN,
            finished_at=now,
            asked=asked,
            settled=settled,
            findings=findings,
        )
    )


def by_id(connection: Connection, run: int) -> Run:
    """The run with this id."""
    return Run(*connection.execute(_RUNS.where(reconciliation_runs.c.id == run)).one())


def find(connection: Connection, run: int) -> Run | None:
    """The run with this id, None when there was none."""
    row = connection.execute(_RUNS.where(reconciliation_runs.c.id == run)).one_or_none()
    return None if row is None else Run(*row)


def latest(connection: Connection, runs_max: int) -> list[Run]:
    """The latest runs, newest first."""
    rows = connection.execute(_RUNS.order_by(reconciliation_runs.c.id.desc()).limit(runs_max))
    return [Run(*row) for row in rows]


def looked_since(connection: Connection, run: int) -> datetime | None:
    """When the last finished run over everything before this one began; None: there was none."""
    r = reconciliation_runs.c
    at: datetime | None = connection.execute(
        select(r.started_at)
        .where(r.id < run, r.provider == EVERYTHING, r.state.in_([CLEAN, FINDINGS]))
        .order_by(r.id.desc())
        .limit(1)
    ).scalar()
    return at


def last_over_everything(connection: Connection, day: date, since: datetime) -> Run | None:
    """The latest finished run over a day and all providers that was begun since an instant."""
    r = reconciliation_runs.c
    row = connection.execute(
        _RUNS.where(
            r.day == day,
            r.provider == EVERYTHING,
            r.state.in_([CLEAN, FINDINGS]),
            r.started_at >= since,
        )
        .order_by(r.id.desc())
        .limit(1)
    ).one_or_none()
    return None if row is None else Run(*row)


def findings_of(connection: Connection, run: int, rows_max: int) -> list[Finding]:
    """What a run found, as far as `rows_max` reaches."""
    f = reconciliation_findings.c
    rows = connection.execute(
        select(f.kind, f.provider, f.txn_id, f.reference, f.ours, f.theirs, f.note)
        .where(f.run_id == run)
        .order_by(f.id)
        .limit(rows_max)
    )
    return [Finding(*row) for row in rows]
