"""`gateway books`: proving the books, and what finance takes out of them."""

import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any, TextIO, TypeVar

import click

from gateway.cli.output import as_json, show_rows
from gateway.cli.parts import Lazy, Parts, pass_parts
from gateway.clock import iso
from gateway.formats import csv_lines
from gateway.ledger.invariants.check import check
from gateway.ledger.reports import store as reports
from gateway.ledger.reports.liabilities import liabilities

T = TypeVar("T")

TOLD_EVERY = 100_000  # lines between two words of progress
day_option = click.DateTime(["%Y-%m-%d"])
to_file = click.option("--output", type=click.File("w"), default="-", help="A file; else stdout.")


@click.group("books", help="The ledger: its invariants, balances and journal.")
def group() -> None:
    """Commands on the books."""


@group.command("check", help="Check every invariant; exit 1 and the rows if any fails.")
@as_json
@pass_parts
def check_books(lazy: Lazy, json_wanted: bool) -> None:
    """All invariants in one consistent snapshot."""
    parts = lazy.parts()
    with parts.database.snapshot() as connection:
        breaches = check(connection, parts.invariants)
    rows = [{"invariant": breach.invariant, "row": breach.row} for breach in breaches]
    show_rows(rows, json_wanted, empty=f"{len(parts.invariants)} invariants hold")
    if breaches:
        sys.exit(1)


@group.command("balances", help="Every account's balance at the end of a local day, as CSV.")
@click.option("--on", "day", type=day_option, required=True, help="Such as 2026-03-31.")
@to_file
@pass_parts
def balances(lazy: Lazy, day: datetime, output: TextIO) -> None:
    """Out of the entries, so that it can be asked for any past day."""
    parts = lazy.parts()
    before = _start(parts, day.date() + timedelta(days=1))
    with parts.database.snapshot() as connection:
        found = reports.balances(connection, before)
        rows = ((b.kind, b.owner, b.currency, b.amount) for b in found)
        _write(output, ("account", "owner", "currency", "balance"), rows)


@group.command("journal", help="Every entry of some local days, as CSV.")
@click.option("--from", "first", type=day_option, required=True, help="The first day.")
@click.option("--to", "last", type=day_option, required=True, help="The last day.")
@to_file
@pass_parts
def journal(lazy: Lazy, first: datetime, last: datetime, output: TextIO) -> None:
    """In the order they were booked."""
    parts = lazy.parts()
    since = _start(parts, first.date())
    before = _start(parts, last.date() + timedelta(days=1))
    names = ("movement", "at", "kind", "subject", "key", "account", "owner", "currency", "amount")
    with parts.database.snapshot() as connection:
        rows = (
            (
                line.movement,
                iso(line.at),
                line.kind,
                line.subject,
                line.operation_key,
                line.account,
                line.owner,
                line.currency,
                line.amount,
            )
            for line in reports.journal(connection, since, before)
        )
        _write(output, names, rows)


@group.command("liabilities", help="What we owe, against what lies with providers and bank.")
@as_json
@pass_parts
def show_liabilities(lazy: Lazy, json_wanted: bool) -> None:
    """By our own books; the statement of the trust account is compared by `reconcile`."""
    parts = lazy.parts()
    with parts.database.snapshot() as connection:
        found = liabilities(connection, parts.clock.now() + timedelta(seconds=1))
    rows = [
        {"currency": of.currency, "owed": of.owed, "kept": of.kept, "own": of.own} for of in found
    ]
    show_rows(rows, json_wanted, empty="nothing is booked yet")


def _start(parts: Parts, day: date) -> datetime:
    local = datetime(day.year, day.month, day.day, tzinfo=parts.settings.zone)
    return local.astimezone(UTC)


def _write(output: TextIO, names: tuple[str, ...], rows: Iterable[Any]) -> None:
    for line in _told(csv_lines.lines(names, rows), lambda text: click.echo(text, err=True)):
        output.write(line)


def _told(lines: Iterable[T], tell: Callable[[str], None]) -> Iterator[T]:
    """The lines, with a word on the terminal now and then."""
    for number, line in enumerate(lines):
        if number and number % TOLD_EVERY == 0:
            tell(f"{number:,} lines")
        yield line
