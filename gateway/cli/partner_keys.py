"""`gateway partners key`, `keys`, `rotate-key` and `revoke-key`: how its machines prove it."""

from datetime import timedelta
from typing import Any

import click
from sqlalchemy import Connection

from gateway.cli.operators import acting, operator_option
from gateway.cli.output import as_json, show, show_rows
from gateway.cli.parts import Lazy, pass_parts
from gateway.cli.reasons import optional_reason, reason_option
from gateway.clock import iso
from gateway.partners import profiles
from gateway.partners.access import keys, store
from gateway.partners.access.keys import NewKey
from gateway.partners.access.store import Key


def add_to(group: click.Group) -> None:
    """The commands, among those on partners."""
    for command in (make, listed, rotate, revoke):
        group.add_command(command)


@click.command("key", help="A new key of a partner; its secret is shown this once.")
@click.argument("code", metavar="P")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    metavar="SCOPE",
    type=click.Choice(list(keys.SCOPES)),
    help=f"Of {', '.join(keys.SCOPES)}; again for each; without: all but {keys.REVEAL}.",
)
@click.option("--test", is_flag=True, help="For test money, which is none.")
@optional_reason
@operator_option
@as_json
@pass_parts
def make(
    lazy: Lazy,
    code: str,
    scopes: tuple[str, ...],
    test: bool,
    reason: str | None,
    json_wanted: bool,
) -> None:
    """The secret goes to the partner by a safe way; nobody can read it again."""
    parts, actor = lazy.parts(), acting(lazy)

    def work(connection: Connection) -> NewKey:
        return keys.make(
            connection,
            code,
            actor,
            parts.clock.now(),
            scopes=scopes or keys.USUAL,
            test=test,
            reason=reason or "",
        )

    made = parts.database.run(work)
    show({"key_id": made.key_id, "secret": made.secret}, json_wanted)


@click.command("keys", help="The keys of a partner, without their secrets.")
@click.argument("code", metavar="P")
@as_json
@pass_parts
def listed(lazy: Lazy, code: str, json_wanted: bool) -> None:
    """The oldest first."""
    parts = lazy.parts()
    with parts.database.snapshot() as connection:
        partner = profiles.find(connection, code)
        now = parts.clock.now()
        rows = [_facts(key, now) for key in store.of_partner(connection, partner.id)]
    show_rows(rows, json_wanted)


@click.command("rotate-key", help="A new key in the place of one, which stays good for a while.")
@click.argument("key_id", metavar="KEY")
@click.option("--grace-hours", type=click.IntRange(0, 720), default=24, show_default=True)
@optional_reason
@operator_option
@as_json
@pass_parts
def rotate(
    lazy: Lazy, key_id: str, grace_hours: int, reason: str | None, json_wanted: bool
) -> None:
    """Both are good until the grace is over."""
    parts, actor, grace = lazy.parts(), acting(lazy), timedelta(hours=grace_hours)

    def work(connection: Connection) -> NewKey:
        now = parts.clock.now()
        return keys.rotate(connection, key_id, actor, now, grace=grace, reason=reason or "")

    made = parts.database.run(work)
    show({"key_id": made.key_id, "secret": made.secret}, json_wanted)


@click.command("revoke-key", help="End a key at once and for ever.")
@click.argument("key_id", metavar="KEY")
@reason_option
@operator_option
@as_json
@pass_parts
def revoke(lazy: Lazy, key_id: str, reason: str, json_wanted: bool) -> None:
    """What it has begun may end; nothing begins any more."""
    parts, actor = lazy.parts(), acting(lazy)
    parts.database.run(lambda c: keys.revoke(c, key_id, actor, reason, parts.clock.now()))
    show({"key_id": key_id, "state": "revoked"}, json_wanted)


def _facts(key: Key, now: Any) -> dict[str, Any]:
    ended = "revoked" if key.revoked_at else "expired"
    return {
        "key_id": key.key_id,
        "mode": key.mode,
        "state": "good" if key.is_good(now) else ended,
        "scopes": key.scopes,
        "created_at": iso(key.created_at),
        "expires_at": None if key.expires_at is None else iso(key.expires_at),
        "used_on": None if key.used_on is None else key.used_on.isoformat(),
    }
