"""Queueing what orders need of their provider: the prompt, and the question what became of it."""

from datetime import datetime, timedelta

from sqlalchemy import Connection

from gateway.deposits.store import Deposit
from gateway.outbox import queue
from gateway.outbox import store as outbox_store
from gateway.outbox.store import State
from gateway.outbox.tasks import PROVIDER, PUSH, QUERY

PUSH_TEMPLATE, ASK_TEMPLATE = "deposit.push", "deposit.ask"
FIRST_ASK = timedelta(minutes=3)  # what Airtel and Selcom ask for; nobody pays much faster
SOON = timedelta(seconds=30)
AWAITED = (State.QUEUED.value, State.SENDING.value)


def push(connection: Connection, order: Deposit, now: datetime) -> None:
    """Let a worker prompt the payer's phone, once."""
    cause = f"deposit.push:{order.reference}"
    details = {PROVIDER: order.provider}
    queue.add(
        connection,
        cause,
        PUSH_TEMPLATE,
        order.reference,
        order.msisdn,
        "",
        now,
        details,
        line=PUSH,
    )


def later(connection: Connection, order: Deposit, now: datetime) -> None:
    """Ask what became of an order once there may be an answer."""
    _ask(connection, order, now + FIRST_ASK, now)


def now(connection: Connection, order: Deposit, at: datetime) -> None:
    """Ask what became of an order at once; the caller holds its lock."""
    _ask(connection, order, at, at)


def _ask(connection: Connection, order: Deposit, due_at: datetime, now: datetime) -> None:
    asked = [
        message
        for message in outbox_store.about(connection, order.reference)
        if message.template == ASK_TEMPLATE
    ]
    if any(m.state in AWAITED and m.due_at <= due_at + SOON for m in asked):
        return
    queue.add(
        connection,
        f"deposit.ask:{order.reference}:{len(asked)}",
        ASK_TEMPLATE,
        order.reference,
        "",
        "",
        now,
        {PROVIDER: order.provider},
        line=QUERY,
        due_at=due_at,
    )
