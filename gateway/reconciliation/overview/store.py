"""SQL of how the latest run over everything ended."""

from sqlalchemy import Connection, func, select

from gateway.reconciliation.runs.store import (
    EVERYTHING,
    Run,
    reconciliation_findings,
    reconciliation_runs,
)


def last(connection: Connection) -> Run | None:
    """The latest run over all providers, whatever became of it."""
    r = reconciliation_runs.c
    row = connection.execute(
        select(*r).where(r.provider == EVERYTHING).order_by(r.id.desc()).limit(1)
    ).one_or_none()
    return None if row is None else Run(*row)


def found(connection: Connection, run: int, kind: str) -> int:
    """How many findings of a kind a run has."""
    f = reconciliation_findings.c
    query = select(func.count()).where(f.run_id == run, f.kind == kind)
    return int(connection.execute(query).scalar_one())
