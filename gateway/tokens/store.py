"""Table and SQL of tokens."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    SmallInteger,
    String,
    bindparam,
    func,
    insert,
    select,
    update,
)

from gateway.database.types import Digest, Instant, Money, money_bounds, new_id, row_id, table
from gateway.formats.money import TEST_CURRENCY


class Status(StrEnum):
    """The states of a token (T7)."""

    ISSUED = "issued"
    SUSPENDED = "suspended"
    REDEEMED = "redeemed"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


class Holder(StrEnum):
    """Who has suspended a token, and so who may let it go on or end it."""

    PARTNER = "partner"
    OPERATOR = "operator"
    DISPUTE = "dispute"
    RESTORE = "restore"  # it may have been spent after the backup


LIVE = (Status.ISSUED, Status.SUSPENDED)
UNBOUND, TO_RECIPIENT, TO_PARTNER = "none", "recipient", "partner"
TO_COUNTER = "counter"  # only a counter pays it

tokens = table(
    "tokens",
    row_id(),
    Column("serial", String(12), nullable=False, unique=True),
    Column("txn_id", String(40), nullable=False, unique=True),
    Column("issuer", String(64), nullable=False),  # "house", a partner, a wallet's MSISDN
    Column("issue_ref", String(64), nullable=False),
    Column("counter", SmallInteger, nullable=False),
    Column("digits", SmallInteger, nullable=False),
    Column("generate_kid", String(8), nullable=False),
    Column("lookup_kid", String(8), nullable=False),
    Column("lookup", Digest, nullable=False, unique=True),
    Column("amount", Money, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("status", String(12), nullable=False),
    Column("binding", String(12), nullable=False),
    Column("recipient", String(16), nullable=True),
    Column("language", String(8), nullable=True),
    Column("sender_name", String(40), nullable=True),
    Column("funder_id", ForeignKey("accounts.id"), nullable=False),
    Column("issued_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("changed_at", Instant, nullable=False),
    Column("redeemed_at", Instant, nullable=True),
    Column("redeemed_by", String(64), nullable=True),
    Column("redeemed_channel", String(20), nullable=True),
    Column("reprints", Integer, nullable=False),
    Column("held_by", String(8), nullable=True),  # a suspended one without it: operators
    CheckConstraint("amount > 0", name="amount_positive"),
    CheckConstraint(
        "status IN ('issued', 'suspended', 'redeemed', 'expired', 'cancelled')",
        name="status_known",
    ),
    CheckConstraint("(status = 'redeemed') = (redeemed_at IS NOT NULL)", name="redeemed_says_when"),
    money_bounds("amount"),
    Index("uq_tokens_issuer_issue_ref", "issuer", "issue_ref", unique=True),
    Index("ix_tokens_issuer_id", "issuer", "id"),
    Index("ix_tokens_recipient_expires_at", "recipient", "expires_at"),
    Index("ix_tokens_status_expires_at", "status", "expires_at"),
    Index("ix_tokens_digits_status_binding_currency", "digits", "status", "binding", "currency"),
)


@dataclass(frozen=True, slots=True)
class Token:
    """A token's row; it never holds the digits."""

    id: int
    serial: str
    txn_id: str
    issuer: str
    issue_ref: str
    counter: int
    digits: int
    generate_kid: str
    lookup_kid: str
    lookup: bytes
    amount: Decimal
    currency: str
    status: str
    binding: str
    recipient: str | None
    language: str | None
    sender_name: str | None
    funder_id: int
    issued_at: datetime
    expires_at: datetime
    changed_at: datetime
    redeemed_at: datetime | None
    redeemed_by: str | None
    redeemed_channel: str | None
    reprints: int
    held_by: str | None = None


_ALL = select(*tokens.c)
_BY_SERIAL = _ALL.where(tokens.c.serial == bindparam("serial"))
_BY_ID = _ALL.where(tokens.c.id == bindparam("id"))
_LOCKED = _BY_ID.with_for_update()  # on SQLite every unit of work is alone anyway
_TAKEN = select(tokens.c.id).where(tokens.c.lookup.in_(bindparam("lookups", expanding=True)))


def by_serial(connection: Connection, serial: str) -> Token | None:
    """The token people call by this serial."""
    row = connection.execute(_BY_SERIAL, {"serial": serial}).one_or_none()
    return None if row is None else Token(*row)


def by_id(connection: Connection, token_id: int) -> Token:
    """The token with this id, read afresh."""
    return Token(*connection.execute(_BY_ID, {"id": token_id}).one())


def locked(connection: Connection, token_id: int) -> Token:
    """The token as it is now, kept so until this transaction ends."""
    return Token(*connection.execute(_LOCKED, {"id": token_id}).one())


