"""Reconciles a day of a million deposits in a process of its own: its memory, its seconds.

`python -m bench.reconcile URL` does it alone, on an empty database of either engine.
"""

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

import click

from bench import reconcile_fill
from bench.product import Product
from bench.report import Row, Target
from bench.servers import largest_resident_mb

ZONE = ZoneInfo("Africa/Dar_es_Salaam")
DAY = date(2026, 3, 1)
LINES = 1_000_000
SECONDS_MAX = 600.0
MEMORY_TARGET = Target(200.0, at_least=False, of_ours=True)
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What the process said of itself."""

    memory_mb: float
    import_seconds: float
    compare_seconds: float
    found: Mapping[str, int]


def reconciled(url: str, lines: int, tell: Tell) -> Reconciled:
    """Fill an empty database, then import and compare in another process."""
    start = datetime(DAY.year, DAY.month, DAY.day, tzinfo=ZONE)
    with TemporaryDirectory() as folder:
        statement = Path(folder) / "statement.csv"
        tell(f"filling in {lines:,} deposits")
        reconcile_fill.fill(url, lines, start.astimezone(UTC))
        reconcile_fill.write(statement, lines, start)
        tell(f"importing and comparing {lines:,} lines")
        command = (sys.executable, "-m", "bench.reconcile", url, "--measure", str(statement))
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=SECONDS_MAX)
    said = Reconciled(**json.loads(done.stdout))
    tell(
        f"imported in {said.import_seconds:.0f} s, compared in {said.compare_seconds:.0f} s,"
        f" {said.memory_mb:.0f} MB at most"
    )
    return said


def memory_row(done: Reconciled, lines: int) -> Row:
    """The row; a planted difference that was not found, or one too many, is an error."""
    return Row(
        "reconcile_memory_mb",
        "MB",
        done.memory_mb,
        0.0,
        MEMORY_TARGET,
        errors=len(misfound(done)),
        details={
            "lines": float(lines),
            "import_seconds": done.import_seconds,
            "compare_seconds": done.compare_seconds,
        },
    )


def misfound(done: Reconciled) -> list[str]:
    """What was found against what was planted.

    >>> misfound(Reconciled(1.0, 1.0, 1.0, reconcile_fill.PLANTED))
    []
    >>> misfound(Reconciled(1.0, 1.0, 1.0, {**reconcile_fill.PLANTED, "duplicate": 0}))
    ['reconcile: 0 of duplicate found, 1 planted']
    """
    kinds = sorted({*reconcile_fill.PLANTED, *done.found})
    return [
        f"reconcile: {found} of {kind} found, {planted} planted"
        for kind in kinds
        for found, planted in ((done.found.get(kind, 0), reconcile_fill.PLANTED.get(kind, 0)),)
        if found != planted
    ]


def measured(url: str, statement: Path, tell: Tell) -> Reconciled:
    """Import and compare as the command does, with all of the gateway in memory."""
    from app import Gateway  # only the measured process carries it
    from gateway import logs, settings
    from gateway.reconciliation.run import Plan, Reconciler
    from gateway.reconciliation.runs import store
    from gateway.reconciliation.statements.importing import Wanted, take_in
    from gateway.reconciliation.statements.reading import Layout

    logs.configure("error")  # to stderr
    gateway = Gateway(settings.read(Product(url, "1.00", reconcile_fill.CURRENCY).env))
    layout = Layout(reconcile_fill.CURRENCY, ZONE)
    wanted = Wanted(reconcile_fill.PROVIDER, statement, layout, "bench")
    started = time.perf_counter()
    take_in(gateway.database, gateway.clock, wanted, tell)
    imported = time.perf_counter()
    reconciler = Reconciler(gateway.database, gateway.clock, ZONE, (), {})
    run = reconciler.run(Plan(DAY, reconcile_fill.PROVIDER, "bench"), tell)
    compared = time.perf_counter()
    with gateway.database.snapshot() as connection:
        found = Counter(one.kind for one in store.findings_of(connection, run.id, run.findings))
    # Not getrusage: its peak counts the parent, whose memory a fork shares until it execs.
    peak = largest_resident_mb(Path("/proc/self/status").read_text())
    return Reconciled(peak, imported - started, compared - imported, found)


@click.command()
@click.argument("url")
@click.option("--lines", default=LINES, help="Lines of the statement, and deposits.")
@click.option("--measure", type=click.Path(path_type=Path), help="Import this file into URL.")
def main(url: str, lines: int, measure: Path | None) -> None:
    """Reconcile a day of --lines deposits on the empty database URL, in a process of its own."""
    began = time.monotonic()

    def tell(text: str) -> None:
        click.echo(f"{time.monotonic() - began:6.1f} s  {text}", err=True)

    if measure is None:
        done = reconciled(url, lines, tell)
        for wrong in misfound(done):
            tell(wrong)
    else:
        done = measured(url, measure, tell)
    click.echo(json.dumps(_as_json(done)))


def _as_json(done: Reconciled) -> dict[str, object]:
    return {
        "memory_mb": done.memory_mb,
        "import_seconds": done.import_seconds,
        "compare_seconds": done.compare_seconds,
        "found": dict(done.found),
    }


if __name__ == "__main__":
    main()
