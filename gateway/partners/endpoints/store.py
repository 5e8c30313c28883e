"""Tables and SQL of partners' endpoints and of the secrets that sign what is sent to them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Connection,
    ForeignKey,
    Integer,
    LargeBinary,
    String,
    delete,
    insert,
    or_,
    select,
    update,
)

from gateway.database.types import Instant, new_id, row_id, table
from gateway.partners.events.store import partner_feeds

ON, OFF = "on", "off"
REASON_MAX = 200

partner_endpoints = table(
    "partner_endpoints",
    row_id(),
    Column("owner", String(64), nullable=False, unique=True),  # a partner's code, or <code>:test
    Column("url", String(500), nullable=False),
    Column("state", String(4), nullable=False),
    Column("reason", String(200), nullable=True),  # why it is off
    Column("queued_seq", BigInteger, nullable=False),  # its events up to here were queued
    Column("failures", Integer, nullable=False),  # calls without an answer, in a row
    Column("rests_until", Instant, nullable=True),  # it is left alone until then
    Column("created_at", Instant, nullable=False),
    Column("changed_at", Instant, nullable=False),
    CheckConstraint("state IN ('on', 'off')", name="state_known"),
)

partner_secrets = table(
    "partner_secrets",
    row_id(),
    Column("endpoint_id", ForeignKey("partner_endpoints.id"), nullable=False, index=True),
    Column("kid", String(8), nullable=False),  # the lookup key that its seal is derived from
    Column("sealed", LargeBinary, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("ends_at", Instant, nullable=True),  # null: the newest
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint's row."""

    id: int
    owner: str
    url: str
    state: str
    reason: str | None
    queued_seq: int
    failures: int
    rests_until: datetime | None
    created_at: datetime
    changed_at: datetime

    @property
    def is_on(self) -> bool:
        """Whether anything is sent to it."""
        return self.state == ON


@dataclass(frozen=True, slots=True)
class Sealed:
    """A secret's row; nobody reads it without the key that sealed it."""

    id: int
    endpoint_id: int
    kid: str
    sealed: bytes = field(repr=False)
    created_at: datetime
    ends_at: datetime | None


_p, _s = partner_endpoints.c, partner_secrets.c


def of_owner(connection: Connection, owner: str, *, locked: bool = False) -> Endpoint | None:
    """A partner's endpoint; `locked`: nobody else changes it until this transaction ends."""
    query = select(*_p).where(_p.owner == owner)
    row = connection.execute(query.with_for_update() if locked else query).one_or_none()
    return None if row is None else Endpoint(*row)


def add(connection: Connection, owner: str, url: str, queued_seq: int, now: datetime) -> int:
    """A new endpoint, on; its row."""
    values = {"owner": owner, "url": url, "state": ON, "queued_seq": queued_seq, "failures": 0}
    values |= {"created_at": now, "changed_at": now}
    return new_id(connection.execute(insert(partner_endpoints), values))


def change(connection: Connection, endpoint_id: int, now: datetime, **values: object) -> None:
    """Change it."""
    connection.execute(
        update(partner_endpoints).where(_p.id == endpoint_id).values(changed_at=now, **values)
    )


def behind(connection: Connection) -> list[str]:
    """Whose endpoints are on and have numbered events that were not queued yet."""
    query = (
        select(_p.owner)
        .join(partner_feeds, partner_feeds.c.owner == _p.owner)
        .where(_p.state == ON, _p.queued_seq < partner_feeds.c.last_seq)
    )
    return [str(row[0]) for row in connection.execute(query)]


def add_secret(
    connection: Connection, endpoint_id: int, kid: str, sealed: bytes, now: datetime
) -> None:
    """A new secret, the newest from now on."""
    values = {"endpoint_id": endpoint_id, "kid": kid, "sealed": sealed, "created_at": now}
    connection.execute(insert(partner_secrets), values)


def end_secrets(connection: Connection, endpoint_id: int, ends_at: datetime, now: datetime) -> None:
    """Let every secret there is end then, if it does not end sooner; forget those that have."""
    of_it = _s.endpoint_id == endpoint_id
    connection.execute(delete(partner_secrets).where(of_it, _s.ends_at <= now))
    connection.execute(
        update(partner_secrets)
        .where(of_it, or_(_s.ends_at.is_(None), _s.ends_at > ends_at))
        .values(ends_at=ends_at)
    )


def secrets_of(connection: Connection, endpoint_id: int, now: datetime) -> Sequence[Sealed]:
    """The secrets that are good now, the newest first."""
    rows = connection.execute(
        select(*_s)
        .where(_s.endpoint_id == endpoint_id, or_(_s.ends_at.is_(None), _s.ends_at > now))
        .order_by(_s.id.desc())
    )
    return [Sealed(*row) for row in rows]


def sealed_otherwise(connection: Connection, kid: str) -> list[tuple[Sealed, str]]:
    """The secrets that another key has sealed, each with whose it is."""
    rows = connection.execute(
        select(*_s, _p.owner).join(partner_endpoints, _p.id == _s.endpoint_id).where(_s.kid != kid)
    )
    return [(Sealed(*row[:-1]), str(row[-1])) for row in rows]


def has_kid(connection: Connection, kid: str, now: datetime) -> bool:
    """Whether a secret that is good now, or will be, is sealed with this key."""
    is_good = or_(_s.ends_at.is_(None), _s.ends_at > now)
    query = select(_s.id).where(_s.kid == kid, is_good).limit(1)
    return connection.execute(query).first() is not None


def reseal(connection: Connection, secret: Sealed, kid: str, sealed: bytes) -> bool:
    """Keep a secret under another key; False when somebody else has done so."""
    done = connection.execute(
        update(partner_secrets)
        .where(_s.id == secret.id, _s.kid == secret.kid)
        .values(kid=kid, sealed=sealed)
    )
    return done.rowcount == 1
