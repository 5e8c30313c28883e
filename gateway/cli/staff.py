"""`gateway staff`: cashiers, managers, operators and admins."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import click
from sqlalchemy import Connection

from gateway.cli.operators import (
    acting,
    asked_pin,
    claimed,
    from_standard_input,
    left,
    operator_option,
)
from gateway.cli.output import as_json, show, show_rows
from gateway.cli.parts import Lazy, pass_parts
from gateway.cli.reasons import optional_reason, reason_option
from gateway.errors import BadInput
from gateway.formats import msisdn
from gateway.ledger.operate import Deed
from gateway.outlets import staffing
from gateway.people.staff import store
from gateway.people.staff.roster import Hire, Placed
from gateway.people.staff.store import Member, Role

Change = Callable[[Connection, str, str, str, datetime], Placed]


RULE = (
    "The first two operators are taken on freely, a further one waits for an approval by another. "
    "Nobody disables themselves when fewer than two would be left. For 24 hours after a "
    "--break-glass or a reset of a PIN, nothing is approved by that operator, or for them."
)


@click.group("staff", help=f"Cashiers, managers, operators and admins, by their phone. {RULE}")
def group() -> None:
    """Commands on staff."""


@group.command("create", help="Take somebody on. A third operator or admin needs an approval.")
@click.option("--name", required=True)
@click.option("--role", type=click.Choice([role.value for role in Role]), required=True)
@click.option("--phone", required=True)
@click.option("--outlet", default=None, help="The shop where a cashier or manager works.")
@click.option(
    "--break-glass",
    is_flag=True,
    help="Without an approval, when fewer than two operators are active. Everybody will see it.",
)
@optional_reason
@operator_option
@as_json
@pass_parts
def create(
    lazy: Lazy, /, json_wanted: bool, reason: str | None, break_glass: bool, **wanted: Any
) -> None:
    """The new PIN is read after the acting operator's, if there is one."""
    parts, actor = lazy.parts(), left(lazy) if break_glass else acting(lazy)
    number = msisdn.parse(wanted["phone"], parts.settings.country)
    hire = Hire(
        name=wanted["name"],
        msisdn=number,
        role=Role(wanted["role"]),
        pin_hash=parts.roster.hashed(asked_pin("The new PIN"), number),
        outlet=wanted["outlet"],
    )
    take_on = parts.roster.break_glass if break_glass else parts.roster.hire
    # A glass is broken for a reason that is given.
    why = reason or ("" if break_glass else f"{hire.name} is to work as {hire.role}")
    placed = parts.database.run(lambda c: take_on(c, hire, actor, why, parts.clock.now()))
    show(_placed(placed), json_wanted)


@group.command("pin", help="Change one's own PIN: --as PHONE, the old one, then the new one.")
@operator_option
@as_json
@pass_parts
def pin(lazy: Lazy, json_wanted: bool) -> None:
    """For cashiers and managers too; until then an operator's is known to who took them on."""
    parts, number = lazy.parts(), claimed(lazy)
    old, new = asked_pin("Your PIN as it is"), asked_pin("Your new PIN")
    if not from_standard_input() and asked_pin("Your new PIN again") != new:
        raise BadInput("the two are not the same")
    show(_facts(parts.roster.change_pin(number, old, new)), json_wanted)


@group.command("list", help="Everybody, with what they may do.")
@as_json
@pass_parts
def list_staff(lazy: Lazy, json_wanted: bool) -> None:
    """The staff as it is now."""
    with lazy.parts().database.snapshot() as connection:
        found = store.every(connection)
    show_rows([_facts(member) for member in found], json_wanted)


@group.command("disable", help="Let somebody do nothing any more, at once.")
@click.argument("phone")
@optional_reason
@operator_option
@as_json
@pass_parts
def disable(lazy: Lazy, phone: str, reason: str | None, json_wanted: bool) -> None:
    """Active to disabled."""
    _change(lazy, phone, reason, json_wanted, lazy.parts().roster.disable)


@group.command("enable", help="Let somebody work again; an operator needs an approval.")
@click.argument("phone")
@optional_reason
@operator_option
@as_json
@pass_parts
def enable(lazy: Lazy, phone: str, reason: str | None, json_wanted: bool) -> None:
    """Disabled to active."""
    _change(lazy, phone, reason, json_wanted, lazy.parts().roster.enable)


@group.command("unlock", help="Let somebody try their PIN again at once; once a day.")
@click.argument("phone")
@reason_option
@operator_option
@as_json
@pass_parts
def unlock(lazy: Lazy, phone: str, reason: str, json_wanted: bool) -> None:
    """Before the hour is over."""
    _change(lazy, phone, reason, json_wanted, lazy.parts().way_back.unlock)


@group.command("reset-pin", help="Ask for a PIN for once for somebody who forgot theirs.")
@click.argument("phone")
@reason_option
@operator_option
@as_json
@pass_parts
def reset_pin(lazy: Lazy, phone: str, reason: str, json_wanted: bool) -> None:
    """Another operator approves it; with it one can do nothing but `gateway staff pin`."""
    parts, actor = lazy.parts(), acting(lazy)
    number = msisdn.parse(phone, parts.settings.country)
    hashed = parts.roster.hashed(asked_pin("The PIN for once"), number)
    reset = parts.way_back.reset_pin
    placed = parts.database.run(
        lambda c: reset(c, number, hashed, actor, reason, parts.clock.now())
    )
    show(_placed(placed), json_wanted)


@group.command("move", help="Let a cashier or manager work at another outlet.")
@click.argument("phone")
@click.option("--outlet", required=True, help="The code of the outlet.")
@reason_option
@operator_option
@as_json
@pass_parts
def move(lazy: Lazy, phone: str, outlet: str, reason: str, json_wanted: bool) -> None:
    """Once they have closed their till."""
    parts, actor = lazy.parts(), acting(lazy)
    number = msisdn.parse(phone, parts.settings.country)

    def work(connection: Connection) -> Member:
        deed = Deed(actor, reason, parts.clock.now())
        return staffing.move(connection, number, outlet, deed)

    show(_facts(parts.database.run(work)), json_wanted)


def _change(lazy: Lazy, phone: str, reason: str | None, json_wanted: bool, change: Change) -> None:
    parts, actor = lazy.parts(), acting(lazy)
    number = msisdn.parse(phone, parts.settings.country)
    why = reason or "no reason was given"
    placed = parts.database.run(lambda c: change(c, number, actor, why, parts.clock.now()))
    show(_placed(placed), json_wanted)


def _placed(placed: Placed) -> dict[str, Any]:
    return {**_facts(placed.member), "approval": placed.approval}


def _facts(member: Member) -> dict[str, Any]:
    return {
        "id": member.id,
        "name": member.name,
        "role": member.role,
        "phone": member.msisdn,
        "outlet": member.outlet,
        "status": member.status,
        "locked_until": member.locked_until,
        "decides_from": member.decides_from,
    }
