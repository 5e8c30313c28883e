"""SQL of the lists of reconciliation runs and findings, page by page."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from sqlalchemy import Connection, select

from gateway.deposits.store import deposits
from gateway.reconciliation.runs.store import Run, reconciliation_findings, reconciliation_runs
from gateway.withdrawals.store import withdrawals

RUNS_MAX = 200  # of one page of days
DEPOSIT, WITHDRAWAL = "deposit", "withdrawal"
_R, _F = reconciliation_runs.c, reconciliation_findings.c


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that a run found, with its number."""

    id: int
    kind: str
    provider: str
    txn_id: str
    reference: str
    ours: Decimal | None
    theirs: Decimal | None
    note: str


def days(connection: Connection, before: date | None, days_max: int) -> list[date]:
    """The days that were reconciled, the latest first; those before one."""
    query = select(_R.day).distinct().order_by(_R.day.desc()).limit(days_max)
    if before is not None:
        query = query.where(_R.day < before)
    return list(connection.execute(query).scalars())


def runs_of(connection: Connection, wanted: Collection[date]) -> list[Run]:
    """The runs over some days, the newest first; at most `RUNS_MAX`."""
    query = select(*_R).where(_R.day.in_(wanted)).order_by(_R.id.desc()).limit(RUNS_MAX)
    return [Run(*row) for row in connection.execute(query)]


def findings(connection: Connection, run: int, after: int | None, rows_max: int) -> list[Found]:
    """What a run found, in that order; those behind the one with an id."""
    query = select(
        *(_F.id, _F.kind, _F.provider, _F.txn_id, _F.reference, _F.ours, _F.theirs, _F.note)
    ).where(_F.run_id == run)
    if after is not None:
        query = query.where(_F.id > after)
    return [Found(*row) for row in connection.execute(query.order_by(_F.id).limit(rows_max))]


def named(connection: Connection, references: Sequence[str]) -> Mapping[str, str]:
    """What each of these references of ours is: a deposit or a withdrawal."""
    kinds = {}
    for kind, column in ((DEPOSIT, deposits.c.reference), (WITHDRAWAL, withdrawals.c.reference)):
        known = connection.execute(select(column).where(column.in_(references))).scalars()
        kinds.update(dict.fromkeys(known, kind))
    return kinds
