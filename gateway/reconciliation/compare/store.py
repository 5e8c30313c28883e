"""SQL of the comparison: the database joins, and rows stream out, so that a million fit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import product
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, exists, func, literal, select

from gateway.database.types import Money
from gateway.deposits.states import State as DepositState
from gateway.deposits.store import deposits
from gateway.ledger.store import SETTLEMENT, accounts, entries, movements
from gateway.reconciliation.runs.store import Finding
from gateway.reconciliation.statements.store import IN, OUT, statement_lines
from gateway.withdrawals.store import State as WithdrawalState
from gateway.withdrawals.store import withdrawals

THEIRS_ONLY, OURS_ONLY = "theirs_only", "ours_only"
AMOUNTS_DIFFER, DUPLICATE = "amounts_differ", "duplicate"
BANK = "bank"
BANKED = ("fund", "settle")  # the movements that a bank's line stands for, by its reference
BY_ID, BY_REFERENCE = "id", "reference"
WAYS = (BY_ID, BY_REFERENCE)
ROWS_AT_ONCE = 1_000
_L = statement_lines.c


@dataclass(frozen=True, slots=True)
class Window:
    """A provider's local day as instants, `since` and `before`."""

    provider: str
    since: datetime
    before: datetime


@dataclass(frozen=True, slots=True)
class Ours:
    """Where we keep one direction of a provider's money, by the names this module uses."""

    direction: str
    provider: ColumnElement[Any]
    txn_id: ColumnElement[Any]
    reference: ColumnElement[Any]
    amount: ColumnElement[Any]
    at: ColumnElement[Any]
    booked: ColumnElement[bool]
    by_id: ColumnElement[bool]
    by_reference: ColumnElement[bool]

    def is_line(self, by: str) -> ColumnElement[bool]:
        """Whether a row of ours is a statement's line, by the carrier's id or by our reference.

        A day has no part in it: what lies at midnight for one side is matched all the same. The
        two ways are two conditions because together neither would find an index.
        """
        same = self.by_id if by == BY_ID else self.by_reference
        return and_(self.booked, self.provider == _L.provider, _L.direction == self.direction, same)


def _of_kind(column: ColumnElement[Any]) -> ColumnElement[bool]:
    return movements.c.operation_key.in_([literal(f"{kind}:") + column for kind in BANKED])


_DEPOSITS = Ours(
    IN,
    deposits.c.provider,
    deposits.c.txn_id,
    deposits.c.reference,
    deposits.c.amount,
    func.coalesce(deposits.c.occurred_at, deposits.c.completed_at),
    deposits.c.state.in_([DepositState.COMPLETED.value, DepositState.REVERSED.value]),
    deposits.c.txn_id == _L.txn_id,
    # Credited because the provider said so when it was asked, without an id of the carrier.
    and_(deposits.c.reference == _L.reference, deposits.c.txn_id.is_(None)),
)
_PAYOUTS = Ours(
    OUT,
    withdrawals.c.paid_through,
    withdrawals.c.provider_txn_id,
    withdrawals.c.reference,
    withdrawals.c.amount,
    withdrawals.c.changed_at,
    withdrawals.c.state == WithdrawalState.PAID.value,
    withdrawals.c.provider_txn_id == _L.txn_id,
    # The provider's word of a payout and its statement may name different ids of it.
    and_(withdrawals.c.reference == _L.reference, withdrawals.c.provider_txn_id != _L.txn_id),
)
_FUNDINGS = Ours(
    IN,
    accounts.c.owner,
    movements.c.subject,
    movements.c.subject,
    -entries.c.amount,
    movements.c.at,
    and_(
        movements.c.kind.in_(BANKED),
        entries.c.movement_id == movements.c.id,
        accounts.c.id == entries.c.account_id,
        accounts.c.kind == SETTLEMENT,
        accounts.c.owner == BANK,
    ),
    _of_kind(_L.txn_id),
    _of_kind(_L.reference),
)
ALL_OURS: Sequence[Ours] = (_DEPOSITS, _PAYOUTS, _FUNDINGS)


def _of(provider: str) -> Sequence[Ours]:
    return (_PAYOUTS, _FUNDINGS) if provider == BANK else (_DEPOSITS, _PAYOUTS)


def _in_window(window: Window) -> ColumnElement[bool]:
    return and_(_L.provider == window.provider, _L.at >= window.since, _L.at < window.before)


def theirs_only(connection: Connection, window: Window) -> Iterator[Finding]:
    """What the provider has on that day and we have not booked, on whatever day."""
    query = select(_L.txn_id, _L.reference, _L.amount).where(
        _in_window(window),
        *(~exists().where(ours.is_line(way)) for ours in _of(window.provider) for way in WAYS),
    )
    for txn_id, reference, amount in _streamed(connection, query):
        yield Finding(THEIRS_ONLY, window.provider, txn_id, reference, theirs=amount)


def ours_only(connection: Connection, window: Window) -> Iterator[Finding]:
    """What we booked in the window and no statement has, of whatever day."""
    for ours in _of(window.provider):
        query = select(ours.txn_id, ours.reference, ours.amount).where(
            ours.booked,
            ours.provider == window.provider,
            ours.at >= window.since,
            ours.at < window.before,
            *(~exists().where(ours.is_line(way)).correlate_except(statement_lines) for way in WAYS),
        )
        for txn_id, reference, amount in _streamed(connection, query):
            yield Finding(OURS_ONLY, window.provider, txn_id or "", reference, ours=amount)


def amounts_differ(connection: Connection, window: Window) -> Iterator[Finding]:
    """What both have, over different amounts."""
    for ours, way in product(_of(window.provider), WAYS):
        query = select(_L.txn_id, ours.reference, ours.amount, _L.amount).where(
            _in_window(window), ours.is_line(way), ours.amount != _L.amount
        )
        for txn_id, reference, mine, theirs in _streamed(connection, query):
            yield Finding(AMOUNTS_DIFFER, window.provider, txn_id, reference, mine, theirs)


def duplicates(connection: Connection, window: Window) -> Iterator[Finding]:
    """Ids that stand twice in one file."""
    times = func.count()
    query = (
        select(_L.txn_id, func.min(_L.amount, type_=Money), times)
        .where(_in_window(window))
        .group_by(_L.statement_id, _L.direction, _L.txn_id)
        .having(times > literal(1))
    )
    for txn_id, amount, count in _streamed(connection, query):
        note = f"stands {count} times in the file"
        yield Finding(DUPLICATE, window.provider, txn_id, theirs=amount, note=note)


def providers_with_money(connection: Connection, since: datetime, before: datetime) -> list[str]:
    """The providers that moved money for us in a window; for each a statement is due."""
    found: set[str] = set()
    for ours in ALL_OURS:
        query = (
            select(ours.provider).distinct().where(ours.booked, ours.at >= since, ours.at < before)
        )
        found |= set(connection.execute(query).scalars())
    return sorted(found)


def _streamed(connection: Connection, query: Select[Any]) -> Iterator[Any]:
    streaming = connection.execution_options(stream_results=True, yield_per=ROWS_AT_ONCE)
    return iter(streaming.execute(query))
