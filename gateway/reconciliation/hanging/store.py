"""SQL of what hangs: orders without an end, payouts without a word, payments that were parked."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import ColumnElement, Connection, and_, case, func, or_, select

from gateway.database.types import Instant
from gateway.deposits.states import State as DepositState
from gateway.deposits.store import ORDER, deposits
from gateway.outbox.store import State as MessageState
from gateway.outbox.store import outbox
from gateway.outbox.tasks import QUERY
from gateway.withdrawals.store import State as WithdrawalState
from gateway.withdrawals.store import withdrawals

_D, _W = deposits.c, withdrawals.c


@dataclass(frozen=True, slots=True)
class Hanging:
    """One of them; `reference` is ours."""

    id: int
    provider: str
    reference: str
    amount: Decimal
    txn_id: str | None = None
    why: str | None = None


def orders(
    connection: Connection,
    provider: str,
    before: datetime,
    failed_since: datetime,
    above: int,
    rows_max: int,
) -> list[Hanging]:
    """Orders made before then that are pending, or have failed lately, by rising id.

    Of one provider or ("") of all. A failure is no end: the money may have come after it.
    """
    failed_lately = and_(_D.state == DepositState.FAILED.value, _D.changed_at >= failed_since)
    rows = connection.execute(
        select(_D.id, _D.provider, _D.reference, _D.amount)
        .where(
            _D.id > above,
            or_(_D.state == DepositState.PENDING.value, failed_lately),
            _D.origin == ORDER,
            _D.created_at <= before,
            *_of(_D.provider, provider),
        )
        .order_by(_D.id)
        .limit(rows_max)
    )
    return [Hanging(*row) for row in rows]


def payouts(
    connection: Connection, provider: str, before: datetime, above: int, rows_max: int
) -> list[Hanging]:
    """Held withdrawals that a provider may have paid, handed over before then."""
    rows = connection.execute(
        select(_W.id, _W.provider, _W.reference, _W.amount)
        .where(
            _W.id > above,
            _W.state == WithdrawalState.HELD.value,
            _W.handed_over_at <= before,
            *_of(_W.provider, provider),
        )
        .order_by(_W.id)
        .limit(rows_max)
    )
    return [Hanging(*row) for row in rows]


def parked(connection: Connection, provider: str, above: int, rows_max: int) -> list[Hanging]:
    """Payments that contradict what we know and wait for an operator."""
    rows = connection.execute(
        select(_D.id, _D.provider, _D.reference, _D.amount, _D.txn_id, _D.parked)
        .where(_D.id > above, _D.parked.is_not(None), *_of(_D.provider, provider))
        .order_by(_D.id)
        .limit(rows_max)
    )
    return [Hanging(*row) for row in rows]


def _of(column: ColumnElement[str], provider: str) -> tuple[ColumnElement[bool], ...]:
    return (column == provider,) if provider else ()


def next_question(
    connection: Connection, references: Sequence[str], until: datetime
) -> datetime | None:
    """When the first question about one of these is due, or was: a worker may be at it."""
    is_sending = outbox.c.state == MessageState.SENDING.value
    is_due = and_(outbox.c.state == MessageState.QUEUED.value, outbox.c.run_at <= until)
    since = case((is_sending, outbox.c.changed_at), else_=outbox.c.run_at)
    due: datetime | None = connection.execute(
        select(func.min(since, type_=Instant)).where(
            outbox.c.subject.in_(references), outbox.c.line == QUERY, or_(is_sending, is_due)
        )
    ).scalar()
    return due
