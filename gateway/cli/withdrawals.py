"""`gateway withdrawals`: what is on its way out, and what an operator does about it."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import click
from sqlalchemy import Connection

from gateway.cli.operators import acting, operator_option
from gateway.cli.output import as_json, show, show_rows
from gateway.cli.parts import Lazy, pass_parts
from gateway.cli.reasons import reason_option
from gateway.formats import money
from gateway.withdrawals import store
from gateway.withdrawals.events import store as events
from gateway.withdrawals.operate import Deed, known
from gateway.withdrawals.settlements import KINDS, Wanted, new_intent
from gateway.withdrawals.store import Payout, State, Withdrawal

LISTED_MAX = 500
force_option = click.option(
    "--force", is_flag=True, help="Although the provider may have paid it; a second operator too."
)
Act = Callable[[Connection, Deed, datetime], bool]


@click.group("withdrawals", help="Money on its way out.")
def group() -> None:
    """Commands on withdrawals."""


@group.command("list", help="Withdrawals, oldest first: those held, unless told otherwise.")
@click.option(
    "--state", type=click.Choice([state.value for state in State]), help="held, paid or rejected."
)
@click.option("--manual", is_flag=True, help="What needs an operator, in whatever state.")
@as_json
@pass_parts
def list_withdrawals(lazy: Lazy, state: str | None, manual: bool, json_wanted: bool) -> None:
    """At most 500 of them."""
    parts = lazy.parts()
    payout = Payout.MANUAL.value if manual else None
    wanted = state or (None if manual else State.HELD.value)
    with parts.database.snapshot() as connection:
        found = store.listed(connection, wanted, payout, LISTED_MAX)
    show_rows([_facts(one) for one in found], json_wanted)


@group.command("show", help="One withdrawal, and everything that was said about it.")
@click.argument("reference")
@as_json
@pass_parts
def show_withdrawal(lazy: Lazy, reference: str, json_wanted: bool) -> None:
    """State, step of paying, and the words of the provider."""
    parts = lazy.parts()
    with parts.database.snapshot() as connection:
        found = known(connection, _tidy(reference))
        said = events.about(connection, found.reference)
    lines = [
        f"{event.at:%Y-%m-%dT%H:%M:%SZ} {event.source} {event.said} {event.verdict}"
        f" {event.txn_id} {event.reason}".rstrip()
        for event in said
    ]
    show(_facts(found) | {"said": lines}, json_wanted)


@group.command("pay", help="Record that it was paid, by hand or as the provider's portal says.")
@click.argument("reference")
@click.option("--txn-id", required=True, help="The provider's or the bank's id of the payment.")
@click.option("--through", default="", help="Who paid: a provider's name, or bank.")
@reason_option
@force_option
@operator_option
@as_json
@pass_parts
def pay(
    lazy: Lazy, /, reference: str, txn_id: str, through: str, reason: str, force: bool, **rest: bool
) -> None:
    """Held to paid, at once or when a second operator approves."""
    operators, name = lazy.parts().withdrawals, _tidy(reference)

    def work(connection: Connection, deed: Deed, now: datetime) -> bool:
        return operators.pay(connection, name, txn_id.strip(), through, deed, now)

    _act(lazy, name, reason, work, force, **rest)


@group.command("reject", help="Give the money back to its owner.")
@click.argument("reference")
@reason_option
@force_option
@operator_option
@as_json
@pass_parts
def reject(lazy: Lazy, /, reference: str, reason: str, force: bool, **rest: bool) -> None:
    """Held to rejected, at once or when a second operator approves."""
    operators, name = lazy.parts().withdrawals, _tidy(reference)
    _act(lazy, name, reason, lambda c, d, now: operators.reject(c, name, d, now), force, **rest)


@group.command("send", help="Let the worker try again to pay what no provider has got.")
@click.argument("reference")
@reason_option
@operator_option
@as_json
@pass_parts
def send(lazy: Lazy, /, reference: str, reason: str, **rest: bool) -> None:
    """Manual to queued, at once or when a second operator approves."""
    operators, name = lazy.parts().withdrawals, _tidy(reference)
    _act(lazy, name, reason, lambda c, d, now: operators.resend(c, name, d, now), **rest)


@group.command("done", help="Take an ended one off the list of what needs an operator.")
@click.argument("reference")
@reason_option
@operator_option
@as_json
@pass_parts
def done(lazy: Lazy, /, reference: str, reason: str, **rest: bool) -> None:
    """Somebody has seen to it."""
    operators, name = lazy.parts().withdrawals, _tidy(reference)

    def work(connection: Connection, deed: Deed, now: datetime) -> bool:
        operators.acknowledge(connection, name, deed, now)
        return True

    _act(lazy, name, reason, work, **rest)


@group.command("settle", help="Hold a till's or a partner's money, to be paid to its bank.")
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("owner")
@click.option("--amount", required=True, help="Such as 500.00.")
@click.option("--to", "destination", required=True, help="The bank account.")
@reason_option
@operator_option
@as_json
@pass_parts
def settle(
    lazy: Lazy, kind: str, owner: str, amount: str, destination: str, reason: str, json_wanted: bool
) -> None:
    """It is paid after a clean reconciliation of the day, by `withdrawals pay`."""
    parts, actor = lazy.parts(), acting(lazy)
    sum_asked = money.parse(amount)
    wanted = Wanted(kind, owner, sum_asked, destination, new_intent(), actor, reason)
    held = parts.database.run(
        lambda c: parts.settlements.ask(c, wanted, parts.clock.now()), keyed=True
    )
    show(_facts(held), json_wanted)


def _act(
    lazy: Lazy, reference: str, reason: str, act: Act, force: bool = False, *, json_wanted: bool
) -> None:
    parts, deed = lazy.parts(), Deed(acting(lazy), reason, forced=force)

    def work(connection: Connection) -> tuple[bool, Withdrawal]:
        at_once = act(connection, deed, parts.clock.now())
        return at_once, known(connection, reference)

    at_once, found = parts.database.run(work)
    waits = {} if at_once else {"waits_for": "a second operator: gateway approvals list"}
    show(_facts(found) | waits, json_wanted)


def _tidy(reference: str) -> str:
    return reference.strip().upper()


def _facts(found: Withdrawal) -> dict[str, Any]:
    return {
        "reference": found.reference,
        "state": found.state,
        "payout": found.payout,
        "amount": found.amount,
        "fee": found.fee,
        "currency": found.currency,
        "method": found.method,
        "destination": found.destination,
        "provider": found.provider or None,
        "handed_over_at": found.handed_over_at,
        "paid_through": found.paid_through,
        "provider_txn_id": found.provider_txn_id,
        "reason": found.reason,
        "requested_by": found.requested_by,
        "requested_at": found.requested_at,
        "changed_at": found.changed_at,
    }
