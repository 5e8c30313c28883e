"""`gateway approvals`: what waits for a second operator."""

from typing import Any

import click

from gateway.audit.decisions.store import Approval
from gateway.cli.operators import acting, operator_option
from gateway.cli.output import as_json, show, show_rows
from gateway.cli.parts import Lazy, pass_parts
from gateway.cli.reasons import reason_option


@click.group("approvals", help="What waits for a second operator.")
def group() -> None:
    """Commands on approvals."""


@group.command("list", help="What waits, newest first.")
@click.option("--all", "also_decided", is_flag=True, help="Also what was decided or has expired.")
@as_json
@pass_parts
def list_approvals(lazy: Lazy, also_decided: bool, json_wanted: bool) -> None:
    """Requests with all that an operator needs to decide."""
    parts = lazy.parts()
    with parts.database.snapshot() as connection:
        now = parts.clock.now()
        found = parts.approvals.listed(connection, now, also_decided=also_decided)
    show_rows([_facts(approval, json_wanted) for approval in found], json_wanted)


@group.command("approve", help="Approve a request of somebody else, and do it.")
@click.argument("number", metavar="ID", type=click.IntRange(1))
@operator_option
@as_json
@pass_parts
def approve(lazy: Lazy, number: int, json_wanted: bool) -> None:
    """Waiting to approved, and what was asked for, in one transaction."""
    parts, actor = lazy.parts(), acting(lazy)
    done = parts.database.run(
        lambda c: parts.approvals.approve(c, number, actor, parts.clock.now())
    )
    show(_facts(done, json_wanted), json_wanted)


@group.command("refuse", help="Refuse a request for good, or take back one's own.")
@click.argument("number", metavar="ID", type=click.IntRange(1))
@reason_option
@operator_option
@as_json
@pass_parts
def refuse(lazy: Lazy, number: int, reason: str, json_wanted: bool) -> None:
    """Waiting to refused."""
    parts, actor = lazy.parts(), acting(lazy)
    done = parts.database.run(
        lambda c: parts.approvals.refuse(c, number, actor, reason, parts.clock.now())
    )
    show(_facts(done, json_wanted), json_wanted)


def _facts(approval: Approval, json_wanted: bool) -> dict[str, Any]:
    pairs = [f"{name}={value}" for name, value in approval.details.items()]
    return {
        "id": approval.id,
        "kind": approval.kind,
        "subject": approval.subject,
        "details": dict(approval.details) if json_wanted else pairs,
        "state": approval.state,
        "asked_by": approval.asked_by,
        "asked_at": approval.asked_at,
        "reason": approval.reason,
        "decided_by": approval.decided_by,
        "decided_at": approval.decided_at,
        "outcome": approval.outcome,
    }
