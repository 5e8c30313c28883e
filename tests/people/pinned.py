"""Proving and choosing PINs below the menus, one entry after the other."""

from functools import partial
from itertools import count

from sqlalchemy import Connection

from gateway.database import outside
from gateway.database.engine import Deadline
from gateway.database.outside import Made
from gateway.people.pins import store
from gateway.people.pins.choose import Chosen
from gateway.people.pins.prove import Verdict
from gateway.people.pins.store import Pin
from tests.support.wired import ADA, Wired

PIN, OTHER = "4711", "2580"
_causes = count()


def cause() -> bytes:
    """The name of a request that was never made before."""
    return next(_causes).to_bytes(32, "big")


def prove(
    wired: Wired,
    entry: str,
    phone: str = ADA,
    *,
    named: bytes | None = None,
    deadline: Deadline | None = None,
) -> Verdict:
    """What one request says of an entry."""
    pins, name = wired.gateway.people.pins, named or cause()
    return outside.run(
        wired.gateway.database,
        lambda c, made: pins.demand(c, phone, entry, made),
        lambda: name,
        deadline=deadline,
        keyed=True,
    )


def row(wired: Wired, phone: str = ADA) -> Pin:
    """What the database knows of a PIN."""
    return wired.run(partial(store.read, msisdn=phone))


def first(wired: Wired, entry: str, version: int, phone: str = ADA) -> Chosen:
    """The first entry of a new PIN."""
    chooser, now = wired.gateway.people.chooser, wired.clock.now()

    def work(connection: Connection, made: Made) -> Chosen:
        return chooser.propose(connection, phone, entry, made, version, now)

    return outside.run(wired.gateway.database, work, cause)


def second(wired: Wired, entry: str, version: int, phone: str = ADA) -> Chosen:
    """The second entry of a new PIN."""
    chooser, now = wired.gateway.people.chooser, wired.clock.now()

    def work(connection: Connection, made: Made) -> Chosen:
        return chooser.confirm(connection, phone, entry, made, version, now)

    return outside.run(wired.gateway.database, work, cause)


def choose(wired: Wired, entry: str, version: int = 0, phone: str = ADA) -> None:
    """Set a PIN."""
    assert first(wired, entry, version, phone) is Chosen.KEPT
    assert second(wired, entry, version, phone) is Chosen.KEPT
