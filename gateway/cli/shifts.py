"""`gateway shifts`: cashiers' days at their tills."""

from typing import Any

import click
from sqlalchemy import Connection

from gateway.cli.operators import acting, operator_option
from gateway.cli.output import as_json, limit_option, show, show_rows
from gateway.cli.parts import Lazy, pass_parts
from gateway.cli.reasons import reason_option
from gateway.errors import BadInput
from gateway.ledger.operate import Deed
from gateway.outlets import manage
from gateway.outlets.shifts import drawer
from gateway.outlets.shifts import store as shifts_store
from gateway.outlets.shifts.store import Shift, State


@click.group("shifts", help="Cashiers' days at their tills.")
def shifts() -> None:
    """Commands on shifts."""


@shifts.command("list", help="The latest shifts.")
@click.option("--outlet", default=None, help="Of one outlet.")
@click.option("--state", type=click.Choice([state.value for state in State]), default=None)
@limit_option
@as_json
@pass_parts
def list_shifts(
    lazy: Lazy, outlet: str | None, state: str | None, rows_max: int, json_wanted: bool
) -> None:
    """Newest first."""
    states = tuple(State) if state is None else (State(state),)
    with lazy.parts().database.snapshot() as connection:
        where = manage.known(connection, outlet).id if outlet else None
        found = shifts_store.listed(connection, rows_max, states, where)
    show_rows([_shift(shift) for shift in found], json_wanted)


counts_option = click.option(
    "--counts",
    "seen",
    type=click.IntRange(min=0),
    required=True,
    help="The shift's `counts` in the list that you have looked at.",
)


@shifts.command("accept", help="Accept the count of a shift, which closes it.")
@click.argument("number", type=click.IntRange(min=1))
@counts_option
@reason_option
@operator_option
@as_json
@pass_parts
def accept(lazy: Lazy, number: int, seen: int, reason: str, json_wanted: bool) -> None:
    """As an operator, where no manager of the outlet can."""
    parts, actor = lazy.parts(), acting(lazy)

    def work(connection: Connection) -> Shift:
        by = Deed(actor, reason, parts.clock.now())
        return parts.counter.accept_from_office(connection, number, seen, by)

    closed = parts.database.run(work, keyed=True)
    if closed.accepted_by != actor:
        raise BadInput(f"the shift was closed before, accepted by {closed.accepted_by or 'nobody'}")
    show(_shift(closed), json_wanted)


@shifts.command("count", help="Count the drawer of a cashier who is not there any more.")
@click.argument("number", type=click.IntRange(min=1))
@click.argument("cash", metavar="CASH")
@counts_option
@reason_option
@operator_option
@as_json
@pass_parts
def count(lazy: Lazy, number: int, cash: str, seen: int, reason: str, json_wanted: bool) -> None:
    """With a variance, or after another count, somebody else accepts it."""
    parts, actor = lazy.parts(), acting(lazy)
    found = drawer.cash(cash)

    def work(connection: Connection) -> Shift:
        by = Deed(actor, reason, parts.clock.now())
        return parts.counter.count_from_office(connection, number, found, seen, by)

    show(_shift(parts.database.run(work, keyed=True)), json_wanted)


def _shift(shift: Shift) -> dict[str, Any]:
    return {
        "number": shift.id,
        "till": shift.till,
        "cashier": shift.cashier,
        "state": shift.state,
        "opened_at": shift.opened_at,
        "opening_cash": shift.opening_cash,
        "paid_out": shift.total,
        "paid": shift.paid,
        "voided": shift.voided,
        "counted_cash": shift.counted_cash,
        "variance": shift.variance,
        "counts": shift.counts,
        "counted_by": shift.counted_by,
        "accepted_by": shift.accepted_by,
        "closed_at": shift.closed_at,
    }
