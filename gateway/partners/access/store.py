"""Table and SQL of partners' keys."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import (
    Column,
    Connection,
    Date,
    ForeignKey,
    String,
    bindparam,
    insert,
    or_,
    select,
    update,
)

from gateway.database.types import Digest, Instant, row_id, table
from gateway.partners.store import Partner, partners

partner_keys = table(
    "partner_keys",
    row_id(),
    Column("key_id", String(24), nullable=False, unique=True),  # public: what logs and people name
    Column("partner_id", ForeignKey("partners.id"), nullable=False, index=True),
    Column("secret", Digest, nullable=False),  # SHA-256; the secret has 256 random bits
    Column("mode", String(4), nullable=False),  # live or test
    Column("scopes", String(200), nullable=False),  # separated by blanks
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=True),
    Column("revoked_at", Instant, nullable=True),
    Column("used_on", Date, nullable=True),  # the last day (UTC) it was used on
)


@dataclass(frozen=True, slots=True)
class Key:
    """A key's row; `secret` is its digest."""

    id: int
    key_id: str
    partner_id: int
    secret: bytes
    mode: str
    scopes: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    used_on: date | None

    def is_good(self, now: datetime) -> bool:
        """Whether it may be used now."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


_c = partner_keys.c
_BY_KEY_ID = (
    select(*_c, *partners.c)
    .join(partners, partners.c.id == _c.partner_id)
    .where(_c.key_id == bindparam("key_id"))
)
_WIDTH = len(_c)


def add(connection: Connection, values: dict[str, object]) -> None:
    """A new key."""
    connection.execute(insert(partner_keys).values(**values))


def by_key_id(connection: Connection, key_id: str) -> tuple[Key, Partner] | None:
    """A key and whose it is."""
    row = connection.execute(_BY_KEY_ID, {"key_id": key_id}).one_or_none()
    return None if row is None else (Key(*row[:_WIDTH]), Partner(*row[_WIDTH:]))


def of_partner(connection: Connection, partner_id: int) -> Sequence[Key]:
    """Every key of a partner, the oldest first."""
    rows = connection.execute(select(*_c).where(_c.partner_id == partner_id).order_by(_c.id))
    return [Key(*row) for row in rows]


def revoke(connection: Connection, key_id: str, now: datetime) -> bool:
    """End a key for ever; False when it was revoked before."""
    done = connection.execute(
        update(partner_keys)
        .where(_c.key_id == key_id, _c.revoked_at.is_(None))
        .values(revoked_at=now)
    )
    return done.rowcount == 1


def end_by(connection: Connection, key_id: str, at: datetime) -> None:
    """Let a key end at an instant, if it does not end sooner."""
    connection.execute(
        update(partner_keys)
        .where(_c.key_id == key_id, or_(_c.expires_at.is_(None), _c.expires_at > at))
        .values(expires_at=at)
    )


def used(connection: Connection, key: Key, day: date) -> None:
    """Note the day it was used on."""
    connection.execute(update(partner_keys).where(_c.id == key.id).values(used_on=day))
