"""`gateway db`: the schema."""

import click

from gateway.cli.output import as_json, show
from gateway.cli.parts import Lazy, pass_parts
from gateway.database import upgrade


@click.group("db", help="The database's schema.")
def group() -> None:
    """Commands on the schema."""


@group.command("upgrade", help="Bring the schema to what this version needs.")
@as_json
@pass_parts
def upgrade_schema(lazy: Lazy, json_wanted: bool) -> None:
    """Run the migrations that are missing."""
    database = lazy.parts().database
    before = database.run(upgrade.current)
    database.upgrade()
    show({"before": before, "revision": database.run(upgrade.current)}, json_wanted)
