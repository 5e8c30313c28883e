"""Giving events their numbers, by which a partner reads them and misses none."""

import hashlib
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from gateway.clock import iso
from gateway.partners import store as partners
from gateway.partners import testing
from gateway.partners.events import store
from gateway.partners.events.store import Event

REDEEMED, EXPIRED, CANCELLED = "token.redeemed", "token.expired", "token.cancelled"
UNDELIVERED = "token.undelivered"  # its SMS has failed for good, and it waits to be redeemed
KINDS = (REDEEMED, EXPIRED, CANCELLED, UNDELIVERED)
SKIPPED = 1_000_000_000  # by a restore: more than any partner has events between two backups
NUMBERED_MAX = 500  # at a time: others who number wait so long


def number(connection: Connection, owner: str) -> int:
    """Number what a partner's committed changes have left; how many events.

    An id is taken when a row is written, not when it is committed: whoever reads by it misses the
    row of a slower transaction. A number is given to what is committed, one numberer at a time, so
    that whatever is numbered later stands behind everything that was ever handed out.
    """
    if not store.unnumbered(connection, owner, 1):
        return 0  # asked without a lock: mostly there is nothing
    last = store.locked_last_seq(connection, owner)
    waiting = store.unnumbered(connection, owner, NUMBERED_MAX)
    if waiting:
        store.give(connection, owner, waiting, last + 1)
    return len(waiting)


def skip_all(connection: Connection) -> None:
    """Number what comes next in every partner's feed behind whatever a lost database has given.

    Also where the backup knows of no event yet: partners may have read some since.
    """
    for partner in partners.everyone(connection):
        for owner in (partner.code, testing.owner(partner.code)):
            store.skip(connection, owner, SKIPPED)


def name(event: Event) -> str:
    """What the event is called, whoever reads it and however often.

    Made of what it is about, not of a row's number: a restored database gives those again.
    """
    text = f"{event.owner} {event.cause} {iso(event.at)}"
    return f"evt_{hashlib.sha256(text.encode()).hexdigest()[:24]}"


def shown(event: Event) -> Mapping[str, Any]:
    """An event as its partner reads it, listed or in a webhook."""
    return {
        "id": name(event),
        "seq": event.seq,
        "type": event.kind,
        "timestamp": iso(event.at),
        "data": {"serial": event.serial, **event.details},
    }
