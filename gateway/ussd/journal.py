"""Sessions and the journal of answered texts: tables and SQL; texts only as keyed digests."""

import json
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    ScalarSelect,
    Select,
    String,
    Text,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from gateway.clock import iso
from gateway.database import prepared
from gateway.database.types import Digest, Instant, table

# A dialogue, and what its turns lock: one turn at a time. Its key is ours, not the database's, so
# that its first step needs no answer before it.
ussd_sessions = table(
    "ussd_sessions",
    Column("state_key", Digest, primary_key=True),
    Column("channel", String(20), nullable=False),
    Column("msisdn", String(16), nullable=False),
    Column("network", String(16), nullable=False),
    Column("started_at", Instant, nullable=False, index=True),
    Column("end_status", String(20), nullable=True),  # the aggregator's word when it was over
    Index("ix_ussd_sessions_msisdn_started_at", "msisdn", "started_at"),
)

# An answered text: its reply, and where it has taken the dialogue. Each text begins with the one
# before, so its length orders the steps; the longest one is where the dialogue stands. Where only
# the last input is sent, `text_length` is the number of its turn.
ussd_steps = table(
    "ussd_steps",
    Column("state_key", ForeignKey(ussd_sessions.c.state_key), primary_key=True),
    Column("text_length", Integer, primary_key=True, autoincrement=False),
    Column("text_digest", Digest, nullable=False),
    Column("place", Text, nullable=False),  # JSON, see place.py; never digits of a token
    Column("reply", Text, nullable=False),
    Column("ends", Boolean, nullable=False),
    Column("at", Instant, nullable=False),
)


@dataclass(frozen=True, slots=True)
class Session:
    """One dialogue as it stands."""

    key: bytes
    accepted_length: int
    accepted_digest: bytes
    language: str
    place: dict[str, Any]
    open: bool
    at: str = ""  # when it moved last, as ISO text: most turns do not ask


@dataclass(frozen=True, slots=True)
class Stored:
    """A text that was answered, by its keyed digest, and the reply it got."""

    text_digest: bytes
    reply: str
    ends: bool


_s, _t = ussd_sessions.c, ussd_steps.c
# The second of two equal requests waits here until the first has committed. On MariaDB each column
# of an answer costs as much as its value: the place says the rest by itself.
_OPEN = (
    select(_t.text_length, _t.text_digest, _t.place)
    .select_from(ussd_sessions)
    .join(ussd_steps, _t.state_key == _s.state_key)
    .where(_s.state_key == bindparam("key"))
    .order_by(_t.text_length.desc())
    .limit(1)
    .with_for_update()
)
_STORED = select(_t.text_digest, _t.reply, _t.ends).where(
    _t.state_key == bindparam("key"), _t.text_length == bindparam("length")
)
_LATEST = (
    select(_s.state_key)
    .where(_s.msisdn == bindparam("msisdn"), _s.channel == bindparam("channel"))
    .order_by(_s.started_at.desc())
    .limit(1)
    .scalar_subquery()
)
_RECENT = (
    select(_t.place)
    .where(_t.state_key == _LATEST)
    .order_by(_t.text_length.desc())
    .limit(1)
    .scalar_subquery()
)
_ADD_SESSION = insert(ussd_sessions)
_ADD_STEP = insert(ussd_steps)
_DONE = select(func.max(_t.text_length)).where(_t.state_key == bindparam("key"))
_FORGET_STEPS = delete(ussd_steps).where(_t.state_key == bindparam("key"))
_START_AGAIN = (
    update(ussd_sessions)
    .where(_s.state_key == bindparam("key"))
    .values(started_at=bindparam("now"), network=bindparam("of_network"), end_status=None)
)


def read(connection: Connection, state_key: bytes) -> Session | None:
    """The dialogue as it stands, locked for this transaction."""
    row = prepared.row(connection, _OPEN, {"key": state_key})
    if row is None:
        return None
    length, digest, stored_place = row
    place = json.loads(stored_place)
    language, is_open = place.pop("language"), place.pop("open")
    return Session(state_key, length, digest, language, place, is_open, place.get("at", ""))


