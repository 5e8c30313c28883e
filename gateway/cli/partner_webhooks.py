"""`gateway partners webhook` and `webhook-secret`: where a partner is told, and what signs it."""

from datetime import timedelta
from typing import Any

import click
from sqlalchemy import Connection

from gateway.cli.operators import acting, operator_option
from gateway.cli.output import as_json, show
from gateway.cli.parts import Lazy, pass_parts
from gateway.cli.reasons import optional_reason
from gateway.clock import iso
from gateway.errors import BadInput
from gateway.partners.endpoints.manage import Made
from gateway.partners.endpoints.store import Endpoint
from gateway.partners.endpoints.waiting import store as waiting

FAILURES_MAX = 5

test_option = click.option("--test", is_flag=True, help="For test money's events.")


def add_to(group: click.Group) -> None:
    """The commands, among those on partners."""
    for command in (webhook, rotate):
        group.add_command(command)


@click.command("webhook", help="Show, set or switch off where a partner's webhooks go.")
@click.argument("code", metavar="P")
@click.option("--url", help="https://…; the first gives a secret, shown this once.")
@click.option("--off", is_flag=True, help="Send nothing more; events can still be read.")
@test_option
@optional_reason
@operator_option
@as_json
@pass_parts
def webhook(
    lazy: Lazy,
    code: str,
    url: str | None,
    off: bool,
    test: bool,
    reason: str | None,
    json_wanted: bool,
) -> None:
    """Without --url and --off it is shown, with what has failed lately."""
    if url is not None and off:
        raise BadInput("--url switches it on, --off switches it off: give one of them")
    parts, why = lazy.parts(), reason or ""
    if url is None and not off:
        with parts.database.snapshot() as connection:
            found = parts.endpoints.show(connection, code, test)
            if found is None:
                raise BadInput(f"{code} has no endpoint: give a --url first")
            show(_facts(connection, found), json_wanted)
        return
    actor = acting(lazy)

    def work(connection: Connection) -> dict[str, Any]:
        now, of = parts.clock.now(), (code, test)
        if url is None:
            changed = parts.endpoints.switch_off(connection, *of, actor, now, why)
            return _facts(connection, changed)
        made = parts.endpoints.set_url(connection, *of, url, actor, now, why)
        return _facts(connection, made.endpoint) | _secret(made)

    show(parts.database.run(work), json_wanted)


@click.command("webhook-secret", help="A new secret; both sign until the old one's time is over.")
@click.argument("code", metavar="P")
@click.option("--grace-hours", type=click.IntRange(0, 720), default=24, show_default=True)
@test_option
@optional_reason
@operator_option
@as_json
@pass_parts
def rotate(
    lazy: Lazy, code: str, grace_hours: int, test: bool, reason: str | None, json_wanted: bool
) -> None:
    """It is shown this once."""
    parts, actor, grace = lazy.parts(), acting(lazy), timedelta(hours=grace_hours)

    def work(connection: Connection) -> dict[str, Any]:
        made = parts.endpoints.rotate(
            connection, code, test, actor, parts.clock.now(), grace=grace, reason=reason or ""
        )
        return {"owner": made.endpoint.owner} | _secret(made)

    show(parts.database.run(work), json_wanted)


def _secret(made: Made) -> dict[str, Any]:
    return {} if made.secret is None else {"secret": made.secret}


def _facts(connection: Connection, endpoint: Endpoint) -> dict[str, Any]:
    rest = endpoint.rests_until
    return {
        "owner": endpoint.owner,
        "url": endpoint.url,
        "state": endpoint.state,
        "reason": endpoint.reason,
        "rests_until": None if rest is None else iso(rest),
        "failures": [
            f"{iso(one.changed_at)} {one.state}: {one.reason}"
            for one in waiting.troubled(connection, endpoint.owner, FAILURES_MAX)
        ],
    }
