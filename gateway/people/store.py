"""Tables and SQL of subscribers."""

from datetime import datetime

from sqlalchemy import Column, Connection, ScalarSelect, String, bindparam, insert, select, update

from gateway.database import prepared
from gateway.database.types import Instant, row_id, table

subscribers = table(
    "subscribers",
    row_id(),
    Column("msisdn", String(16), nullable=False, unique=True),
    Column("language", String(8), nullable=True),  # None: never chosen
    Column("created_at", Instant, nullable=False),
)

LanguageQuery = ScalarSelect[str | None]
_LANGUAGE = select(subscribers.c.language).where(subscribers.c.msisdn == bindparam("msisdn"))
# Binds `msisdn`; another room embeds it in a read of its own to save a round trip.
LANGUAGE: LanguageQuery = _LANGUAGE.scalar_subquery()


def language(connection: Connection, msisdn: str) -> str | None:
    """The language a subscriber chose, None when they never did or are not known."""
    found = prepared.row(connection, _LANGUAGE, {"msisdn": msisdn})
    return found[0] if found else None


def set_language(connection: Connection, msisdn: str, code: str, now: datetime) -> None:
    """Remember a choice; makes the subscriber on first use."""
    changed = connection.execute(
        update(subscribers).where(subscribers.c.msisdn == msisdn).values(language=code)
    )
    if changed.rowcount == 0:
        connection.execute(insert(subscribers).values(msisdn=msisdn, language=code, created_at=now))
