"""Sessions and the journal of answered texts: tables and SQL; texts only as keyed digests."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    String,
    Text,
    and_,
    bindparam,
    delete,
    insert,
    select,
    update,
)

from gateway.database.types import Digest, Instant, new_id, row_id, table

ussd_sessions = table(
    "ussd_sessions",
    row_id(),
    Column("state_key", Digest, nullable=False, unique=True),
    Column("channel", String(20), nullable=False),
    Column("msisdn", String(16), nullable=False),
    Column("network", String(16), nullable=False),
    Column("language", String(8), nullable=False),
    Column("place", Text, nullable=False),  # JSON, see place.py; never digits of a token
    Column("accepted_length", Integer, nullable=False),
    Column("accepted_digest", Digest, nullable=False),
    Column("open", Boolean, nullable=False),
    Column("started_at", Instant, nullable=False),
    Column("changed_at", Instant, nullable=False),
    Column("end_status", String(20), nullable=True),  # the aggregator's word when it was over
    Index("ix_ussd_sessions_msisdn_changed_at", "msisdn", "changed_at"),
    Index("ix_ussd_sessions_changed_at", "changed_at"),
)

ussd_steps = table(
    "ussd_steps",
    Column("session_id", ForeignKey(ussd_sessions.c.id), primary_key=True),
    Column("text_digest", Digest, primary_key=True),
    Column("reply", Text, nullable=False),
    Column("ends", Boolean, nullable=False),
    Column("at", Instant, nullable=False),
)


@dataclass(frozen=True, slots=True)
class Session:
    """One dialogue as it stands."""

    id: int
    language: str
    place: dict[str, Any]
    accepted_length: int
    accepted_digest: bytes
    open: bool


@dataclass(frozen=True, slots=True)
class Stored:
    """The reply a text got when it was first answered."""

    reply: str
    ends: bool


_s, _t = ussd_sessions.c, ussd_steps.c
_OPEN = (
    select(
        _s.id,
        _s.language,
        _s.place,
        _s.accepted_length,
        _s.accepted_digest,
        _s.open,
        _t.reply,
        _t.ends,
    )
    .select_from(
        ussd_sessions.outerjoin(
            ussd_steps,
            and_(_t.session_id == _s.id, _t.text_digest == bindparam("text_digest")),
        )
    )
    .where(_s.state_key == bindparam("state_key"))
    # One turn of a dialogue at a time: the second of two equal requests waits here.
    .with_for_update()
)
_RECENT = (
    select(_s.place, _s.changed_at, _s.open)
    .where(
        _s.msisdn == bindparam("msisdn"),
        _s.channel == bindparam("channel"),
        _s.changed_at > bindparam("since", type_=Instant),
    )
    .order_by(_s.changed_at.desc())
    .limit(1)
)
_ADD_SESSION = insert(ussd_sessions)
_SAVE = (
    update(ussd_sessions)
    .where(_s.id == bindparam("session"))
    .values(
        language=bindparam("language"),
        place=bindparam("place"),
        accepted_length=bindparam("accepted_length"),
        accepted_digest=bindparam("accepted_digest"),
        open=bindparam("open"),
        changed_at=bindparam("now", type_=Instant),
    )
)
_ADD_STEP = insert(ussd_steps)


def read(
    connection: Connection, state_key: bytes, text_digest: bytes
) -> tuple[Session | None, Stored | None]:
    """The dialogue, locked for this transaction, and the reply this text got before."""
    row = connection.execute(
        _OPEN, {"state_key": state_key, "text_digest": text_digest}
    ).one_or_none()
    if row is None:
        return None, None
    session = Session(row[0], row[1], json.loads(row[2]), row[3], row[4], row[5])
    return session, None if row[6] is None else Stored(row[6], row[7])


def recent_place(
    connection: Connection, channel: str, msisdn: str, since: datetime
) -> tuple[dict[str, Any], datetime] | None:
    """Where a phone's latest dialogue stands and when it got there, if since then and open."""
    row = connection.execute(
        _RECENT, {"channel": channel, "msisdn": msisdn, "since": since}
    ).first()
    return (json.loads(row[0]), row[1]) if row is not None and row[2] else None


def add(
    connection: Connection,
    state_key: bytes,
    channel: str,
    msisdn: str,
    network: str,
    moved: "Moved",
    now: datetime,
) -> int:
    """A new dialogue; racing first requests end in `DuplicateKey` and a repeat."""
    made = connection.execute(
        _ADD_SESSION,
        {
            "state_key": state_key,
            "channel": channel,
            "msisdn": msisdn,
            "network": network,
            "language": moved.language,
            "place": json.dumps(moved.place),
            "accepted_length": moved.accepted_length,
            "accepted_digest": moved.accepted_digest,
            "open": moved.open,
            "started_at": now,
            "changed_at": now,
        },
    )
    return new_id(made)


@dataclass(frozen=True, slots=True)
class Moved:
    """Where a turn has taken a dialogue."""

    language: str
    place: dict[str, Any]
    accepted_length: int
    accepted_digest: bytes
    open: bool


def save(connection: Connection, session_id: int, moved: Moved, now: datetime) -> None:
    """The dialogue's new place."""
    connection.execute(
        _SAVE,
        {
            "session": session_id,
            "language": moved.language,
            "place": json.dumps(moved.place),
            "accepted_length": moved.accepted_length,
            "accepted_digest": moved.accepted_digest,
            "open": moved.open,
            "now": now,
        },
    )


def add_step(
    connection: Connection,
    session_id: int,
    text_digest: bytes,
    reply: str,
    ends: bool,
    now: datetime,
) -> None:
    """Journal a reply in the transaction of its effect."""
    connection.execute(
        _ADD_STEP,
        {
            "session_id": session_id,
            "text_digest": text_digest,
            "reply": reply,
            "ends": ends,
            "at": now,
        },
    )


def close(connection: Connection, state_key: bytes, status: str) -> bool:
    """Remember how the aggregator says a dialogue ended, the first time; changes nothing else."""
    done = connection.execute(
        update(ussd_sessions)
        .where(_s.state_key == state_key, _s.end_status.is_(None))
        .values(end_status=status)
    )
    return done.rowcount == 1


def purge(connection: Connection, before: datetime, rows_max: int) -> int:
    """Forget dialogues that have not moved since `before`; how many."""
    old = list(
        connection.execute(
            select(_s.id).where(_s.changed_at < before).order_by(_s.changed_at).limit(rows_max)
        ).scalars()
    )
    if old:
        connection.execute(delete(ussd_steps).where(_t.session_id.in_(old)))
        connection.execute(delete(ussd_sessions).where(_s.id.in_(old)))
    return len(old)
