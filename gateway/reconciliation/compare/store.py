"""SQL of the comparison: the database joins, and rows stream out, so that a million fit.

A day is compared in steps, each a query of seconds: one over a busy provider's whole day would
outlast the time a statement gets. On MariaDB every look-up names its index. All of them begin with
the provider, which is one and the same here: its optimizer, going by stale statistics, may take any
of them, and then reads the whole day for each row of the other side.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import product
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Select,
    Table,
    and_,
    func,
    literal,
    or_,
    select,
)

from gateway.deposits.states import State as DepositState
from gateway.deposits.store import deposits
from gateway.ledger.store import SETTLEMENT, accounts, entries, movements
from gateway.partners.funding import bank_key
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
STEPS = 24  # of a day
MARIADB = ("mysql", "mariadb")  # as a URL may call it
_L = statement_lines.c
_LINES_BY_TIME = "ix_statement_lines_provider_at"
_LINES_BY = {
    BY_ID: "ix_statement_lines_provider_txn_id",
    BY_REFERENCE: "ix_statement_lines_provider_reference",
}


@dataclass(frozen=True, slots=True)
class Window:
    """A provider's local day as instants, `since` and `before`."""

    provider: str
    since: datetime
    before: datetime

    def steps(self) -> Iterator["Window"]:
        """The window in parts of equal length."""
        length = (self.before - self.since) / STEPS
        for number in range(STEPS):
            last = number == STEPS - 1
            end = self.before if last else self.since + length * (number + 1)
            yield Window(self.provider, self.since + length * number, end)


@dataclass(frozen=True, slots=True)
class Ours:
    """Where we keep one direction of a provider's money, by the names this module uses."""

    direction: str
    provider: ColumnElement[Any]
    txn_id: ColumnElement[Any]
    reference: ColumnElement[Any]
    amount: ColumnElement[Any]
    at: Sequence[ColumnElement[Any]]  # the first of them that is known
    booked: ColumnElement[bool]
    by_id: ColumnElement[bool]
    by_reference: ColumnElement[bool]
    table: Table
    indexes: Mapping[str, str]  # of `table`, by the way a line is looked up
    by_time: str = ""  # its index over `at`; without one a day is found by one look at all

    def is_line(self, by: str) -> ColumnElement[bool]:
        """Whether a row of ours is a statement's line, by the carrier's id or by our reference.

        A day has no part in it: what lies at midnight for one side is matched all the same. The
        two ways are two conditions because together neither would find an index.
        """
        same = self.by_id if by == BY_ID else self.by_reference
        return and_(self.booked, self.provider == _L.provider, _L.direction == self.direction, same)

    def has_line(self, by: str) -> ColumnElement[bool]:
        """Whether a statement has a line of this row."""
        found = _by_index(select(literal(1)).select_from(statement_lines), _LINES_BY[by])
        return found.where(self.is_line(by)).correlate_except(statement_lines).exists()

    def is_booked(self, by: str) -> ColumnElement[bool]:
        """Whether a line has a row of ours."""
        found = self.looked_up(select(literal(1)), by).where(self.is_line(by))
        return found.correlate(statement_lines).exists()

    def looked_up(self, query: Select[Any], by: str) -> Select[Any]:
        """The query, with the index named by which a line finds our row."""
        name = self.indexes.get(by)
        if name is None:
            return query
        for dialect in MARIADB:  # the lines first, whatever it thinks of how many there are
            query = query.prefix_with("STRAIGHT_JOIN", dialect=dialect)
        return _by_index(query, name, self.table)

    def within(self, since: datetime, before: datetime) -> ColumnElement[bool]:
        """Whether it happened then; written so that an index over `at` serves."""
        unknown: list[ColumnElement[bool]] = []
        ways = []
        for column in self.at:
            ways.append(and_(*unknown, column >= since, column < before))
            unknown.append(column.is_(None))
        return or_(*ways)


def _by_index(query: Select[Any], name: str, table: FromClause = statement_lines) -> Select[Any]:
    for dialect in MARIADB:
        query = query.with_hint(table, f"FORCE INDEX ({name})", dialect)
    return query


def _banked_as(column: ColumnElement[Any]) -> ColumnElement[bool]:
    return movements.c.operation_key == literal(bank_key("")) + column


