"""`gateway people`: what is held about one person."""

import os
from pathlib import Path

import click

from gateway.audit import trail
from gateway.cli.operators import acting, operator_option
from gateway.cli.output import as_json, show
from gateway.cli.parts import Lazy, pass_parts
from gateway.cli.reasons import reason_option
from gateway.errors import BadInput
from gateway.formats import msisdn
from gateway.retention.holdings import export


@click.group("people", help="People, by their phone.")
def group() -> None:
    """Commands on people."""


@group.command("export", help="All that is held about a phone's owner, as JSON.")
@click.argument("phone")
@click.option(
    "--output",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="A new file, which its owner alone can read.",
)
@reason_option
@operator_option
@as_json
@pass_parts
def export_person(lazy: Lazy, phone: str, output: Path, reason: str, json_wanted: bool) -> None:
    """Recorded before it is written: who looks must not be unknown because the disk was full."""
    parts, actor = lazy.parts(), acting(lazy)
    number = msisdn.parse(phone, parts.settings.country)
    written, now = 0, parts.clock.now()
    try:
        file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise BadInput(f"{output} cannot be made: {error.strerror}") from error
    with open(file, "w", encoding="utf-8") as made:
        parts.database.run(lambda c: trail.record(c, actor, export.ACTION, number, now, reason))
        with parts.database.snapshot() as connection:
            for piece in export.pieces(connection, number, now):
                written += made.write(piece)
    show({"phone": number, "output": str(output), "characters": written}, json_wanted)
