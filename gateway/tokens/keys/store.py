"""Tables and SQL of write keys and of the processes that hold keys."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Column, Connection, String, bindparam, delete, insert, select, update

from gateway.database.types import Instant, table
from gateway.tokens.store import LIVE, tokens

write_keys = table(
    "write_keys",
    Column("purpose", String(12), primary_key=True),
    Column("kid", String(8), nullable=False),
    Column("changed_at", Instant, nullable=False),
)

# The key ids that rows were written with: live tokens can need no other.
written_keys = table(
    "written_keys",
    Column("purpose", String(12), primary_key=True),
    Column("kid", String(8), primary_key=True),
    Column("first_at", Instant, nullable=False),
    Column("fingerprint", String(16)),  # None: written before fingerprints, not yet said
)

KEPT = timedelta(days=1)  # how long the last word of a process that died is left to be seen

key_holders = table(
    "key_holders",
    Column("process", String(100), primary_key=True),
    Column("role", String(12), nullable=False),
    Column("generate_kids", String(200), nullable=False),
    Column("lookup_kids", String(200), nullable=False),
    Column("seen_at", Instant, nullable=False),
)

# One statement, for each issue makes it: the key id and which key it stands for.
_WRITING = (
    select(write_keys.c.kid, write_keys.c.changed_at, written_keys.c.fingerprint)
    .select_from(
        write_keys.outerjoin(
            written_keys,
            (written_keys.c.purpose == write_keys.c.purpose)
            & (written_keys.c.kid == write_keys.c.kid),
        )
    )
    .where(write_keys.c.purpose == bindparam("purpose"))
)
_HELD = _WRITING.with_for_update(read=True)


@dataclass(frozen=True, slots=True)
class Writing:
    """The key new rows are written with."""

    kid: str
    changed_at: datetime
    fingerprint: str | None  # None: nobody has said yet


def writing(connection: Connection, purpose: str, *, held: bool = False) -> Writing | None:
    """The key new rows are written with; None before the first.

    `held`: nobody changes it until this transaction ends; any number may hold it at once.
    """
    row = connection.execute(_HELD if held else _WRITING, {"purpose": purpose}).first()
    return None if row is None else Writing(*row)


def write_kid(connection: Connection, purpose: str) -> str | None:
    """The id alone of the key new rows are written with; None before the first."""
    named = writing(connection, purpose)
    return None if named is None else named.kid


def name_write_kid(connection: Connection, purpose: str, kid: str, now: datetime) -> None:
    """The first write key of a purpose; a race for it ends in `DuplicateKey` and a repeat."""
    connection.execute(insert(write_keys).values(purpose=purpose, kid=kid, changed_at=now))


def change_write_kid(connection: Connection, purpose: str, kid: str, now: datetime) -> bool:
    """Switch the write key; False when none was named yet."""
    done = connection.execute(
        update(write_keys).where(write_keys.c.purpose == purpose).values(kid=kid, changed_at=now)
    )
    return done.rowcount == 1


def remember(
    connection: Connection, purpose: str, kid: str, fingerprint: str, now: datetime
) -> None:
    """A key that rows are written with from now on; a race for it ends in `DuplicateKey`."""
    connection.execute(
        insert(written_keys).values(purpose=purpose, kid=kid, first_at=now, fingerprint=fingerprint)
    )


def say_which(connection: Connection, purpose: str, kid: str, fingerprint: str) -> bool:
    """Which key a remembered id stands for; False when another process was first."""
    done = connection.execute(
        update(written_keys)
        .where(
            written_keys.c.purpose == purpose,
            written_keys.c.kid == kid,
            written_keys.c.fingerprint.is_(None),
        )
        .values(fingerprint=fingerprint)
    )
    return done.rowcount == 1


def written(connection: Connection, purpose: str) -> dict[str, str | None]:
    """Every key id that live rows of a purpose may be written with, and its key's fingerprint."""
    rows = connection.execute(
        select(written_keys.c.kid, written_keys.c.fingerprint).where(
            written_keys.c.purpose == purpose
        )
    )
    return {row[0]: row[1] for row in rows}


def retire(connection: Connection, purpose: str, kid: str) -> None:
    """A key that no live token needs, and nobody writes with any more."""
    connection.execute(
        delete(written_keys).where(written_keys.c.purpose == purpose, written_keys.c.kid == kid)
    )


def is_needed(connection: Connection, purpose: str, kid: str) -> bool:
    """Whether a live token needs this key; reads many rows where the answer is no."""
    column = tokens.c.generate_kid if purpose == "generate" else tokens.c.lookup_kid
    found = connection.execute(
        select(tokens.c.id)
        .where(column == kid, tokens.c.status.in_([status.value for status in LIVE]))
        .limit(1)
    ).first()
    return found is not None


def report_keys(
    connection: Connection,
    process: str,
    role: str,
    generate_kids: str,
    lookup_kids: str,
    now: datetime,
) -> None:
    """Remember which keys a process holds, and that it lives."""
    values = {
        "role": role,
        "generate_kids": generate_kids,
        "lookup_kids": lookup_kids,
        "seen_at": now,
    }
    done = connection.execute(
        update(key_holders).where(key_holders.c.process == process).values(values)
    )
    if done.rowcount == 0:
        connection.execute(delete(key_holders).where(key_holders.c.seen_at < now - KEPT))
        connection.execute(insert(key_holders).values(process=process, **values))


def reported(connection: Connection, purpose: str, since: datetime) -> list[tuple[str, str]]:
    """The processes seen since then, with the keys they hold as `kid:fingerprint`."""
    kids = key_holders.c.generate_kids if purpose == "generate" else key_holders.c.lookup_kids
    rows = connection.execute(
        select(key_holders.c.process, kids).where(key_holders.c.seen_at >= since)
    )
    return [(row[0], row[1]) for row in rows]


def forget(connection: Connection, process: str) -> None:
    """A process that has stopped holds nothing."""
    connection.execute(delete(key_holders).where(key_holders.c.process == process))