_DEPOSITS = Ours(
    IN,
    deposits.c.provider,
    deposits.c.txn_id,
    deposits.c.reference,
    deposits.c.amount,
    (deposits.c.occurred_at, deposits.c.completed_at),
    deposits.c.state.in_([DepositState.COMPLETED.value, DepositState.REVERSED.value]),
    deposits.c.txn_id == _L.txn_id,
    # Credited because the provider said so when it was asked, without an id of the carrier.
    and_(deposits.c.reference == _L.reference, deposits.c.txn_id.is_(None)),
    deposits,
    {BY_ID: "uq_deposits_provider_txn_id", BY_REFERENCE: "uq_deposits_reference"},
    by_time="ix_deposits_occurred_at_completed_at",
)
_PAYOUTS = Ours(
    OUT,
    withdrawals.c.paid_through,
    withdrawals.c.provider_txn_id,
    withdrawals.c.reference,
    withdrawals.c.amount,
    (withdrawals.c.changed_at,),
    withdrawals.c.state == WithdrawalState.PAID.value,
    withdrawals.c.provider_txn_id == _L.txn_id,
    # The provider's word of a payout and its statement may name different ids of it.
    and_(withdrawals.c.reference == _L.reference, withdrawals.c.provider_txn_id != _L.txn_id),
    withdrawals,
    {
        BY_ID: "uq_withdrawals_paid_through_provider_txn_id",
        BY_REFERENCE: "uq_withdrawals_reference",
    },
)
_FUNDINGS = Ours(
    IN,
    accounts.c.owner,
    movements.c.subject,
    movements.c.subject,
    -entries.c.amount,
    (movements.c.at,),
    and_(
        movements.c.kind.in_(BANKED),
        entries.c.movement_id == movements.c.id,
        accounts.c.id == entries.c.account_id,
        accounts.c.kind == SETTLEMENT,
        accounts.c.owner == BANK,
    ),
    _banked_as(_L.txn_id),
    _banked_as(_L.reference),
    movements,
    {},
)
ALL_OURS: Sequence[Ours] = (_DEPOSITS, _PAYOUTS, _FUNDINGS)


def _of(provider: str) -> Sequence[Ours]:
    return (_PAYOUTS, _FUNDINGS) if provider == BANK else (_DEPOSITS, _PAYOUTS)


def _in_window(window: Window) -> ColumnElement[bool]:
    return and_(_L.provider == window.provider, _L.at >= window.since, _L.at < window.before)


def theirs_only(connection: Connection, window: Window) -> Iterator[Finding]:
    """What the provider has on that day and we have not booked, on whatever day."""
    unknown = [~ours.is_booked(way) for ours in _of(window.provider) for way in WAYS]
    for step in window.steps():
        query = _by_index(select(_L.txn_id, _L.reference, _L.amount), _LINES_BY_TIME)
        for txn_id, reference, amount in _streamed(
            connection, query.where(_in_window(step), *unknown)
        ):
            yield Finding(THEIRS_ONLY, window.provider, txn_id, reference, theirs=amount)


def ours_only(connection: Connection, window: Window) -> Iterator[Finding]:
    """What we booked in the window and no statement has, of whatever day."""
    for ours in _of(window.provider):
        booked: Select[Any] = select(ours.txn_id, ours.reference, ours.amount)
        if ours.by_time:
            booked = _by_index(booked, ours.by_time, ours.table)
        for step in window.steps() if ours.by_time else (window,):
            query = booked.where(
                ours.booked,
                ours.provider == window.provider,
                ours.within(step.since, step.before),
                *(~ours.has_line(way) for way in WAYS),
            )
            for txn_id, reference, amount in _streamed(connection, query):
                yield Finding(OURS_ONLY, window.provider, txn_id or "", reference, ours=amount)


def amounts_differ(connection: Connection, window: Window) -> Iterator[Finding]:
    """What both have, over different amounts."""
    for ours, way, step in product(_of(window.provider), WAYS, window.steps()):
        both: Select[Any] = select(_L.txn_id, ours.reference, ours.amount, _L.amount)
        lines_first = _by_index(both.select_from(statement_lines), _LINES_BY_TIME)
        query = ours.looked_up(lines_first, way).where(
            _in_window(step), ours.is_line(way), ours.amount != _L.amount
        )
        for txn_id, reference, mine, theirs in _streamed(connection, query):
            yield Finding(AMOUNTS_DIFFER, window.provider, txn_id, reference, mine, theirs)


def duplicates(connection: Connection, window: Window) -> Iterator[Finding]:
    """Ids that stand more than once in one file, told where the last of them stands."""
    other = statement_lines.alias("other")
    names = ("provider", "txn_id", "statement_id", "direction")
    copies = _by_index(select(func.count()), _LINES_BY[BY_ID], other).where(
        *(other.c[name] == _L[name] for name in names)
    )
    copies = copies.correlate(statement_lines)
    times, line = copies.scalar_subquery(), copies.with_only_columns(other.c.line)
    place = other.c.line + 0  # not the bare column: SQLite would read the file from there on
    for step in window.steps():
        found: Select[Any] = select(_L.txn_id, _L.amount, times)
        query = _by_index(found, _LINES_BY_TIME).where(
            _in_window(step),
            line.where(place < _L.line).exists(),
            ~line.where(place > _L.line).exists(),
        )
        for txn_id, amount, count in _streamed(connection, query):
            note = f"stands {count} times in the file"
            yield Finding(DUPLICATE, window.provider, txn_id, theirs=amount, note=note)


def providers_with_money(connection: Connection, since: datetime, before: datetime) -> list[str]:
    """The providers that moved money for us in a window; for each a statement is due."""
    found: set[str] = set()
    for ours in ALL_OURS:
        query = select(ours.provider).distinct().where(ours.booked, ours.within(since, before))
        found |= set(connection.execute(query).scalars())
    return sorted(found)


def _streamed(connection: Connection, query: Select[Any]) -> Iterator[Any]:
    streaming = connection.execution_options(stream_results=True, yield_per=ROWS_AT_ONCE)
    return iter(streaming.execute(query))
