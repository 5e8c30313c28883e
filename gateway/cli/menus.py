"""`gateway menus`: every screen as text, what translators need, and the tree as a drawing."""

import sys
from io import BytesIO

import click
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po

from gateway.cli.output import as_json, show_rows
from gateway.cli.parts import Lazy, Parts, pass_parts
from gateway.errors import BadInput
from gateway.languages import ENGLISH, Languages, catalogs
from gateway.ussd import listing
from menus import texts

COLUMNS_MAX = 98
language_option = click.option("--lang", "language", default=ENGLISH, show_default=True)


@click.group("menus", help="The USSD screens, and their translations.")
def group() -> None:
    """Commands on the screens."""


@group.command("list", help="Every screen with its longest values, and its septets.")
@language_option
@click.option("--budget", type=click.IntRange(60, 182), default=160, show_default=True)
@as_json
@pass_parts
def list_screens(lazy: Lazy, language: str, budget: int, json_wanted: bool) -> None:
    """One row a page."""
    parts = lazy.parts()
    shown = texts.listed(parts.tree, _languages(parts, language), language, budget)
    if json_wanted:
        rows = [{"screen": s.screen, "text": s.text, "septets": s.septets} for s in shown]
        show_rows(rows, json_wanted)
        return
    for page in shown:
        click.echo(f"--- {page.screen} ({page.septets} septets)\n{page.text}\n")


@group.command("languages", help="Every language there is: enabled, reviewed, complete.")
@as_json
@pass_parts
def list_languages(lazy: Lazy, json_wanted: bool) -> None:
    """One row a language; what is enabled is `GATEWAY_LANGUAGES`."""
    parts = lazy.parts()
    everything = Languages(parts.languages.folder, catalogs(parts.languages.folder))
    rows = [
        {
            "language": code,
            "name": everything.name(code),
            "enabled": code in parts.languages.codes,
            "reviewed_by": everything.reviewer(code),
            "faults": sum(1 for _ in texts.faults(parts.tree, everything, code)),
        }
        for code in everything.codes
    ]
    show_rows(rows, json_wanted)


@group.command("check", help="What is wrong with a language: missing, left over, too long.")
@language_option
@as_json
@pass_parts
def check(lazy: Lazy, language: str, json_wanted: bool) -> None:
    """One row a fault; exit 1 if there is any."""
    parts = lazy.parts()
    found = list(texts.faults(parts.tree, _languages(parts, language), language))
    if json_wanted:
        show_rows([{"text": one.text, "fault": one.fault} for one in found], json_wanted)
    for one in () if json_wanted else found:
        click.echo(f"{one.text!r}\n    {one.fault}")
    if found:
        sys.exit(1)


@group.command("missing", help="The texts a language lacks, to be added to its catalog.")
@language_option
@pass_parts
def missing(lazy: Lazy, language: str) -> None:
    """In the catalog's own form, with where each is said."""
    parts = lazy.parts()
    lacking = Catalog()
    languages = _languages(parts, language)
    for text, place in texts.missing(parts.tree, languages, language).items():
        lacking.add(text, "", auto_comments=[place])
    written = BytesIO()
    write_po(written, lacking, width=COLUMNS_MAX, omit_header=True)
    click.echo(written.getvalue().decode(), nl=False)


def _languages(parts: Parts, language: str) -> Languages:
    """With a language that may be switched off: its catalog is enough."""
    there = catalogs(parts.languages.folder)
    if language not in there:
        raise BadInput(f"the languages are {', '.join(there)}")
    return Languages(parts.languages.folder, [language])


@group.command("graph", help="The tree of screens as a Mermaid flowchart.")
@pass_parts
def graph(lazy: Lazy) -> None:
    """Paste it where Mermaid is drawn."""
    click.echo(listing.mermaid(lazy.parts().tree))
