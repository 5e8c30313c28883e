"""Table and SQL of the switches; a row for each that was ever thrown."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Boolean, Column, Connection, String, insert, select, update

from gateway.database.types import Instant, table

switches = table(
    "switches",
    Column("what", String(32), primary_key=True),
    Column("paused", Boolean, nullable=False),
    Column("changed_at", Instant, nullable=False),
    Column("changed_by", String(64), nullable=False),
    Column("reason", String(200), nullable=False),
)


@dataclass(frozen=True, slots=True)
class Switch:
    """How a switch stands, and who threw it last."""

    what: str
    paused: bool
    changed_at: datetime
    changed_by: str
    reason: str


_PAUSED = select(switches.c.what).where(switches.c.paused)


def paused(connection: Connection) -> frozenset[str]:
    """Everything that is paused now."""
    return frozenset(connection.execute(_PAUSED).scalars())


def every(connection: Connection) -> list[Switch]:
    """All switches that were ever thrown, by name."""
    rows = connection.execute(select(switches).order_by(switches.c.what))
    return [Switch(*row) for row in rows]


def throw(
    connection: Connection, what: str, actor: str, reason: str, now: datetime, *, pause: bool
) -> bool:
    """Pause or resume; False when it stands so already. Two first throws: one `DuplicateKey`."""
    values = {"paused": pause, "changed_at": now, "changed_by": actor, "reason": reason}
    known = connection.execute(
        select(switches.c.paused).where(switches.c.what == what).with_for_update()
    ).scalar()
    if known is None and pause:
        connection.execute(insert(switches).values(what=what, **values))
        return True
    changed = connection.execute(
        update(switches)
        .where(switches.c.what == what, switches.c.paused.is_(not pause))
        .values(values)
    )
    return changed.rowcount == 1
