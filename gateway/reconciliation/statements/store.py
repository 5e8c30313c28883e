"""Tables and SQL of imported statements."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from decimal import Decimal

from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    Date,
    ForeignKey,
    Index,
    Integer,
    String,
    UniqueConstraint,
    delete,
    insert,
    select,
    update,
)

from gateway.database.types import Instant, Money, new_id, row_id, table

IN, OUT = "in", "out"  # as we see it: money that came to us, money that left
IMPORTING, IMPORTED = "importing", "imported"

statements = table(
    "statements",
    row_id(),
    Column("provider", String(16), nullable=False),
    Column("digest", String(64), nullable=False),  # of the file: the same one is imported once
    Column("state", String(10), nullable=False),
    Column("first_day", Date, nullable=False),
    Column("last_day", Date, nullable=False),
    Column("line_count", Integer, nullable=False),
    Column("closing", Money, nullable=True),  # the balance it ends with, where it says one
    Column("currency", String(3), nullable=False),
    Column("imported_by", String(64), nullable=False),
    Column("imported_at", Instant, nullable=False),
    CheckConstraint("state IN ('importing', 'imported')", name="state_known"),
    UniqueConstraint("provider", "digest"),
)

statement_lines = table(
    "statement_lines",
    Column("statement_id", ForeignKey(statements.c.id), primary_key=True),
    Column("line", Integer, primary_key=True, autoincrement=False),
    Column("provider", String(16), nullable=False),
    Column("direction", String(3), nullable=False),
    Column("txn_id", String(64), nullable=False),
    Column("reference", String(64), nullable=False),  # ours, where it says one; else ""
    Column("amount", Money, nullable=False),  # gross
    Column("fee", Money, nullable=False),  # what the provider kept of it, or took besides
    Column("currency", String(3), nullable=False),
    Column("at", Instant, nullable=False),
    CheckConstraint("direction IN ('in', 'out')", name="direction"),
    Index("ix_statement_lines_provider_txn_id", "provider", "txn_id"),
    Index("ix_statement_lines_provider_reference", "provider", "reference"),
    Index("ix_statement_lines_provider_at", "provider", "at"),
)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a statement."""

    line: int
    direction: str
    txn_id: str
    reference: str
    amount: Decimal
    fee: Decimal
    currency: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Statement:
    """An imported statement, or one whose import broke off."""

    id: int
    provider: str
    digest: str
    state: str
    first_day: date
    last_day: date
    line_count: int
    closing: Decimal | None
    currency: str
    imported_by: str
    imported_at: datetime


_ALL = select(*statements.c)


def by_digest(connection: Connection, provider: str, digest: str) -> Statement | None:
    """The statement that was read from the same file before."""
    row = connection.execute(
        _ALL.where(statements.c.provider == provider, statements.c.digest == digest)
    ).one_or_none()
    return None if row is None else Statement(*row)


def add(connection: Connection, values: dict[str, object]) -> int:
    """A new statement's row; its id."""
    return new_id(connection.execute(insert(statements), values))


def add_lines(
    connection: Connection, statement_id: int, provider: str, lines: Sequence[Line]
) -> None:
    """Some lines of a statement."""
    whose = {"statement_id": statement_id, "provider": provider}
    connection.execute(insert(statement_lines), [whose | asdict(line) for line in lines])


def forget_lines(connection: Connection, statement_id: int, rows_max: int) -> int:
    """Drop some lines of an import that broke off; how many."""
    c = statement_lines.c
    found = connection.execute(
        select(c.line).where(c.statement_id == statement_id).order_by(c.line).limit(rows_max)
    ).scalars()
    numbers = list(found)
    if numbers:
        connection.execute(
            delete(statement_lines).where(
                c.statement_id == statement_id, c.line.between(numbers[0], numbers[-1])
            )
        )
    return len(numbers)


def open_again(connection: Connection, statement_id: int) -> bool:
    """Let a whole statement count no more, before its lines go; False when there is none."""
    done = connection.execute(
        update(statements)
        .where(statements.c.id == statement_id, statements.c.state == IMPORTED)
        .values(state=IMPORTING)
    )
    return done.rowcount == 1


def remove(connection: Connection, statement_id: int) -> None:
    """Forget a statement whose lines are gone."""
    connection.execute(delete(statements).where(statements.c.id == statement_id))


def latest(connection: Connection, rows_max: int) -> list[Statement]:
    """The latest statements, newest first."""
    rows = connection.execute(_ALL.order_by(statements.c.id.desc()).limit(rows_max))
    return [Statement(*row) for row in rows]


def by_id(connection: Connection, statement_id: int) -> Statement | None:
    """The statement with this id."""
    row = connection.execute(_ALL.where(statements.c.id == statement_id)).one_or_none()
    return None if row is None else Statement(*row)


def finish(connection: Connection, statement_id: int) -> bool:
    """Every line is in."""
    done = connection.execute(
        update(statements)
        .where(statements.c.id == statement_id, statements.c.state == IMPORTING)
        .values(state=IMPORTED)
    )
    return done.rowcount == 1


def covering(connection: Connection, provider: str, day: date) -> Statement | None:
    """The latest whole statement of a provider that covers a day."""
    row = connection.execute(
        _ALL.where(
            statements.c.provider == provider,
            statements.c.state == IMPORTED,
            statements.c.first_day <= day,
            statements.c.last_day >= day,
        )
        .order_by(statements.c.id.desc())
        .limit(1)
    ).one_or_none()
    return None if row is None else Statement(*row)


def importers(
    connection: Connection,
    provider: str,
    txn_id: str,
    amount: Decimal,
    currency: str,
    references: Sequence[str],
) -> list[str]:
    """Who imported the whole statements in which this very money came to us."""
    c = statement_lines.c
    found = connection.execute(
        select(statements.c.imported_by)
        .distinct()
        .join(statement_lines, c.statement_id == statements.c.id)
        .where(
            statements.c.state == IMPORTED,
            c.provider == provider,
            c.txn_id == txn_id,
            c.direction == IN,
            c.amount == amount,
            c.currency == currency,
            c.reference.in_(references),
        )
    )
    return sorted(found.scalars())


def money_in(connection: Connection, provider: str, txn_id: str) -> list[Line]:
    """What whole statements of a provider have under an id as money that came, oldest first."""
    c = statement_lines.c
    rows = connection.execute(
        select(c.line, c.direction, c.txn_id, c.reference, c.amount, c.fee, c.currency, c.at)
        .join(statements, c.statement_id == statements.c.id)
        .where(
            statements.c.state == IMPORTED,
            c.provider == provider,
            c.txn_id == txn_id,
            c.direction == IN,
        )
        .order_by(c.statement_id, c.line)
    )
    return [Line(*row) for row in rows]


def providers_of(connection: Connection, day: date) -> list[str]:
    """The providers of whom a whole statement covers a day."""
    found = connection.execute(
        select(statements.c.provider)
        .distinct()
        .where(
            statements.c.state == IMPORTED,
            statements.c.first_day <= day,
            statements.c.last_day >= day,
        )
    )
    return sorted(found.scalars())
