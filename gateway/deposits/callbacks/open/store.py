"""SQL of the callbacks that somebody has to look at, without their bytes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Select, and_, or_, select

from gateway.deposits.callbacks.store import TRIED_FOR, Became, callbacks
from gateway.deposits.store import deposits


@dataclass(frozen=True, slots=True)
class Told:
    """A callback that somebody has to look at, without its bytes."""

    id: int
    received_at: datetime
    dialect: str
    part: str
    provider: str
    became: str
    txn_id: str | None
    provider_ref: str | None
    reference: str | None
    deposit: str | None  # our reference of it
    reason: str | None


# What is in no books, or contradicts them.
OPEN = (
    Became.CONFLICT,
    Became.MALFORMED,
    Became.KEPT,
    Became.GIVEN_UP,
    Became.UNMATCHED,
)


def listed(connection: Connection, outcomes: Sequence[Became], rows_max: int) -> list[Told]:
    """The latest callbacks of which this became, newest first."""
    where = callbacks.c.became.in_([became.value for became in outcomes])
    rows = connection.execute(_told().where(where).order_by(callbacks.c.id.desc()).limit(rows_max))
    return [Told(*row) for row in rows]


def open_since(connection: Connection, provider: str, since: datetime | None) -> Iterator[Told]:
    """What has been open since then (None: ever), of one provider or ("") of all.

    What was given up counts from that moment on: it came as long before as was tried.
    """
    c, wanted = callbacks.c, []
    for became in OPEN:
        tried = TRIED_FOR if became is Became.GIVEN_UP else timedelta()
        came = () if since is None else (c.received_at >= since - tried,)
        wanted.append(and_(c.became == became.value, *came))
    query = _told().where(or_(*wanted)).order_by(c.id)
    if provider:
        query = query.where(c.provider == provider)
    for row in connection.execute(query):
        yield Told(*row)


def _told() -> Select[Any]:
    c = callbacks.c
    names = ("id", "received_at", "dialect", "part", "provider", "became")
    ids = (c.txn_id, c.provider_ref, c.reference)
    return select(*(c[name] for name in names), *ids, deposits.c.reference, c.reason).outerjoin(
        deposits, deposits.c.id == c.deposit_id
    )