def stored(connection: Connection, state_key: bytes, text_length: int) -> Stored | None:
    """The answered text of this length, None when there is none."""
    row = prepared.row(connection, _STORED, {"key": state_key, "length": text_length})
    return None if row is None else Stored(*row)


def done(connection: Connection, state_key: bytes) -> int:
    """The number of the turn that a dialogue did last, 0 before its first; no lock is taken."""
    return prepared.rows(connection, _DONE, {"key": state_key})[0][0] or 0


LanguageQuery = ScalarSelect[str | None]  # of another room; it binds `msisdn`


@dataclass(frozen=True, slots=True)
class Beginning:
    """What a new dialogue begins with."""

    language: str | None  # None: the caller never chose one
    dropped: tuple[dict[str, Any], datetime] | None  # a place still open, and since when


_SEEN = select(_s.started_at).where(_s.state_key == bindparam("key")).scalar_subquery()


@lru_cache(maxsize=4)
def beginning(language: LanguageQuery) -> Select[Any]:
    """One read for all facts."""
    return select(_SEEN, language, _RECENT)


def begin(
    connection: Connection,
    state_key: bytes,
    language: LanguageQuery,
    channel: str,
    msisdn: str,
    since: datetime,
    *,
    again: bool = False,
) -> Beginning | None:
    """What a dialogue that was never seen begins with: the phone's language, and where its latest
    one stands if that moved since and is open. None for a dialogue that was seen, but `again`.
    """
    values = {"key": state_key, "channel": channel, "msisdn": msisdn}
    seen, chosen, found = prepared.rows(connection, beginning(language), values)[0]
    if seen is not None and not again:
        return None
    if found is None:
        return Beginning(chosen, None)
    place = json.loads(found)
    is_open, at = place.pop("open", False), datetime.fromisoformat(place.pop("at"))
    return Beginning(chosen, (place, at) if is_open and at > since else None)


def add(
    connection: Connection,
    state_key: bytes,
    channel: str,
    msisdn: str,
    network: str,
    now: datetime,
) -> None:
    """A new dialogue; racing first requests end in `DuplicateKey` and a repeat."""
    values = {
        "state_key": state_key,
        "channel": channel,
        "msisdn": msisdn,
        "network": network,
        "started_at": now,
    }
    prepared.later(connection, _ADD_SESSION, values)


def start_again(connection: Connection, state_key: bytes, network: str, now: datetime) -> None:
    """Let a dialogue that this transaction has locked begin anew: what it answered is forgotten."""
    prepared.later(connection, _FORGET_STEPS, {"key": state_key})
    values = {"key": state_key, "now": now, "of_network": network}
    prepared.later(connection, _START_AGAIN, values)


@dataclass(frozen=True, slots=True)
class Step:
    """A text just answered: its reply, and where it takes the dialogue."""

    text_length: int
    text_digest: bytes
    language: str
    place: dict[str, Any]
    reply: str
    ends: bool


def add_step(connection: Connection, state_key: bytes, step: Step, now: datetime) -> None:
    """Journal an answered text in the transaction of its effect."""
    place = {**step.place, "language": step.language, "open": not step.ends, "at": iso(now)}
    values = {
        "state_key": state_key,
        "text_length": step.text_length,
        "text_digest": step.text_digest,
        "place": json.dumps(place),
        "reply": step.reply,
        "ends": step.ends,
        "at": now,
    }
    prepared.later(connection, _ADD_STEP, values)


def close(connection: Connection, state_key: bytes, status: str) -> bool:
    """Remember how the aggregator says a dialogue ended, the first time; changes nothing else."""
    done = connection.execute(
        update(ussd_sessions)
        .where(_s.state_key == state_key, _s.end_status.is_(None))
        .values(end_status=status)
    )
    return done.rowcount == 1


def purge(connection: Connection, before: datetime, rows_max: int) -> int:
    """Forget dialogues that began before; how many."""
    oldest = select(_s.state_key).where(_s.started_at < before).order_by(_s.started_at)
    old = list(connection.execute(oldest.limit(rows_max)).scalars())
    if old:
        connection.execute(delete(ussd_steps).where(_t.state_key.in_(old)))
        connection.execute(delete(ussd_sessions).where(_s.state_key.in_(old)))
    return len(old)
