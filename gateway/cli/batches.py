"""`gateway batches`: files of tokens that operators hand in for a partner, and all that run."""

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

import click
from sqlalchemy import Connection

from gateway.api.batches import batch, reading, store, views
from gateway.api.batches.batch import Asks, BadBatch
from gateway.api.batches.working import progress
from gateway.cli.operators import acting, operator_option
from gateway.cli.output import as_json, limit_option, show, show_rows
from gateway.cli.parts import Lazy, Parts, pass_parts
from gateway.cli.reasons import optional_reason, reason_option
from gateway.formats import csv_lines
from gateway.partners import profiles

LOOK_SECONDS = 1.0
RUNS = ("waiting", "running")


@click.group("batches", help="Files of tokens, issued row by row.")
def group() -> None:
    """Commands on batches."""


@group.command("import", help="Hand in a CSV file for a partner; a second operator approves it.")
@click.argument("code", metavar="P")
@click.argument("file", type=click.File("rb"), metavar="FILE")
@click.option("--dry-run", is_flag=True, help="Check every row; keep and issue nothing.")
@optional_reason
@operator_option
@as_json
@pass_parts
def take_in(
    lazy: Lazy, code: str, file: BinaryIO, dry_run: bool, reason: str | None, json_wanted: bool
) -> None:
    """The whole file or nothing of it; what is wrong is told by row and column."""
    parts, text = lazy.parts(), reading.text_of(file.read(reading.BYTES_MAX + 1))
    if dry_run:
        with parts.database.snapshot() as connection:
            found = parts.batches.report(connection, code, text)
        _tell(found, json_wanted)
        sys.exit(1 if found["errors_count"] else 0)
    asks = Asks(code, acting(lazy), reason or f"the file {file.name}")

    def work(connection: Connection) -> Mapping[str, Any]:
        name = parts.batches.take_in(connection, asks, text, parts.clock.now())
        return parts.batches.show(connection, name, None)

    try:
        _tell(parts.database.run(work), json_wanted)
    except BadBatch:
        with parts.database.snapshot() as connection:
            _tell(parts.batches.report(connection, code, text), json_wanted)
        raise


@group.command("list", help="The latest, newest first.")
@click.option("--partner", default=None, metavar="P", help="Of one partner.")
@limit_option
@as_json
@pass_parts
def list_batches(lazy: Lazy, partner: str | None, rows_max: int, json_wanted: bool) -> None:
    """With what became of their rows."""
    with lazy.parts().database.snapshot() as connection:
        if partner is not None:
            profiles.find(connection, partner)
        found = store.latest(connection, partner, None, rows_max)
        rows = [
            {"partner": one.owner} | dict(views.summary(one, store.tallies(connection, one.id)))
            for one in found
        ]
    show_rows(rows, json_wanted)


@group.command("show", help="How far a batch is, and why rows were refused.")
@click.argument("reference", metavar="BATCH")
@click.option("--watch", is_flag=True, help="A line each second, until it has ended.")
@as_json
@pass_parts
def show_batch(lazy: Lazy, reference: str, watch: bool, json_wanted: bool) -> None:
    """As it is now."""
    parts = lazy.parts()
    found = _found(parts, reference)
    while watch and not json_wanted:
        decided = found["rows"] - found["waiting"]
        said = f"{found['issued']} issued, {found['failed']} failed, {found['status']}"
        click.echo(f"{progress((decided, found['rows']))} {said}")
        if found["status"] not in RUNS:
            break
        time.sleep(LOOK_SECONDS)
        found = _found(parts, reference)
    _tell(found, json_wanted)


@group.command("export", help="Each row with its state and its token's serial, as CSV.")
@click.argument("reference", metavar="BATCH")
@pass_parts
def export(lazy: Lazy, reference: str) -> None:
    """Never digits; no cell runs in a spreadsheet."""

    def rows(connection: Connection) -> Iterator[Sequence[Any]]:
        found = batch.find(connection, reference, None)
        for kept in store.every_row(connection, found.id):
            yield views.sheet_row(kept, found.currency)

    with lazy.parts().database.snapshot() as connection:
        for line in csv_lines.lines(views.EXPORT, rows(connection)):
            click.echo(line, nl=False)


@group.command("retry", help="Let the rows that failed wait again.")
@click.argument("reference", metavar="BATCH")
@reason_option
@operator_option
@as_json
@pass_parts
def retry(lazy: Lazy, reference: str, reason: str, json_wanted: bool) -> None:
    """A worker issues them; they were approved with the others."""
    _deed(lazy, reference, reason, json_wanted, cancels=False)


@group.command("cancel", help="Issue nothing more of a batch; what was issued stays.")
@click.argument("reference", metavar="BATCH")
@reason_option
@operator_option
@as_json
@pass_parts
def cancel(lazy: Lazy, reference: str, reason: str, json_wanted: bool) -> None:
    """Also of one that waits for an approval."""
    _deed(lazy, reference, reason, json_wanted, cancels=True)


def _deed(lazy: Lazy, reference: str, reason: str, json_wanted: bool, *, cancels: bool) -> None:
    parts, actor = lazy.parts(), acting(lazy)
    deed = parts.batches.cancel if cancels else parts.batches.retry

    def work(connection: Connection) -> Mapping[str, Any]:
        deed(connection, reference, None, actor, reason, parts.clock.now())
        return parts.batches.show(connection, reference, None)

    _tell(parts.database.run(work), json_wanted)


def _found(parts: Parts, reference: str) -> Mapping[str, Any]:
    with parts.database.snapshot() as connection:
        return parts.batches.show(connection, reference, None)


def _tell(found: Mapping[str, Any], json_wanted: bool) -> None:
    if json_wanted:
        show(found, json_wanted)
        return
    errors = found["errors"]
    show({name: value for name, value in found.items() if name != "errors"}, json_wanted)
    if errors:
        click.echo()
        show_rows(errors, json_wanted)
