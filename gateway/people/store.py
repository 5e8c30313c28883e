"""Tables and SQL of subscribers."""

from datetime import datetime

from sqlalchemy import Column, Connection, String, bindparam, insert, select, update

from gateway.database.types import Instant, row_id, table

subscribers = table(
    "subscribers",
    row_id(),
    Column("msisdn", String(16), nullable=False, unique=True),
    Column("language", String(8), nullable=True),  # None: never chosen
    Column("created_at", Instant, nullable=False),
)

_LANGUAGE = select(subscribers.c.language).where(subscribers.c.msisdn == bindparam("msisdn"))


def language(connection: Connection, msisdn: str) -> str | None:
    """The language a subscriber chose, None when they never did or are not known."""
    chosen: str | None = connection.execute(_LANGUAGE, {"msisdn": msisdn}).scalar()
    return chosen


def set_language(connection: Connection, msisdn: str, code: str, now: datetime) -> None:
    """Remember a choice; makes the subscriber on first use."""
    changed = connection.execute(
        update(subscribers).where(subscribers.c.msisdn == msisdn).values(language=code)
    )
    if changed.rowcount == 0:
        connection.execute(insert(subscribers).values(msisdn=msisdn, language=code, created_at=now))
