"""SQL of a scrape: each statement is short, by an index, and counts no further than a bound."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Connection,
    Select,
    String,
    func,
    literal,
    select,
    union_all,
)
from sqlalchemy.pool import QueuePool

from gateway.database.engine import POOL_SIZE, Database
from gateway.database.types import Instant
from gateway.deposits.callbacks.store import callbacks
from gateway.deposits.states import State as DepositState
from gateway.deposits.store import deposits
from gateway.outbox.store import SMS, outbox
from gateway.outbox.store import State as OutboxState
from gateway.outbox.tasks import LINES
from gateway.reconciliation.runs.store import CLEAN, EVERYTHING, FINDINGS, Run, reconciliation_runs
from gateway.withdrawals.store import State as WithdrawalState
from gateway.withdrawals.store import withdrawals

COUNTED_MAX = 20_000  # a backlog beyond it is told as this many
LIVE = (OutboxState.QUEUED, OutboxState.SENDING, OutboxState.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Pile:
    """How many rows stand together, at most `COUNTED_MAX`, and since when the oldest does."""

    words: tuple[str, ...]
    rows: int
    oldest: datetime | None


def pool_stand(database: Database) -> tuple[int, int]:
    """How many connections are in use, and how many there may be."""
    pool = database.engine.pool
    return (pool.checkedout(), pool.size()) if isinstance(pool, QueuePool) else (0, POOL_SIZE)


def read_only(connection: Connection) -> Connection:
    """The connection for reading alone: on SQLite a scrape then waits for no writer."""
    return connection.execution_options(gateway_reads=True)


def outbox_piles(connection: Connection) -> list[Pile]:
    """The rows of each line and state that are not over, and since when they have been due."""
    o = outbox.c
    parts = []
    for line in (SMS, *LINES):
        due = o.due_at if line == SMS else o.run_at
        for state in LIVE:
            live = select(due.label("at")).where(o.line == line, o.state == state.value)
            within = _some(live.order_by(due))
            parts.append(
                select(
                    literal(line, String),
                    literal(state.value, String),
                    func.count(),
                    func.min(within.c.at, type_=Instant),
                ).select_from(within)
            )
    return _piles(connection, union_all(*parts), 2)


def sms_since(connection: Connection, since: datetime) -> list[Pile]:
    """The latest SMS handed over since then, by channel and state."""
    o = outbox.c
    handed = select(o.channel, o.state).where(o.line == SMS, o.handed_over_at >= since)
    within = _some(handed.order_by(o.handed_over_at.desc()))
    columns = (func.coalesce(within.c.channel, ""), within.c.state)
    query = select(*columns, func.count(), literal(None, Instant)).group_by(*columns)
    return _piles(connection, query, 2)


def deposits_open(connection: Connection) -> list[Pile]:
    """The deposits that nobody knows the outcome of, by provider."""
    d = deposits.c
    pending = select(d.provider.label("word"), d.created_at.label("at"))
    pending = pending.where(d.state == DepositState.PENDING.value).order_by(d.changed_at)
    return _by_word(connection, pending)


def withdrawals_open(connection: Connection) -> list[Pile]:
    """The withdrawals whose money is held, by how far paying has come."""
    w = withdrawals.c
    held = select(w.payout.label("word"), w.requested_at.label("at"))
    return _by_word(connection, held.where(w.state == WithdrawalState.HELD.value))


def callbacks_since(
    connection: Connection, became: Sequence[str], since: datetime
) -> dict[str, int]:
    """How many callbacks became each of these since then."""
    c = callbacks.c
    parts = [
        select(literal(word, String), func.count()).select_from(
            _some(select(c.id).where(c.became == word, c.received_at >= since))
        )
        for word in became
    ]
    return {str(word): int(count) for word, count in connection.execute(union_all(*parts))}


def last_finished(connection: Connection) -> Run | None:
    """The latest run over everything that came to its end."""
    r = reconciliation_runs.c
    ended = (r.provider == EVERYTHING, r.state.in_([CLEAN, FINDINGS]))
    query = select(*r).where(*ended).order_by(r.id.desc()).limit(1)
    row = connection.execute(query).one_or_none()
    return None if row is None else Run(*row)


def _by_word(connection: Connection, rows: Select[Any]) -> list[Pile]:
    within = _some(rows)
    oldest = func.min(within.c.at, type_=Instant)
    return _piles(
        connection, select(within.c.word, func.count(), oldest).group_by(within.c.word), 1
    )


def _some(rows: Select[Any]) -> Any:
    return rows.limit(COUNTED_MAX).subquery()


def _piles(connection: Connection, query: Any, words: int) -> list[Pile]:
    return [
        Pile(tuple(map(str, row[:words])), int(row[words]), row[words + 1])
        for row in connection.execute(query)
    ]
