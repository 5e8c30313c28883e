"""Table and SQL of partners."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import CheckConstraint, Column, Connection, String, insert, select, update

from gateway.database.types import Instant, row_id, table

ACTIVE, SUSPENDED = "active", "suspended"

partners = table(
    "partners",
    row_id(),
    Column("code", String(20), nullable=False, unique=True),  # what books and commands call it
    Column("name", String(64), nullable=False),
    Column("status", String(10), nullable=False),
    Column("created_at", Instant, nullable=False),
    CheckConstraint("status IN ('active', 'suspended')", name="status_known"),
)


@dataclass(frozen=True, slots=True)
class Partner:
    """A partner's row."""

    id: int
    code: str
    name: str
    status: str
    created_at: datetime


_ALL = select(*partners.c)


def add(connection: Connection, code: str, name: str, now: datetime) -> None:
    """A new, active partner; `DuplicateKey` when the code is taken."""
    connection.execute(insert(partners).values(code=code, name=name, status=ACTIVE, created_at=now))


def by_code(connection: Connection, code: str) -> Partner | None:
    """The partner with this code."""
    row = connection.execute(_ALL.where(partners.c.code == code)).one_or_none()
    return None if row is None else Partner(*row)


def everyone(connection: Connection) -> list[Partner]:
    """Every partner, in the order of their codes."""
    return [Partner(*row) for row in connection.execute(_ALL.order_by(partners.c.code))]


def set_status(connection: Connection, code: str, before: str, after: str) -> bool:
    """Change a partner's state once; False when it was not in `before`."""
    done = connection.execute(
        update(partners)
        .where(partners.c.code == code, partners.c.status == before)
        .values(status=after)
    )
    return done.rowcount == 1
