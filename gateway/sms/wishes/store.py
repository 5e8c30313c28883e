"""Table and SQL of who has said STOP."""

from datetime import datetime

from sqlalchemy import Column, Connection, String, insert, select, update

from gateway.database.types import Instant, table

sms_wishes = table(
    "sms_wishes",
    Column("msisdn", String(16), primary_key=True),
    Column("stopped_at", Instant, nullable=True),  # None: notices are welcome again
    Column("changed_at", Instant, nullable=False),
)
_c = sms_wishes.c


def is_stopped(connection: Connection, msisdn: str) -> bool:
    """Whether this phone wants no notices."""
    found = select(_c.msisdn).where(_c.msisdn == msisdn, _c.stopped_at.is_not(None))
    return connection.execute(found).first() is not None


def stop(connection: Connection, msisdn: str, now: datetime) -> bool:
    """No notices from now on; False when they were stopped before.

    A race for a phone's first wish ends in `DuplicateKey`, and the repeat sees the winner's.
    """
    stopped = connection.execute(
        update(sms_wishes)
        .where(_c.msisdn == msisdn, _c.stopped_at.is_(None))
        .values(stopped_at=now, changed_at=now)
    )
    if stopped.rowcount == 1:
        return True
    if is_stopped(connection, msisdn):
        return False
    connection.execute(insert(sms_wishes).values(msisdn=msisdn, stopped_at=now, changed_at=now))
    return True


def start(connection: Connection, msisdn: str, now: datetime) -> bool:
    """Notices are welcome again; False when they were not stopped."""
    started = connection.execute(
        update(sms_wishes)
        .where(_c.msisdn == msisdn, _c.stopped_at.is_not(None))
        .values(stopped_at=None, changed_at=now)
    )
    return started.rowcount == 1
