"""`gateway partners profile`: what is agreed with a partner, and how its SMS looks on a phone."""

import textwrap
from collections.abc import Sequence
from typing import Any

import click
from sqlalchemy import Connection

from gateway.api.profile import Shown
from gateway.cli.operators import acting, operator_option
from gateway.cli.output import as_json, show
from gateway.cli.parts import Lazy, Parts, pass_parts
from gateway.cli.reasons import optional_reason
from gateway.errors import BadInput
from gateway.partners.terms.change import FIELDS, Change

PHONE_COLUMNS = 34
TEXT = "sms-text"
CLEARED = [name.replace("_", "-") for name in FIELDS]


def add_to(group: click.Group) -> None:
    """The command, among those on partners."""
    group.add_command(profile)


@click.command("profile", help="What is agreed with a partner; with options: agree otherwise.")
@click.argument("code", metavar="P")
@click.option("--name", default=None, help="As people read it.")
@click.option("--sender-id", default=None, help="What phones show as the sender: 3 to 11 letters.")
@click.option("--language", default=None, help="Of those who have chosen none, such as en.")
@click.option("--expiry", default=None, help="Of a token of which nobody says it: 30d or 12h.")
@click.option("--token-max", default=None, metavar="AMOUNT", help="Of a single token.")
@click.option("--day-max", default=None, metavar="AMOUNT", help="Of a local day's tokens.")
@click.option("--low-float", default=None, metavar="AMOUNT", help="Below it there is an alarm.")
@click.option(f"--{TEXT}", default=None, help="Its own words, with {sender} {amount} {token} …")
@click.option("--sms-language", default=None, help="Of --sms-text; without: the profile's.")
@click.option(
    "--without",
    multiple=True,
    type=click.Choice([*CLEARED, TEXT]),
    help="As with everybody again; again for each.",
)
@click.option("--preview", is_flag=True, help="Its SMS in each language, as a phone shows it.")
@optional_reason
@operator_option
@as_json
@pass_parts
def profile(
    lazy: Lazy,
    /,
    code: str,
    preview: bool,
    reason: str | None,
    json_wanted: bool,
    **wanted: Any,
) -> None:
    """Read it, change it, look at it."""
    parts = lazy.parts()
    if any(wanted.values()):
        _change(lazy, code, wanted, reason)
    with parts.database.snapshot() as connection:
        found = dict(parts.profiles.show(connection, code))
        found["float_low"] = parts.profiles.is_low(connection, code)
        phones = parts.profiles.preview(connection, code, parts.clock.now()) if preview else ()
    if json_wanted:
        seen = [
            {"language": one.language, "sender": one.sender, "text": one.text} for one in phones
        ]
        show(found | ({"preview": seen} if preview else {}), json_wanted)
        return
    own = found.pop("sms_texts")
    show(found | {f"text {language}": text for language, text in own.items()}, json_wanted)
    _draw(phones)


def _change(lazy: Lazy, code: str, wanted: dict[str, Any], reason: str | None) -> None:
    if reason is None:
        raise BadInput("say why: --reason")
    parts, actor = lazy.parts(), acting(lazy)
    said = reason

    def work(connection: Connection) -> None:
        change = _wanted(parts, connection, code, wanted)
        parts.profiles.change(connection, code, change, actor, said, parts.clock.now())

    parts.database.run(work)


def _wanted(parts: Parts, connection: Connection, code: str, wanted: dict[str, Any]) -> Change:
    given = {name: wanted[name] for name in ("name", *FIELDS)}
    cleared, own = set(wanted["without"]), wanted["sms_text"]
    usual = given["language"] or parts.profiles.show(connection, code)["language"]
    language = wanted["sms_language"] or usual
    return Change(
        **given,
        texts={} if own is None else {language: own},
        clears=[name.replace("-", "_") for name in CLEARED if name in cleared],
        silences=[language] if TEXT in cleared else [],
    )


def _draw(phones: Sequence[Shown]) -> None:
    """Each SMS between two lines, broken as a small display breaks it."""
    for one in phones:
        whose = "its own words" if one.is_own else "our words"
        click.echo(f"\n{one.language}, {whose}, {one.septets} of 160 septets")
        lines = [
            line for part in one.text.split("\n") for line in textwrap.wrap(part, PHONE_COLUMNS)
        ]
        click.echo(f"+-{one.sender + ' ':-<{PHONE_COLUMNS}}-+")
        for line in lines:
            click.echo(f"| {line:<{PHONE_COLUMNS}} |")
        click.echo(f"+{'-' * (PHONE_COLUMNS + 2)}+")
