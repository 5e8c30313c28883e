"""`gateway reconcile`: the nightly run, a provider's statement, and what came of earlier runs."""

import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from gateway.cli.operators import acting, operator_option, unattended
from gateway.cli.output import as_json, show, show_rows
from gateway.cli.parts import Lazy, Parts, pass_parts
from gateway.database.alone import Busy, alone
from gateway.errors import BadInput
from gateway.formats import money
from gateway.reconciliation.run import Plan
from gateway.reconciliation.runs import store
from gateway.reconciliation.runs.store import CLEAN, EVERYTHING, Finding, Run
from gateway.reconciliation.statements.importing import JOB, Wanted, take_in
from gateway.reconciliation.statements.reading import COLUMNS, Layout
from gateway.reconciliation.statements.store import Statement

FINDINGS_SHOWN = 200
RUNS_SHOWN = 30


@click.command("reconcile", help="Ask about what hangs, compare with statements, prove the books.")
@click.option("--provider", default=EVERYTHING, help="One of them; without, a run over all.")
@click.option(
    "--statement",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="A CSV of the provider's, imported first.",
)
@click.option("--day", type=click.DateTime(["%Y-%m-%d"]), default=None, help="Default: yesterday.")
@click.option(
    "--columns",
    default="",
    metavar="OURS=THEIRS,…",
    help=f"The file's names for {', '.join(COLUMNS)}.",
)
@click.option("--closing", default=None, help="The balance the statement ends with.")
@operator_option
@as_json
@pass_parts
def reconcile(lazy: Lazy, /, json_wanted: bool, **wanted: Any) -> None:
    """Exit 1 when anything was found."""
    parts = lazy.parts()
    day: datetime | None = wanted["day"]
    provider: str = wanted["provider"]
    if provider not in (EVERYTHING, *parts.statement_providers):
        raise BadInput(f"--provider is one of {', '.join(parts.statement_providers)}")
    # A statement is evidence: who brings it must be known. The run itself is for a schedule.
    brought = wanted["statement"] is not None
    actor = acting(lazy) if brought else unattended(lazy)
    covered = _taken_in(parts, provider, wanted, actor).last_day if brought else None
    on = day.date() if day is not None else (covered or parts.reconciler.yesterday())
    try:
        run = parts.reconciler.run(Plan(on, provider, actor), _tell)
    except Busy as error:
        raise click.ClickException(str(error)) from error
    _show(parts, run, json_wanted)
    if run.state != CLEAN:
        sys.exit(1)


@click.command("reconciliations", help="The latest runs.")
@as_json
@pass_parts
def reconciliations(lazy: Lazy, json_wanted: bool) -> None:
    """Newest first."""
    parts = lazy.parts()
    with parts.database.snapshot() as connection:
        found = store.latest(connection, RUNS_SHOWN)
    show_rows([_facts(run) for run in found], json_wanted, empty="there was no run yet")


def _taken_in(parts: Parts, provider: str, wanted: dict[str, Any], actor: str) -> Statement:
    if not provider:
        raise BadInput("--statement needs --provider: whose is it?")
    layout = Layout(parts.settings.currency, parts.reconciler.zone, _names(wanted["columns"]))
    closing = None if wanted["closing"] is None else money.parse(wanted["closing"])
    file = Wanted(provider, wanted["statement"], layout, actor, closing)
    try:
        with alone(parts.database, JOB):
            return take_in(parts.database, parts.clock, file, _tell)
    except Busy as error:
        raise click.ClickException(str(error)) from error


def _names(columns: str) -> dict[str, str]:
    """`txn_id=Receipt No.,amount=Paid In` as a mapping."""
    names = {}
    for pair in filter(None, columns.split(",")):
        ours, equals, theirs = pair.partition("=")
        if not equals or ours.strip() not in COLUMNS:
            raise BadInput(f"--columns reads like txn_id=Receipt No.,amount=Paid In, not {pair!r}")
        names[ours.strip()] = theirs.strip()
    return names


def _show(parts: Parts, run: Run, json_wanted: bool) -> None:
    with parts.database.snapshot() as connection:
        found = store.findings_of(connection, run.id, FINDINGS_SHOWN)
    rows = [finding_facts(finding) for finding in found]
    if json_wanted:
        show({**_facts(run), "found": rows}, json_wanted)
        return
    show(_facts(run), json_wanted)
    click.echo()
    show_rows(rows, json_wanted, empty="everything agrees")
    if run.findings > len(rows):
        click.echo(f"and {run.findings - len(rows):,} more")


def finding_facts(finding: Finding) -> dict[str, Any]:
    """A finding as the commands print it."""
    return {
        "kind": finding.kind,
        "provider": finding.provider or None,
        "txn_id": finding.txn_id or None,
        "reference": finding.reference or None,
        "ours": finding.ours,
        "theirs": finding.theirs,
        "note": finding.note or None,
    }


def _facts(run: Run) -> dict[str, Any]:
    return {
        "run": run.id,
        "day": run.day.isoformat(),
        "provider": run.provider or None,
        "state": run.state,
        "asked": run.asked,
        "settled": run.settled,
        "findings": run.findings,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "actor": run.actor,
    }


def _tell(text: str) -> None:
    click.echo(text, err=True)
