"""`gateway pause`, `gateway resume` and `gateway switches`: stopping a part of the gateway."""

import click
from sqlalchemy import Connection

from gateway.audit import trail
from gateway.cli.operators import acting, operator_option
from gateway.cli.output import as_json, show, show_rows
from gateway.cli.parts import Lazy, pass_parts
from gateway.cli.reasons import reason_option
from gateway.switches import board, store

WHAT = f"{', '.join(board.PARTS)} or {board.PROVIDER}NAME"


@click.command("pause", help=f"Stop a part in every process, within a second: {WHAT}.")
@click.argument("what")
@reason_option
@operator_option
@as_json
@pass_parts
def pause(lazy: Lazy, what: str, reason: str, json_wanted: bool) -> None:
    """What waits meanwhile is not lost."""
    _throw(lazy, what, reason, json_wanted, pause=True)


@click.command("resume", help=f"Let a part go on that was paused: {WHAT}.")
@click.argument("what")
@reason_option
@operator_option
@as_json
@pass_parts
def resume(lazy: Lazy, what: str, reason: str, json_wanted: bool) -> None:
    """What waited goes on by itself."""
    _throw(lazy, what, reason, json_wanted, pause=False)


@click.command("switches", help="Every part that was ever paused, and how it stands.")
@as_json
@pass_parts
def switches(lazy: Lazy, json_wanted: bool) -> None:
    """The switches as they are stored."""
    with lazy.parts().database.snapshot() as connection:
        found = store.every(connection)
    rows = [
        {
            "what": switch.what,
            "paused": switch.paused,
            "changed_at": switch.changed_at,
            "changed_by": switch.changed_by,
            "reason": switch.reason,
        }
        for switch in found
    ]
    show_rows(rows, json_wanted, empty="nothing was ever paused")


def _throw(lazy: Lazy, what: str, reason: str, json_wanted: bool, *, pause: bool) -> None:
    name = board.known(what)
    parts, actor = lazy.parts(), acting(lazy)
    action = "switch.pause" if pause else "switch.resume"

    def work(connection: Connection) -> None:
        now = parts.clock.now()
        board.throw(connection, name, actor, reason, now, pause=pause)
        trail.record(connection, actor, action, name, now, reason)

    parts.database.run(work)
    show({"what": name, "paused": pause}, json_wanted)
