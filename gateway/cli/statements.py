"""`gateway statements`: what was imported of providers and the bank, and taking one back."""

import click
from sqlalchemy import Connection

from gateway.audit import trail
from gateway.cli.operators import acting, operator_option
from gateway.cli.output import as_json, show_rows
from gateway.cli.parts import Lazy, pass_parts
from gateway.cli.reasons import reason_option
from gateway.database.alone import Busy, alone
from gateway.reconciliation.statements import store
from gateway.reconciliation.statements.importing import JOB, drop
from gateway.reconciliation.statements.store import Statement

SHOWN = 50


@click.group("statements", help="Imported statements of providers and the bank.")
def group() -> None:
    """Commands on statements; `gateway reconcile --statement` imports one."""


@group.command("list", help="The latest ones.")
@as_json
@pass_parts
def list_statements(lazy: Lazy, json_wanted: bool) -> None:
    """Newest first."""
    with lazy.parts().database.snapshot() as connection:
        found = store.latest(connection, SHOWN)
    rows = [
        {
            "statement": one.id,
            "provider": one.provider,
            "state": one.state,
            "first_day": one.first_day.isoformat(),
            "last_day": one.last_day.isoformat(),
            "lines": one.line_count,
            "closing": one.closing,
            "currency": one.currency,
            "imported_by": one.imported_by,
            "imported_at": one.imported_at,
        }
        for one in found
    ]
    show_rows(rows, json_wanted, empty="nothing was imported yet")


@group.command("drop", help="Take back a statement that was imported by mistake.")
@click.argument("statement", type=int)
@reason_option
@operator_option
@pass_parts
def drop_statement(lazy: Lazy, statement: int, reason: str) -> None:
    """Its lines count no more; runs of its days should be repeated."""
    parts, actor = lazy.parts(), acting(lazy)

    def recorded(connection: Connection, found: Statement) -> None:
        now = parts.clock.now()
        trail.record(connection, actor, "statement.drop", f"statement:{found.id}", now, reason)

    try:
        with alone(parts.database, JOB):
            found = drop(parts.database, statement, recorded)
    except Busy as error:
        raise click.ClickException(str(error)) from error
    days = f"{found.first_day} to {found.last_day}"
    click.echo(f"dropped {found.line_count:,} lines of {found.provider}, {days}: reconcile again")