def by_issue_ref(connection: Connection, issuer: str, issue_ref: str) -> Token | None:
    """The token an issuer asked for under this reference."""
    row = connection.execute(
        _ALL.where(tokens.c.issuer == issuer, tokens.c.issue_ref == issue_ref)
    ).one_or_none()
    return None if row is None else Token(*row)


def is_taken(connection: Connection, lookups: Sequence[bytes]) -> bool:
    """Whether the digits with these digests were ever issued, under any lookup key."""
    return connection.execute(_TAKEN, {"lookups": lookups}).first() is not None


def add(connection: Connection, values: dict[str, Any]) -> int:
    """A new token's row; its id. `DuplicateKey` follows when a racing issue took the lookup."""
    made = connection.execute(insert(tokens), values)
    return new_id(made)


def change_status(
    connection: Connection,
    token_id: int,
    before: Sequence[Status],
    after: Status,
    now: datetime,
    *,
    expired_by_clock: bool | None = None,
    holder: Holder | None = None,
) -> bool:
    """One change of state with the before-state, and the clock if asked, in the WHERE.

    `holder`: of a token that is suspended; it is forgotten with any other change.
    """
    statement = update(tokens).where(
        tokens.c.id == token_id, tokens.c.status.in_([status.value for status in before])
    )
    if expired_by_clock is not None:
        past = tokens.c.expires_at <= now
        statement = statement.where(past if expired_by_clock else ~past)
    values = {"status": after.value, "changed_at": now, "held_by": holder and holder.value}
    done = connection.execute(statement.values(values))
    return done.rowcount == 1


def hold(connection: Connection, token_id: int, holder: Holder) -> None:
    """A suspended token is this one's to let go; from now on."""
    connection.execute(
        update(tokens)
        .where(tokens.c.id == token_id, tokens.c.status == Status.SUSPENDED.value)
        .values(held_by=holder.value)
    )


def overdue(
    connection: Connection, now: datetime, rows_max: int, passed_over: Collection[int] = ()
) -> list[int]:
    """The ids of issued tokens whose time is over, oldest first, without those passed over."""
    return list(
        connection.execute(
            select(tokens.c.id)
            .where(
                tokens.c.status == Status.ISSUED.value,
                tokens.c.expires_at <= now,
                tokens.c.id.not_in(passed_over),
            )
            .order_by(tokens.c.expires_at)
            .limit(rows_max)
        ).scalars()
    )


def count_reprint(connection: Connection, token_id: int) -> None:
    """One more reprint of the token."""
    connection.execute(
        update(tokens).where(tokens.c.id == token_id).values(reprints=tokens.c.reprints + 1)
    )


def held_by(connection: Connection, msisdn: str, now: datetime, rows_max: int) -> list[Token]:
    """The redeemable tokens whose recipient is this phone, soonest to expire first."""
    rows = connection.execute(
        _ALL.where(
            tokens.c.recipient == msisdn,
            tokens.c.status == Status.ISSUED.value,
            tokens.c.expires_at > now,
        )
        .order_by(tokens.c.expires_at, tokens.c.id)
        .limit(rows_max)
    )
    return [Token(*row) for row in rows]


def latest(
    connection: Connection,
    now: datetime,
    rows_max: int,
    *,
    to: str | None = None,
    sender: str | None = None,
    state: Status | None = None,
) -> list[Token]:
    """The latest tokens sent to a phone or by one, newest first; what is past counts as expired."""
    c = tokens.c
    wanted = [column == who for column, who in ((c.recipient, to), (c.issuer, sender)) if who]
    past = (c.status == Status.ISSUED.value) & (c.expires_at <= now)
    if state is Status.EXPIRED:
        wanted.append((c.status == state.value) | past)
    elif state is not None:
        wanted.append((c.status == state.value) & ~past)
    rows = connection.execute(_ALL.where(*wanted).order_by(c.id.desc()).limit(rows_max))
    return [Token(*row) for row in rows]


def live_unbound(connection: Connection, digits: int) -> int:
    """How many live tokens of this length anyone could redeem; test money is nobody's."""
    counted = connection.execute(
        select(func.count()).where(
            tokens.c.digits == digits,
            tokens.c.status.in_([status.value for status in LIVE]),
            tokens.c.binding == UNBOUND,
            tokens.c.currency != TEST_CURRENCY,
        )
    ).scalar_one()
    return int(counted)


def live_by_kid(connection: Connection, purpose: str) -> dict[str, int]:
    """How many live tokens each key id of a purpose has."""
    kid = tokens.c.generate_kid if purpose == "generate" else tokens.c.lookup_kid
    rows = connection.execute(
        select(kid, func.count())
        .where(tokens.c.status.in_([status.value for status in LIVE]))
        .group_by(kid)
    )
    return {row[0]: int(row[1]) for row in rows}
