"""`gateway restore`: bringing a backup back without its spent tokens (docs/runbook.md)."""

import gzip
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from gateway.cli.operators import acting, operator_option
from gateway.cli.output import as_json, show, show_rows
from gateway.cli.parts import Lazy, Parts, pass_parts
from gateway.cli.reasons import reason_option
from gateway.errors import BadInput
from gateway.restores import guard
from gateway.restores.reading import Leaving, Reading
from gateway.switches.restores import store


@click.group("restore", help="After a backup was restored: nothing moves until it is reconciled.")
def group() -> None:
    """Commands in the order of the runbook."""


@group.command("begin", help="Pause all that moves value, in a database no process serves from.")
@reason_option
@operator_option
@as_json
@pass_parts
def begin(lazy: Lazy, reason: str, json_wanted: bool) -> None:
    """Before the web processes and workers are started."""
    parts, actor = lazy.parts(), acting(lazy)
    now = parts.clock.now()
    parts.database.run(lambda c: guard.begin(c, actor, reason, now))
    _show(parts, json_wanted)


@group.command("replay", help="Suspend what the logs say was spent; - is stdin, .gz is read too.")
@click.argument("files", nargs=-1, required=True, type=click.Path(allow_dash=True, dir_okay=False))
@operator_option
@as_json
@pass_parts
def replay(lazy: Lazy, files: Sequence[str], json_wanted: bool) -> None:
    """All logs of all web processes since before the backup, in one go; exit 1 when they lack."""
    parts, actor = lazy.parts(), acting(lazy)
    reading = Reading()
    for file in files:
        _read(file, reading)
    done = guard.replay(parts.database, parts.clock, reading, actor)
    with parts.database.snapshot() as connection:
        missed = guard.current(connection).missed
    facts = {
        "lines": reading.lines,
        "from": reading.first_at,
        "to": reading.last_at,
        "tokens": len(reading.leavings),
        "suspended": len(done.suspended),
        "suspended_before": done.suspended_before,
        "over": done.over,
        "not_in_backup": len(done.unknown),
        "missed": missed,
    }
    stopped, unknown = _rows(done.suspended), _rows(done.unknown)
    if json_wanted:
        show({**facts, "stopped": stopped, "unknown": unknown}, json_wanted)
    else:
        show(facts, json_wanted)
        for title, rows in (("suspended now", stopped), ("issued after the backup", unknown)):
            if rows:
                click.echo(f"\n{title}:")
                show_rows(rows, json_wanted)
    if missed:
        sys.exit(1)


@group.command("stop-all", help="Suspend every live token, where the logs are lost or lack lines.")
@reason_option
@operator_option
@as_json
@pass_parts
def stop_all(lazy: Lazy, reason: str, json_wanted: bool) -> None:
    """Each is resumed by hand, once it is known that nobody has spent it."""
    parts, actor = lazy.parts(), acting(lazy)
    stopped = guard.stop_all(parts.database, parts.clock, actor, reason)
    show({"suspended": stopped}, json_wanted)


@group.command("show", help="How the restore stands, and what is left to do.")
@as_json
@pass_parts
def show_restore(lazy: Lazy, json_wanted: bool) -> None:
    """The latest one."""
    _show(lazy.parts(), json_wanted)


@group.command("end", help="Let everything go on; refused until the books are reconciled.")
@reason_option
@operator_option
@as_json
@pass_parts
def end(lazy: Lazy, reason: str, json_wanted: bool) -> None:
    """Also what was paused before the restore."""
    parts, actor = lazy.parts(), acting(lazy)
    now = parts.clock.now()
    parts.database.run(lambda c: guard.end(c, parts.invariants, actor, reason, now))
    _show(parts, json_wanted)


def _read(file: str, reading: Reading) -> None:
    if file == "-":
        reading.take(sys.stdin)
        return
    opened = gzip.open if Path(file).suffix == ".gz" else open
    try:
        with opened(file, "rt", encoding="utf-8", errors="replace") as lines:
            reading.take(lines)
    except OSError as error:
        raise BadInput(
            f"{file} cannot be read: {error.strerror or type(error).__name__}"
        ) from error


def _rows(leavings: Sequence[Leaving]) -> list[dict[str, Any]]:
    return [{name: fact or None for name, fact in asdict(one).items()} for one in leavings]


def _show(parts: Parts, json_wanted: bool) -> None:
    with parts.database.snapshot() as connection:
        found = store.latest(connection)
        if found is None:
            raise BadInput("this database was never restored")
        left = [] if found.ended_at else guard.obstacles(connection, parts.invariants)
    show({**asdict(found), "left": left}, json_wanted)
