"""`gateway outlets` and `gateway tills`: where cash is paid, set up, stopped and closed."""

from collections.abc import Callable
from typing import Any

import click
from sqlalchemy import Connection

from gateway.cli.operators import acting, operator_option
from gateway.cli.output import as_json, show, show_rows
from gateway.cli.parts import Lazy, pass_parts
from gateway.cli.reasons import reason_option
from gateway.formats import money
from gateway.ledger import store as ledger_store
from gateway.ledger.operate import Deed
from gateway.outlets import manage, store
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


@outlets.command("freeze", help="Let no till of an outlet pay, and its bank not be paid.")
@click.argument("code")
@reason_option
@operator_option
@as_json
@pass_parts
def freeze_outlet(lazy: Lazy, code: str, reason: str, json_wanted: bool) -> None:
    """Open shifts can still be counted and closed, and payments voided."""
    _do_to_outlet(lazy, code, reason, json_wanted, manage.freeze_outlet)


@outlets.command("unfreeze", help="Let a frozen outlet work again.")
@click.argument("code")
@reason_option
@operator_option
@as_json
@pass_parts
def unfreeze_outlet(lazy: Lazy, code: str, reason: str, json_wanted: bool) -> None:
    """A till that was frozen itself stays so."""
    _do_to_outlet(lazy, code, reason, json_wanted, manage.unfreeze_outlet)


@outlets.command("close", help="Close an outlet for good: its tills are, and it is owed nothing.")
@click.argument("code")
@reason_option
@operator_option
@as_json
@pass_parts
def close_outlet(lazy: Lazy, code: str, reason: str, json_wanted: bool) -> None:
    """There is no way back."""
    _do_to_outlet(lazy, code, reason, json_wanted, manage.close_outlet)


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


@tills.command("freeze", help="Let a till, such as LAG-1/2, pay nothing.")
@click.argument("till")
@reason_option
@operator_option
@as_json
@pass_parts
def freeze_till(lazy: Lazy, till: str, reason: str, json_wanted: bool) -> None:
    """Its open shift can still be counted and closed, and its payments voided."""
    _do_to_till(lazy, till, reason, json_wanted, manage.freeze_till)


@tills.command("unfreeze", help="Let a frozen till pay again.")
@click.argument("till")
@reason_option
@operator_option
@as_json
@pass_parts
def unfreeze_till(lazy: Lazy, till: str, reason: str, json_wanted: bool) -> None:
    """Unless its outlet is frozen."""
    _do_to_till(lazy, till, reason, json_wanted, manage.unfreeze_till)


@tills.command("close", help="Close a till for good: nobody has it open, and it is owed nothing.")
@click.argument("till")
@reason_option
@operator_option
@as_json
@pass_parts
def close_till(lazy: Lazy, till: str, reason: str, json_wanted: bool) -> None:
    """There is no way back."""
    _do_to_till(lazy, till, reason, json_wanted, manage.close_till)


@tills.command("limit", help="Change what one shift at a till may pay out.")
@click.argument("till")
@click.argument("float_limit")
@reason_option
@operator_option
@as_json
@pass_parts
def limit_till(lazy: Lazy, till: str, float_limit: str, reason: str, json_wanted: bool) -> None:
    """Not below what its open shift has paid."""
    limit = money.parse(float_limit)

    def act(connection: Connection, name: str, deed: Deed) -> Till:
        return manage.limit_till(connection, name, limit, deed)

    _do_to_till(lazy, till, reason, json_wanted, act)


def _do_to_outlet(
    lazy: Lazy,
    code: str,
    reason: str,
    json_wanted: bool,
    act: Callable[[Connection, str, Deed], Outlet],
) -> None:
    parts, actor = lazy.parts(), acting(lazy)

    def work(connection: Connection) -> dict[str, Any]:
        deed = Deed(actor, reason, parts.clock.now())
        return _outlet(connection, act(connection, code, deed))

    show(parts.database.run(work), json_wanted)


def _do_to_till(
    lazy: Lazy,
    name: str,
    reason: str,
    json_wanted: bool,
    act: Callable[[Connection, str, Deed], Till],
) -> None:
    parts, actor = lazy.parts(), acting(lazy)

    def work(connection: Connection) -> dict[str, Any]:
        deed = Deed(actor, reason, parts.clock.now())
        return _till(connection, act(connection, name, deed))

    show(parts.database.run(work), json_wanted)


def _outlet(connection: Connection, outlet: Outlet) -> dict[str, Any]:
    account = ledger_store.by_id(connection, outlet.account_id)
    return {
        "code": outlet.code,
        "name": outlet.name,
        "settle_to": outlet.settle_to,
        "status": outlet.stand.value,
        "balance": account.balance,
        "held": account.held,
        "currency": account.currency,
    }


def _till(connection: Connection, till: Till) -> dict[str, Any]:
    account = ledger_store.by_id(connection, till.account_id)
    return {
        "till": till.name,
        "float_limit": till.float_limit,
        "status": till.stand.value,
        "balance": account.balance,
        "currency": account.currency,
    }
