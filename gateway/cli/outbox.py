"""`gateway outbox`: what became of messages and tasks, without their texts."""

import click

from gateway.cli.output import as_json, limit_option, show_rows
from gateway.cli.parts import Lazy, pass_parts
from gateway.formats import msisdn
from gateway.outbox.listed import store
from gateway.outbox.store import SMS, State
from gateway.outbox.tasks import LINES


@click.group("outbox", help="Outgoing messages and tasks.")
def group() -> None:
    """Commands on the outbox."""


@group.command("list", help="The latest messages and tasks, newest first.")
@click.option("--to", "phone", default=None, help="The recipient's phone.")
@click.option("--subject", default=None, help="Such as a token's serial, or a reference.")
@click.option("--state", type=click.Choice([state.value for state in State]), default=None)
@click.option("--line", type=click.Choice([SMS, *LINES]), default=None)
@limit_option
@as_json
@pass_parts
def list_outbox(
    lazy: Lazy,
    phone: str | None,
    subject: str | None,
    state: str | None,
    line: str | None,
    rows_max: int,
    json_wanted: bool,
) -> None:
    """Where each stands, and why."""
    parts = lazy.parts()
    number = None if phone is None else msisdn.parse(phone, parts.settings.country)
    wanted = None if state is None else State(state)
    with parts.database.snapshot() as connection:
        found = store.latest(
            connection, rows_max, to=number, subject=subject, state=wanted, line=line
        )
    rows = [
        {
            "id": one.id,
            "created_at": one.created_at,
            "template": one.template,
            "subject": one.subject,
            "to": one.recipient or None,
            "line": one.line,
            "state": one.state,
            "attempts": one.attempts,
            "channel": one.channel,
            "handed_over_at": one.handed_over_at,
            "reason": one.reason,
        }
        for one in found
    ]
    show_rows(rows, json_wanted)
