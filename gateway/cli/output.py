"""How commands print: aligned text for people, one JSON document with `--json`."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

import click

from gateway.clock import iso
from gateway.formats import money

as_json = click.option("--json", "json_wanted", is_flag=True, help="Print JSON.")
limit_option = click.option(
    "--limit",
    "rows_max",
    type=click.IntRange(1, 10_000),
    default=50,
    show_default=True,
    help="How many rows at most.",
)


def show(data: Mapping[str, Any], json_wanted: bool) -> None:
    """One thing: a line for each of its facts."""
    if json_wanted:
        click.echo(json.dumps(_plain(data), ensure_ascii=False))
        return
    width = max((len(name) for name in data), default=0)
    for name, value in data.items():
        click.echo(f"{name:<{width}}  {_text(value)}")


def show_rows(rows: Sequence[Mapping[str, Any]], json_wanted: bool, empty: str = "none") -> None:
    """Many things: a table with the names of the facts above."""
    if json_wanted:
        click.echo(json.dumps(_plain(list(rows)), ensure_ascii=False))
        return
    if not rows:
        click.echo(empty)
        return
    names = list(rows[0])
    cells = [names, *([_text(row[name]) for name in names] for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(names))]
    for line in cells:
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join(padded).rstrip())


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, Decimal):
        return money.plain(value)
    return iso(value) if isinstance(value, datetime) else value


def _text(value: Any) -> str:
    plain = _plain(value)
    if plain is None:
        return "-"
    if isinstance(plain, bool):
        return "yes" if plain else "no"
    return ", ".join(map(str, plain)) if isinstance(plain, list) else str(plain)
