"""`gateway disputes`: complaints about tokens, redemptions and withdrawals."""

from typing import Any

import click

from gateway.audit import store as audit
from gateway.cli.operators import acting, operator_option
from gateway.cli.output import as_json, show, show_rows
from gateway.cli.parts import Lazy, pass_parts
from gateway.cli.reasons import reason_option
from gateway.disputes import store
from gateway.disputes.open import DEFAULT_DAYS, Complaint, is_stopped, known
from gateway.disputes.refund import OWNER, SOURCES
from gateway.disputes.states import State
from gateway.disputes.store import Dispute
from gateway.errors import BadInput
from gateway.formats import money, msisdn

REFUND, RELEASE, REJECT = "refund", "release", "reject"


@click.group("disputes", help="Complaints about tokens, redemptions and withdrawals.")
def group() -> None:
    """Commands on disputes."""


@group.command("open", help="Open one about a token's serial or a withdrawal's reference.")
@click.argument("subject")
@click.option("--for", "phone", required=True, help="The phone of whoever complains.")
@click.option("--days", type=int, default=DEFAULT_DAYS, show_default=True, help="To answer in.")
@reason_option
@operator_option
@as_json
@pass_parts
def open_dispute(
    lazy: Lazy, subject: str, phone: str, days: int, reason: str, json_wanted: bool
) -> None:
    """What can be stopped of the subject is stopped."""
    parts, actor = lazy.parts(), acting(lazy)
    on_behalf = msisdn.parse(phone, parts.settings.country)
    complaint = Complaint(subject, on_behalf, actor, reason, days)
    opened = parts.database.run(lambda c: parts.disputes.open(c, complaint, parts.clock.now()))
    show(_facts(opened), json_wanted)


@group.command("resolve", help="Refund (a second operator approves), release or reject.")
@click.argument("reference")
@click.argument("how", type=click.Choice([REFUND, RELEASE, REJECT]))
@click.option("--amount", default=None, help="Of a refund; without, all that is left.")
@click.option(
    "--from",
    "source",
    type=click.Choice(SOURCES),
    default=None,
    help="Who pays a refund of a redemption: whoever redeemed, or the house.",
)
@reason_option
@operator_option
@as_json
@pass_parts
def resolve(lazy: Lazy, /, reference: str, how: str, reason: str, **wanted: Any) -> None:
    """Once, whoever else tries."""
    parts, actor = lazy.parts(), acting(lazy)
    amount, source, json_wanted = wanted["amount"], wanted["source"], wanted["json_wanted"]
    if how == REFUND:
        asked = None if amount is None else money.parse(amount)
        paid_by = source or OWNER
        number = parts.database.run(
            lambda c: parts.resolver.ask(
                c, reference, asked, paid_by, actor, reason, parts.clock.now()
            )
        )
        show({"approval": number}, json_wanted)
        return
    if amount is not None or source is not None:
        raise BadInput("--amount and --from belong to a refund")
    end = parts.resolver.release if how == RELEASE else parts.resolver.reject
    ended = parts.database.run(lambda c: end(c, reference, actor, reason, parts.clock.now()))
    show(_facts(ended), json_wanted)


@group.command("list", help="The soonest due first.")
@click.option(
    "--state",
    type=click.Choice([*(state.value for state in State), "overdue", "all"]),
    default=State.OPEN.value,
    show_default=True,
)
@as_json
@pass_parts
def list_disputes(lazy: Lazy, state: str, json_wanted: bool) -> None:
    """Those in one state, or beyond their deadline."""
    parts = lazy.parts()
    overdue_at = parts.clock.now() if state == "overdue" else None
    wanted = None if state in ("overdue", "all") else state
    with parts.database.snapshot() as connection:
        found = store.listed(connection, wanted, overdue_at)
    show_rows([_facts(dispute) for dispute in found], json_wanted)


@group.command("show", help="One dispute, and all that was done about it.")
@click.argument("reference")
@as_json
@pass_parts
def show_dispute(lazy: Lazy, reference: str, json_wanted: bool) -> None:
    """Its facts and its trail."""
    with lazy.parts().database.snapshot() as connection:
        found = known(connection, reference)
        lines = audit.about(connection, found.reference)
    done = [
        f"{line.at:%Y-%m-%dT%H:%M:%SZ} {line.actor} {line.action}: {line.reason}" for line in lines
    ]
    show(_facts(found) | {"done": done}, json_wanted)


def _facts(dispute: Dispute) -> dict[str, Any]:
    return {
        "reference": dispute.reference,
        "about": dispute.kind,
        "subject": dispute.subject,
        "state": dispute.state,
        "amount": dispute.amount,
        "currency": dispute.currency,
        "refunded": dispute.refunded,
        "on_behalf": dispute.on_behalf,
        "step": dispute.step,
        "stopped": is_stopped(dispute),
        "opened_by": dispute.opened_by,
        "opened_at": dispute.opened_at,
        "deadline": dispute.deadline,
        "resolved_by": dispute.resolved_by,
        "resolved_at": dispute.resolved_at,
    }
