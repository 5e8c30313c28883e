"""`gateway partners outlet` and `outlets`: at whose tills a partner's keys pay."""

from collections.abc import Sequence

import click
from sqlalchemy import Connection

from gateway.cli.operators import acting, operator_option
from gateway.cli.output import as_json, show_rows
from gateway.cli.parts import Lazy, pass_parts
from gateway.cli.reasons import optional_reason
from gateway.outlets import manage
from gateway.partners import profiles
from gateway.partners.places import agreed, store


def add_to(group: click.Group) -> None:
    """The commands, among those on partners."""
    for command in (change, listed):
        group.add_command(command)


@click.command("outlet", help="Let a partner's keys pay at the tills of an outlet, or no more.")
@click.argument("code", metavar="P")
@click.argument("outlet", metavar="OUTLET")
@click.option("--remove", is_flag=True, help="No more; what was paid stands.")
@optional_reason
@operator_option
@as_json
@pass_parts
def change(
    lazy: Lazy, code: str, outlet: str, remove: bool, reason: str | None, json_wanted: bool
) -> None:
    """An outlet may serve several partners, and a partner several outlets."""
    parts, actor = lazy.parts(), acting(lazy)

    def work(connection: Connection) -> list[str]:
        found = manage.known(connection, outlet.strip().upper())
        do = agreed.end if remove else agreed.agree
        do(connection, code, found.code, actor, parts.clock.now(), reason or "")
        return store.of_partner(connection, profiles.find(connection, code).id)

    _show(parts.database.run(work), json_wanted)


@click.command("outlets", help="The outlets where a partner's keys pay.")
@click.argument("code", metavar="P")
@as_json
@pass_parts
def listed(lazy: Lazy, code: str, json_wanted: bool) -> None:
    """By code."""
    parts = lazy.parts()
    with parts.database.snapshot() as connection:
        found = store.of_partner(connection, profiles.find(connection, code).id)
    _show(found, json_wanted)


def _show(outlets: Sequence[str], json_wanted: bool) -> None:
    rows = [{"outlet": outlet} for outlet in outlets]
    show_rows(rows, json_wanted, empty="it pays at no outlet")
