"""`gateway pause`, `gateway resume` and `gateway switches`: stopping a part of the gateway."""

from collections.abc import Callable

import click

from gateway.audit import trail
from gateway.cli.operators import acting, operator_option
from gateway.cli.output import as_json, show, show_rows
from gateway.cli.parts import Lazy, pass_parts
from gateway.cli.reasons import reason_option
from gateway.switches import board, operate, store

WHAT = f"{', '.join(board.PARTS)} or {board.PROVIDER}NAME"


@click.command("pause", help=f"Stop a part in every process, within a second: {WHAT}.")
@click.argument("what")
@reason_option
@operator_option
@as_json
@pass_parts
def pause(lazy: Lazy, what: str, reason: str, json_wanted: bool) -> None:
    """What waits meanwhile is not lost."""
    _throw(lazy, what, reason, json_wanted, operate.pause, paused=True)


@click.command("resume", help=f"Let a part go on that was paused: {WHAT}.")
@click.argument("what")
@reason_option
@operator_option
@as_json
@pass_parts
def resume(lazy: Lazy, what: str, reason: str, json_wanted: bool) -> None:
    """What waited goes on by itself."""
    _throw(lazy, what, reason, json_wanted, operate.resume, paused=False)


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


def _throw(
    lazy: Lazy,
    what: str,
    reason: str,
    json_wanted: bool,
    throw: Callable[..., str],
    *,
    paused: bool,
) -> None:
    name = board.known(what)
    parts, actor = lazy.parts(), acting(lazy)
    now = parts.clock.now()
    parts.database.run(lambda c: throw(c, name, actor, reason, now, trail.record))
    show({"what": name, "paused": paused}, json_wanted)
