"""`gateway keys`: making keys, seeing which are needed, switching the one written with."""

import secrets

import click

from gateway.cli.output import as_json, show, show_rows
from gateway.cli.parts import Lazy, pass_parts
from gateway.errors import BadInput, Misconfigured
from gateway.tokens import store as tokens_store
from gateway.tokens.keys import rotation
from gateway.tokens.keys import store as keys_store
from gateway.tokens.keys.rings import KEY_BYTES, PURPOSES, Ring

purpose_option = click.option(
    "--purpose", type=click.Choice(PURPOSES), required=True, help="Which ring."
)


@click.group("keys", help="The keys that derive tokens (generate) and find them (lookup).")
def group() -> None:
    """Commands on the key rings."""


@group.command("generate", help="Print a new key, to be added to a ring in the settings.")
@click.option(
    "--id", "kid", default="k1", show_default=True, metavar="ID", help="Its id in the ring."
)
@as_json
def generate(kid: str, json_wanted: bool) -> None:
    """A fresh random key; it is printed once and stored nowhere."""
    key = secrets.token_hex(KEY_BYTES)
    try:
        Ring.parse("new", f"{kid}:{key}")
    except Misconfigured:
        raise BadInput("a key's id is a small letter and up to 7 more or digits: k2") from None
    if json_wanted:
        show({"id": kid, "key": key}, json_wanted)
    else:
        click.echo(f"{kid}:{key}")


@group.command("list", help="The keys this process holds, and what needs each.")
@as_json
@pass_parts
def list_keys(lazy: Lazy, json_wanted: bool) -> None:
    """Each key id by purpose; never a key."""
    parts = lazy.parts()
    rows = []
    with parts.database.snapshot() as connection:
        for purpose in PURPOSES:
            live = tokens_store.live_by_kid(connection, purpose)
            writing = keys_store.write_kid(connection, purpose)
            held = parts.rings.ring(purpose).kids
            rows += [
                {
                    "purpose": purpose,
                    "id": kid,
                    "held": kid in held,
                    "writes": kid == writing,
                    "live_tokens": live.get(kid, 0),
                    "needed": kid == writing
                    or kid in live
                    or parts.rings.others_need(connection, purpose, kid),
                }
                for kid in sorted({*held, *live, *([writing] if writing else [])})
            ]
    show_rows(rows, json_wanted)


@group.command("rotate", help="Write new tokens with another key of the ring from now on.")
@purpose_option
@click.option("--to", "kid", required=True, metavar="ID", help="The key id to write with.")
@as_json
@pass_parts
def rotate(lazy: Lazy, purpose: str, kid: str, json_wanted: bool) -> None:
    """Refused until every running process has reported that it holds the key."""
    parts = lazy.parts()
    parts.database.run(lambda c: rotation.rotate(c, parts.rings, purpose, kid, parts.clock.now()))
    show({"purpose": purpose, "writes": kid}, json_wanted)
