"""`gateway outlets`, `gateway tills`, `gateway shifts`: where cash is paid, and its days."""

from typing import Any

import click
from sqlalchemy import Connection

from gateway.cli.operators import acting, operator_option
from gateway.cli.output import as_json, limit_option, show, show_rows
from gateway.cli.parts import Lazy, pass_parts
from gateway.cli.reasons import reason_option
from gateway.errors import BadInput
from gateway.formats import money
from gateway.ledger import store as ledger_store
from gateway.outlets import manage, store
from gateway.outlets.shifts import store as shifts_store
from gateway.outlets.shifts.store import Shift, State
from gateway.outlets.store import Outlet, Till
from gateway.withdrawals.request import new_reference


@click.group("outlets", help="Shops that pay tokens out in cash.")
def outlets() -> None:
    """Commands on outlets."""


@outlets.command("create", help="Set an outlet up; its staff is named after its code.")
@click.argument("code")
@click.option("--name", required=True)
@click.option("--settle-to", required=True, help="The bank account it is paid to.")
@operator_option
@as_json
@pass_parts
def create_outlet(lazy: Lazy, code: str, name: str, settle_to: str, json_wanted: bool) -> None:
    """With the account that its tills are closed into."""
    parts, actor = lazy.parts(), acting(lazy)
    currency = parts.settings.currency

    def work(connection: Connection) -> dict[str, Any]:
        now = parts.clock.now()
        made = manage.create_outlet(connection, code, name, settle_to, currency, actor, now)
        return _outlet(connection, made)

    show(parts.database.run(work), json_wanted)


@outlets.command("list", help="Every outlet, and what it is owed.")
@as_json
@pass_parts
def list_outlets(lazy: Lazy, json_wanted: bool) -> None:
    """By code."""
    with lazy.parts().database.snapshot() as connection:
        found = [_outlet(connection, one) for one in store.every(connection)]
    show_rows(found, json_wanted)


@outlets.command("settle", help="Hold what an outlet is owed, to be paid to its bank.")
@click.argument("code")
@click.option("--amount", default=None, help="Such as 500.00; without it, everything.")
@reason_option
@operator_option
@as_json
@pass_parts
def settle(lazy: Lazy, code: str, amount: str | None, reason: str, json_wanted: bool) -> None:
    """It is paid after a clean reconciliation of the day, by `withdrawals pay`."""
    parts, actor, intent = lazy.parts(), acting(lazy), f"settle:{new_reference()}"
    with parts.database.snapshot() as connection:
        owed = parts.outlets.owed(connection, code)
    wanted = owed if amount is None else money.parse(amount)

    def work(connection: Connection) -> str:
        now = parts.clock.now()
        return parts.outlets.settle(connection, code, wanted, intent, actor, reason, now)

    reference = parts.database.run(work, keyed=True)
    show({"reference": reference, "amount": wanted}, json_wanted)


@click.group("tills", help="The drawers of outlets.")
def tills() -> None:
    """Commands on tills."""


@tills.command("create", help="Add the next till of an outlet.")
@click.argument("outlet")
@click.option("--float-limit", required=True, help="What one shift may pay out, such as 5000.00.")
@operator_option
@as_json
@pass_parts
def create_till(lazy: Lazy, outlet: str, float_limit: str, json_wanted: bool) -> None:
    """Tills are numbered from 1."""
    parts, actor, limit = lazy.parts(), acting(lazy), money.parse(float_limit)
    currency = parts.settings.currency

    def work(connection: Connection) -> dict[str, Any]:
        now = parts.clock.now()
        made = manage.create_till(connection, outlet, limit, currency, actor, now)
        return _till(connection, made)

    show(parts.database.run(work), json_wanted)


@tills.command("list", help="The tills of an outlet, or of all.")
@click.argument("outlet", required=False)
@as_json
@pass_parts
def list_tills(lazy: Lazy, outlet: str | None, json_wanted: bool) -> None:
    """By outlet and number."""
    with lazy.parts().database.snapshot() as connection:
        where = [manage.known(connection, outlet)] if outlet else store.every(connection)
        found = [
            _till(connection, till) for one in where for till in store.tills_of(connection, one.id)
        ]
    show_rows(found, json_wanted)


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


@shifts.command("accept", help="Accept the variance of a counted shift, which closes it.")
@click.argument("number", type=click.IntRange(min=1))
@reason_option
@operator_option
@as_json
@pass_parts
def accept(lazy: Lazy, number: int, reason: str, json_wanted: bool) -> None:
    """As an operator, where no manager of the outlet can."""
    parts, actor = lazy.parts(), acting(lazy)

    def work(connection: Connection) -> Shift:
        now = parts.clock.now()
        return parts.counter.accept_from_office(connection, number, actor, reason, now)

    closed = parts.database.run(work, keyed=True)
    if closed.accepted_by != actor:
        raise BadInput(f"the shift was closed before, accepted by {closed.accepted_by or 'nobody'}")
    show(_shift(closed), json_wanted)


def _outlet(connection: Connection, outlet: Outlet) -> dict[str, Any]:
    account = ledger_store.by_id(connection, outlet.account_id)
    return {
        "code": outlet.code,
        "name": outlet.name,
        "settle_to": outlet.settle_to,
        "status": outlet.status,
        "balance": account.balance,
        "held": account.held,
        "currency": account.currency,
    }


def _till(connection: Connection, till: Till) -> dict[str, Any]:
    account = ledger_store.by_id(connection, till.account_id)
    return {
        "till": till.name,
        "float_limit": till.float_limit,
        "status": till.status,
        "balance": account.balance,
        "currency": account.currency,
    }


def _shift(shift: Shift) -> dict[str, Any]:
    return {
        "number": shift.id,
        "till": shift.till,
        "cashier": shift.cashier,
        "state": shift.state,
        "opened_at": shift.opened_at,
        "opening_cash": shift.opening_cash,
        "paid": shift.paid,
        "voided": shift.voided,
        "counted_cash": shift.counted_cash,
        "variance": shift.variance,
        "accepted_by": shift.accepted_by,
        "closed_at": shift.closed_at,
    }
