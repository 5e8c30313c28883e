"""`gateway menus`: every screen as text, and the tree as a drawing."""

import click

from gateway.cli.output import as_json, show_rows
from gateway.cli.parts import Lazy, pass_parts
from gateway.errors import BadInput
from gateway.ussd import listing


@click.group("menus", help="The USSD screens.")
def group() -> None:
    """Commands on the screens."""


@group.command("list", help="Every screen with its longest values, and its septets.")
@click.option("--lang", "language", default="en", show_default=True)
@click.option("--budget", type=click.IntRange(60, 182), default=160, show_default=True)
@as_json
@pass_parts
def list_screens(lazy: Lazy, language: str, budget: int, json_wanted: bool) -> None:
    """One row a page."""
    parts = lazy.parts()
    if language not in parts.languages.codes:
        raise BadInput(f"the languages are {', '.join(parts.languages.codes)}")
    shown = listing.listed(parts.tree, parts.languages, language, budget)
    if json_wanted:
        rows = [{"screen": s.screen, "text": s.text, "septets": s.septets} for s in shown]
        show_rows(rows, json_wanted)
        return
    for page in shown:
        click.echo(f"--- {page.screen} ({page.septets} septets)\n{page.text}\n")


@group.command("graph", help="The tree of screens as a Mermaid flowchart.")
@pass_parts
def graph(lazy: Lazy) -> None:
    """Paste it where Mermaid is drawn."""
    click.echo(listing.mermaid(lazy.parts().tree))
