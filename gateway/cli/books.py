"""`gateway books`: proving the books."""

import sys

import click

from gateway.cli.output import as_json, show_rows
from gateway.cli.parts import Lazy, pass_parts
from gateway.ledger.invariants.check import check


@click.group("books", help="The ledger's invariants.")
def group() -> None:
    """Commands on the books."""


@group.command("check", help="Check every invariant; exit 1 and the rows if any fails.")
@as_json
@pass_parts
def check_books(lazy: Lazy, json_wanted: bool) -> None:
    """All invariants in one consistent snapshot."""
    parts = lazy.parts()
    with parts.database.snapshot() as connection:
        breaches = check(connection, parts.invariants)
    rows = [{"invariant": breach.invariant, "row": breach.row} for breach in breaches]
    show_rows(rows, json_wanted, empty=f"{len(parts.invariants)} invariants hold")
    if breaches:
        sys.exit(1)
