"""`gateway settlements`: what providers have paid out to our bank."""

from decimal import Decimal
from typing import Any

import click
from sqlalchemy import Connection

from gateway.cli.operators import acting, operator_option
from gateway.cli.output import as_json, show
from gateway.cli.parts import Lazy, pass_parts
from gateway.cli.reasons import reason_option
from gateway.formats import money
from gateway.reconciliation.settling import APPROVAL, Advice


@click.group("settlements", help="What providers have paid out to our bank.")
def group() -> None:
    """Commands on settlements."""


@group.command("book", help="Ask for a provider's payment to our bank to be booked.")
@click.option("--provider", required=True, help="Who paid, as deposits are booked.")
@click.option("--gross", required=True, help="What it owed us.")
@click.option("--fee", default="0", show_default=True, help="What it kept of that.")
@click.option("--net", default=None, help="What the bank got; checked where it is given.")
@click.option("--reference", required=True, help="The bank's, of the payment that came in.")
@reason_option
@operator_option
@as_json
@pass_parts
def book(lazy: Lazy, /, reference: str, reason: str, json_wanted: bool, **wanted: Any) -> None:
    """A second operator approves it."""
    parts, actor = lazy.parts(), acting(lazy)
    gross, fee = money.parse(wanted["gross"]), _fee(wanted["fee"])
    net = gross - fee if wanted["net"] is None else money.parse(wanted["net"])
    currency = parts.settings.currency
    advice = Advice(wanted["provider"], gross, fee, net, currency, reference)

    def work(connection: Connection) -> int:
        details, now = parts.settling.request(connection, advice), parts.clock.now()
        return parts.approvals.ask(connection, APPROVAL, reference, details, actor, reason, now)

    show({"approval": parts.database.run(work)}, json_wanted)


def _fee(text: str) -> Decimal:
    """An amount that may be nothing."""
    return Decimal("0.00") if text in ("0", "0.0", "0.00") else money.parse(text)
