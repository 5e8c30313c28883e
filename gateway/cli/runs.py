"""`gateway reconciliations`: the latest runs, and all that one of them found."""

import click

from gateway.cli import reconcile
from gateway.cli.output import as_json, show_rows
from gateway.cli.parts import Lazy, pass_parts
from gateway.errors import BadInput
from gateway.reconciliation.runs import store


@click.group("reconciliations", invoke_without_command=True, help="The latest runs; or `show` one.")
@as_json
@click.pass_context
def group(context: click.Context, json_wanted: bool) -> None:
    """Without another word: the runs."""
    if context.invoked_subcommand is None:
        context.invoke(reconcile.reconciliations, json_wanted=json_wanted)


@group.command("show", help="All that a run found.")
@click.argument("run", type=int)
@click.option("--limit", "rows_max", type=click.IntRange(1), default=None, help="Default: all.")
@as_json
@pass_parts
def show_run(lazy: Lazy, run: int, rows_max: int | None, json_wanted: bool) -> None:
    """In the order they were found."""
    with lazy.parts().database.snapshot() as connection:
        known = store.find(connection, run)
        if known is None:
            raise BadInput("there was no such run")
        found = store.findings_of(connection, run, rows_max or max(known.findings, 1))
    rows = [reconcile.finding_facts(finding) for finding in found]
    show_rows(rows, json_wanted, empty=f"nothing was found: the run is {known.state}")
