"""SQL of what is known of one person: their language, and the state of their PIN."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from gateway.people.pins.store import pins
from gateway.people.pins.store import read as read_pin
from gateway.people.store import subscribers


@dataclass(frozen=True, slots=True)
class Person:
    """A phone's owner; no part of it says anything about the PIN but its state."""

    language: str | None  # None: never chosen
    known_since: datetime | None  # None: nobody has chosen anything there yet
    pin_set_at: datetime | None  # None: there is no PIN
    pin_forgotten_at: datetime | None  # None: it was never reset, or set again since
    tries: int  # wrong ones in a row
    locked_until: datetime | None  # None: not locked, or `closed`
    closed: bool  # only a reset helps


def person(connection: Connection, msisdn: str, now: datetime) -> Person:
    """What is known of a phone's owner, which may be nothing."""
    s, p = subscribers.c, pins.c
    chose = connection.execute(
        select(s.language, s.created_at).where(s.msisdn == msisdn)
    ).one_or_none()
    changed: datetime | None = connection.execute(
        select(p.changed_at).where(p.msisdn == msisdn)
    ).scalar()
    pin = read_pin(connection, msisdn)
    is_set = pin.hash is not None
    return Person(
        language=chose.language if chose else None,
        known_since=chose.created_at if chose else None,
        pin_set_at=changed if is_set else None,
        pin_forgotten_at=changed if pin.version and not is_set else None,
        tries=pin.tries,
        locked_until=pin.until(now),
        closed=pin.closed,
    )
