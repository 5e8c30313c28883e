"""Table and SQL of the requests that partners may repeat."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import (
    Column,
    Connection,
    SmallInteger,
    String,
    Text,
    delete,
    insert,
    select,
    update,
)

from gateway.database.types import Digest, Instant, new_id, row_id, table

api_requests = table(
    "api_requests",
    row_id(),
    Column("owner", String(64), nullable=False),
    Column("kid", String(8), nullable=False),  # the lookup key both digests were made with
    # Keyed digests: a key or a body may hold the digits of a token (T3).
    Column("request_key", Digest, nullable=False, unique=True),
    Column("fingerprint", Digest, nullable=False),
    Column("operation", String(40), nullable=False),
    Column("status", SmallInteger, nullable=True),  # null only inside its own transaction
    Column("body", Text, nullable=True),  # JSON, without digits
    Column("reveals", String(12), nullable=True),  # the serial whose digits belong to the answer
    Column("created_at", Instant, nullable=False, index=True),
)


@dataclass(frozen=True, slots=True)
class Request:
    """A request that was executed."""

    id: int
    owner: str
    kid: str
    request_key: bytes
    fingerprint: bytes
    operation: str
    status: int
    body: str
    reveals: str | None
    created_at: datetime


def find(connection: Connection, keys: Sequence[bytes]) -> Request | None:
    """The request with one of these keys."""
    row = connection.execute(
        select(*api_requests.c).where(api_requests.c.request_key.in_(keys))
    ).one_or_none()
    return None if row is None else Request(*row)


def add(connection: Connection, values: dict[str, object]) -> int:
    """A request that is being executed; a racing repeat waits here for this transaction's end."""
    return new_id(connection.execute(insert(api_requests), values))


def answer(
    connection: Connection, request_id: int, status: int, body: str, reveals: str | None
) -> None:
    """What it was answered with."""
    connection.execute(
        update(api_requests)
        .where(api_requests.c.id == request_id)
        .values(status=status, body=body, reveals=reveals)
    )


def drop(connection: Connection, request_id: int) -> None:
    """Forget a request that changed nothing."""
    connection.execute(delete(api_requests).where(api_requests.c.id == request_id))


def has_kid(connection: Connection, kid: str) -> bool:
    """Whether a repeat may come that only this key finds; the oldest rows are read first."""
    query = select(api_requests.c.id).where(api_requests.c.kid == kid).limit(1)
    return connection.execute(query).first() is not None
