"""Table and SQL of the callbacks: raw bytes, where they came from, and what became of them."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Index,
    LargeBinary,
    String,
    Text,
    bindparam,
    delete,
    false,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import mysql

from gateway.database import prepared
from gateway.database.types import Instant, RowId, row_id, table
from gateway.deposits.callbacks import masking
from gateway.deposits.states import State
from gateway.deposits.store import deposits
from gateway.ledger.store import SUSPENSE, accounts
from gateway.providers.base.messages import Notice

REASON_MAX = 200
TRIED_FOR = timedelta(days=7)  # how long the sweep tries to settle what was kept
# A BLOB of MariaDB holds 64 KB, a callback at the edge's limit is larger.
Bytes = LargeBinary().with_variant(mysql.MEDIUMBLOB(), "mysql", "mariadb")
Headers = Text().with_variant(mysql.MEDIUMTEXT(), "mysql", "mariadb")
# Credentials that are secrets themselves; a signature is none.
SECRET_HEADERS = ("authorization", "proxy-authorization", "cookie")


class Became(StrEnum):
    """What became of a callback."""

    CREDITED = "credited"
    SUSPENSE = "suspense"  # booked, with no wallet to go to
    DUPLICATE = "duplicate"
    CONFLICT = "conflict"  # contradicts what is booked or ordered: an operator has to look
    ASKED = "asked"  # a hint: the provider is asked
    FAILED = "failed"
    IGNORED_LATE = "ignored_late"  # a failure of what was paid
    NOTED = "noted"  # says nothing that is not known
    UNMATCHED = "unmatched"  # about nothing we know yet; matched again when an order learns its id
    MALFORMED = "malformed"
    KEPT = "kept"  # stored, could not be settled at that moment: the chore does
    GIVEN_UP = "given_up"  # the chore could not for days: an operator has to look
    HANDED_ON = "handed_on"  # about a payout


# What may still have to be looked at, however old it is: money or an order may hang on it.
NEEDED = (Became.CONFLICT, Became.UNMATCHED, Became.KEPT, Became.GIVEN_UP)

callbacks = table(
    "callbacks",
    row_id(),
    Column("dialect", String(40), nullable=False),  # its path behind /webhooks/
    Column("part", String(40), nullable=False),
    Column("provider", String(16), nullable=False),
    Column("address", String(45), nullable=False),
    Column("headers", Headers, nullable=False),  # JSON; secrets among them are left out
    Column("body", Bytes, nullable=False),
    Column("received_at", Instant, nullable=False),
    Column("became", String(16), nullable=False),
    Column("reason", String(200), nullable=True),
    Column("deposit_id", RowId, nullable=True),
    Column("txn_id", String(64), nullable=True),
    Column("provider_ref", String(64), nullable=True),
    Column("reference", String(64), nullable=True),
    Index("ix_callbacks_became_received_at", "became", "received_at"),
    Index("ix_callbacks_deposit_id", "deposit_id"),
)


@dataclass(frozen=True, slots=True)
class Arrival:
    """A request whose sender was proven, and the dialect it came in."""

    dialect: str
    provider: str
    part: str
    address: str
    headers: Sequence[tuple[str, str]] = field(repr=False)
    body: bytes = field(repr=False)
    received_at: datetime


@dataclass(frozen=True, slots=True)
class Kept:
    """A stored callback."""

    id: int
    arrival: Arrival
    became: str


_INSERT = insert(callbacks)
_MOVE = (
    update(callbacks)
    .where(callbacks.c.id == bindparam("row"), callbacks.c.became == bindparam("before"))
    .values(
        became=bindparam("after"),
        deposit_id=bindparam("deposit"),
        txn_id=func.coalesce(bindparam("txn_id", type_=String()), callbacks.c.txn_id),
        provider_ref=func.coalesce(
            bindparam("provider_ref", type_=String()), callbacks.c.provider_ref
        ),
        reference=func.coalesce(bindparam("reference", type_=String()), callbacks.c.reference),
    )
)
_STORED = (
    callbacks.c.id,
    callbacks.c.dialect,
    callbacks.c.provider,
    callbacks.c.part,
    callbacks.c.address,
    callbacks.c.headers,
    callbacks.c.body,
    callbacks.c.received_at,
    callbacks.c.became,
)


def add(
    connection: Connection,
    arrival: Arrival,
    became: Became,
    notice: Notice | None = None,
    *,
    deposit_id: int | None = None,
    reason: str = "",
) -> None:
    """Store a callback together with what became of it; a token in it is masked (T3)."""
    spared = spared_in(notice)
    shown = [
        (name, "" if name.lower() in SECRET_HEADERS else masking.masked(value, spared))
        for name, value in arrival.headers
    ]
    values = {
        "dialect": arrival.dialect,
        "part": arrival.part,
        "provider": arrival.provider,
        "address": arrival.address[:45],
        "headers": json.dumps(shown),
        "body": masking.masked_bytes(arrival.body, spared),
        "received_at": arrival.received_at,
        "became": became.value,
        "reason": reason[:REASON_MAX] or None,
        "deposit_id": deposit_id,
        **_names(notice),
    }
    prepared.later(connection, _INSERT, values)


def move(
    connection: Connection,
    row: int,
    before: str,
    after: Became,
    notice: Notice | None = None,
    deposit_id: int | None = None,
) -> bool:
    """Record what became of a callback that waited; False when another was faster."""
    values = {"row": row, "before": before, "after": after.value, "deposit": deposit_id}
    return prepared.change(connection, _MOVE, values | _names(notice)) == 1


def spared_in(notice: Notice | None) -> Sequence[str]:
    """What is no token in a callback, however many digits it has."""
    return (notice.txn_id, notice.provider_ref, notice.payer) if notice else ()


def _names(notice: Notice | None) -> dict[str, str | None]:
    """What a callback calls its payment, to be found again by."""
    if notice is None:
        return dict.fromkeys(("txn_id", "provider_ref", "reference"))
    return {
        "txn_id": notice.txn_id or None,
        "provider_ref": notice.provider_ref or None,
        "reference": masking.masked(notice.reference) or None,
    }


def waiting_for(
    connection: Connection, provider: str, provider_ref: str, references: Iterable[str]
) -> list[Kept]:
    """The unmatched callbacks that name an order by one of these."""
    c = callbacks.c
    named = or_(
        c.reference.in_([name for name in references if name]),
        c.provider_ref == provider_ref if provider_ref else false(),
    )
    unmatched = (c.became == Became.UNMATCHED.value, c.provider == provider)
    return _kept(connection, *unmatched, named)


def unsettled(connection: Connection, since: datetime, after: int, rows_max: int) -> list[Kept]:
    """Callbacks that were only kept, from a row on."""
    c = callbacks.c
    wanted = (c.became == Became.KEPT.value, c.received_at >= since, c.id > after)
    return _kept(connection, *wanted, rows_max=rows_max)


def old(connection: Connection, became: Became, before: datetime, rows_max: int) -> list[int]:
    """The ids of callbacks that came before then and that nothing hangs on any more."""
    c = callbacks.c
    query = select(c.id).where(c.became == became.value, c.received_at < before)
    if became is Became.SUSPENSE:  # who paid what still waits for its owner
        waiting = (
            select(deposits.c.id)
            .join(accounts, accounts.c.id == deposits.c.account_id)
            .where(deposits.c.id == c.deposit_id, accounts.c.kind == SUSPENSE)
        )
        query = query.where(~waiting.where(deposits.c.state == State.COMPLETED.value).exists())
    return list(connection.execute(query.order_by(c.received_at).limit(rows_max)).scalars())


def forget(connection: Connection, rows: Sequence[int]) -> int:
    """Delete callbacks; how many. What has become needed meanwhile stays."""
    needed = [became.value for became in NEEDED]
    gone = delete(callbacks).where(callbacks.c.id.in_(rows), callbacks.c.became.not_in(needed))
    return connection.execute(gone).rowcount


def kept_before(connection: Connection, before: datetime, rows_max: int = 100) -> Sequence[int]:
    """Callbacks that were only kept and came before then."""
    c = callbacks.c
    query = select(c.id).where(c.became == Became.KEPT.value, c.received_at < before)
    return connection.execute(query.order_by(c.id).limit(rows_max)).scalars().all()


def of_deposit(connection: Connection, deposit_id: int) -> Sequence[str]:
    """What became of each callback about a deposit, oldest first."""
    c = callbacks.c
    query = select(c.became).where(c.deposit_id == deposit_id).order_by(c.id)
    return connection.execute(query).scalars().all()


def _kept(connection: Connection, *where: ColumnElement[bool], rows_max: int = 100) -> list[Kept]:
    query = select(*_STORED).where(*where).order_by(callbacks.c.id).limit(rows_max)
    return [
        Kept(
            row.id,
            Arrival(
                dialect=row.dialect,
                provider=row.provider,
                part=row.part,
                address=row.address,
                headers=[(name, value) for name, value in json.loads(row.headers)],
                body=row.body,
                received_at=row.received_at,
            ),
            row.became,
        )
        for row in connection.execute(query)
    ]
