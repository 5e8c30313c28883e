"""Table and SQL of PINs: their hashes, and the wrong tries in a row."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    Integer,
    String,
    bindparam,
    case,
    insert,
    or_,
    select,
    update,
)

from gateway.database import prepared
from gateway.database.types import Digest, Instant, table
from gateway.errors import RaceLost

LOCK_AT, CLOSE_AT = 5, 10  # wrong tries in a row: locked for a while, closed until a reset

pins = table(
    "pins",
    Column("msisdn", String(16), primary_key=True),
    Column("hash", String(128), nullable=True),  # None: no PIN is set
    Column("version", Integer, nullable=False),  # grows with every change of the hash
    Column("tries", Integer, nullable=False),  # wrong ones in a row, and those under way
    Column("locked_until", Instant, nullable=True),
    Column("counted", Digest, nullable=True),  # the request whose try was counted last
    Column("pending_hash", String(128), nullable=True),  # of the first of two equal entries
    Column("pending_at", Instant, nullable=True),
    Column("changed_at", Instant, nullable=False),
    CheckConstraint("tries >= 0", name="tries_not_negative"),
)


@dataclass(frozen=True, slots=True)
class Pin:
    """What is known about the PIN of a phone."""

    hash: str | None
    version: int
    tries: int
    locked_until: datetime | None
    counted: bytes | None
    pending_hash: str | None
    pending_at: datetime | None

    def until(self, now: datetime) -> datetime | None:
        """The end of the lock that holds now; None when none does or it has no end."""
        held = self.locked_until is not None and self.locked_until > now
        return self.locked_until if held and not self.closed else None

    @property
    def closed(self) -> bool:
        """Whether only an operator's reset helps."""
        return self.tries >= CLOSE_AT


NONE = Pin(None, 0, 0, None, None, None, None)

_c = pins.c
_READ = select(
    _c.hash,
    _c.version,
    _c.tries,
    _c.locked_until,
    _c.counted,
    _c.pending_hash,
    _c.pending_at,
).where(_c.msisdn == bindparam("phone"))
_NOW = bindparam("now", type_=Instant)
_CAUSE = bindparam("cause", type_=Digest)
_BASE = _c.version == bindparam("base")
# Counted and tested in one statement: two racers cannot both take the last try. The same request
# takes one, however often it is repeated. MariaDB assigns from left to right: the lock comes first.
COUNT = (
    update(pins)
    .where(
        _c.msisdn == bindparam("phone"),
        _c.hash.is_not(None),
        _c.tries < CLOSE_AT,
        or_(_c.locked_until.is_(None), _c.locked_until <= _NOW),
        or_(_c.counted.is_(None), _c.counted != _CAUSE),
    )
    .ordered_values(
        (
            _c.locked_until,
            case(
                (_c.tries == LOCK_AT - 1, bindparam("until", type_=Instant)),
                else_=_c.locked_until,
            ),
        ),
        (_c.tries, _c.tries + 1),
        (_c.counted, _CAUSE),
    )
)
_SET_BACK = (
    update(pins).where(_c.msisdn == bindparam("phone"), _BASE).values(tries=0, locked_until=None)
)
_PROPOSE = (
    update(pins)
    .where(_c.msisdn == bindparam("phone"), _BASE)
    .values(pending_hash=bindparam("hashed"), pending_at=_NOW)
)
_PROMOTE = (
    update(pins)
    .where(
        _c.msisdn == bindparam("phone"),
        _BASE,
        _c.pending_hash == bindparam("hashed"),
    )
    .values(
        hash=bindparam("hashed"),
        version=_c.version + 1,
        tries=0,
        locked_until=None,
        pending_hash=None,
        pending_at=None,
        changed_at=_NOW,
    )
)
_CLEAR = (
    update(pins)
    .where(_c.msisdn == bindparam("phone"))
    .values(
        hash=None,
        version=_c.version + 1,
        tries=0,
        locked_until=None,
        pending_hash=None,
        pending_at=None,
        changed_at=_NOW,
    )
)


def read(connection: Connection, msisdn: str) -> Pin:
    """The PIN of a phone as it stands; `NONE` when none was ever set."""
    row = prepared.row(connection, _READ, {"phone": msisdn})
    return NONE if row is None else Pin(*row)


def count(
    connection: Connection, msisdn: str, cause: bytes, until: datetime, now: datetime
) -> tuple[bool, Pin]:
    """Count a request's try before it is judged; whether it may be judged, and the PIN after it.

    The fifth wrong try in a row locks `until` then.
    """
    values = {"phone": msisdn, "cause": cause, "until": until, "now": now}
    counted = prepared.change(connection, COUNT, values) == 1
    pin = read(connection, msisdn)
    if counted or pin.hash is None or pin.counted == cause:
        return True, pin
    if not pin.closed and pin.until(now) is None:
        raise RaceLost("a lock was lifted while a try was refused")
    return False, pin


def set_back(connection: Connection, msisdn: str, version: int) -> bool:
    """The PIN was right: no wrong tries any more; False when it was changed since."""
    return prepared.change(connection, _SET_BACK, {"phone": msisdn, "base": version}) == 1


def propose(connection: Connection, msisdn: str, version: int, hashed: str, now: datetime) -> bool:
    """Keep a first entry until the second; False when the PIN was changed since `version`."""
    values = {"phone": msisdn, "base": version, "hashed": hashed, "now": now}
    if prepared.change(connection, _PROPOSE, values) == 1:
        return True
    if version != NONE.version or read(connection, msisdn) is not NONE:
        return False
    connection.execute(
        insert(pins).values(
            msisdn=msisdn,
            version=NONE.version,
            tries=0,
            pending_hash=hashed,
            pending_at=now,
            changed_at=now,
        )
    )
    return True


def promote(connection: Connection, msisdn: str, version: int, hashed: str, now: datetime) -> bool:
    """Make the pending hash the PIN's, once; False when it or the PIN was changed since."""
    values = {"phone": msisdn, "base": version, "hashed": hashed, "now": now}
    return prepared.change(connection, _PROMOTE, values) == 1


def clear(connection: Connection, msisdn: str, now: datetime) -> bool:
    """Forget the PIN and its wrong tries; False when there never was one."""
    return prepared.change(connection, _CLEAR, {"phone": msisdn, "now": now}) == 1
