"""The parts about people: their PINs, and how those are hashed."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.ledger import wallets
from gateway.ledger.books import Books
from gateway.people.pins.choose import Chooser
from gateway.people.pins.hashing import PinHasher
from gateway.people.pins.prove import Pins
from gateway.settings import Settings


@dataclass(frozen=True, slots=True)
class People:
    """One hasher for the whole process, and what is done with it."""

    hasher: PinHasher
    pins: Pins
    chooser: Chooser


def people(settings: Settings, database: Database, clock: Clock, books: Books) -> People:
    """The parts. The ledger knows whose wallet waits for an operator before a PIN is set."""
    hasher = PinHasher(settings.pin_pepper)

    def is_verified(connection: Connection, msisdn: str, now: datetime) -> bool:
        wallet = wallets.find(connection, msisdn, settings.currency)
        return wallet is None or not books.limits.needs_verification(wallet, now)

    return People(
        hasher=hasher,
        pins=Pins(database, hasher, clock, trail.record),
        chooser=Chooser(hasher, is_verified),
    )
