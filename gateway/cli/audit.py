"""`gateway audit`: who did what, and why they said they did."""

from dataclasses import asdict

import click

from gateway.audit import store
from gateway.cli.output import as_json, limit_option, show_rows
from gateway.cli.parts import Lazy, pass_parts


@click.group("audit", help="The audit trail.")
def group() -> None:
    """Commands on the trail."""


@group.command("list", help="The latest lines: all, about a subject or by an actor; newest first.")
@click.option("--subject", default=None, help="A phone (+234…), a serial or a reference.")
@click.option("--actor", default=None, help="A phone (+234…), or cli:<user>.")
@limit_option
@as_json
@pass_parts
def list_trail(
    lazy: Lazy, subject: str | None, actor: str | None, rows_max: int, json_wanted: bool
) -> None:
    """As they were written."""
    with lazy.parts().database.snapshot() as connection:
        found = store.latest(connection, rows_max, subject=subject, actor=actor)
    show_rows([asdict(line) for line in found], json_wanted)
