"""Floats: money that was paid in beforehand, which tokens are then issued from."""

from datetime import datetime

from sqlalchemy import Connection

from gateway.ledger import store
from gateway.ledger.store import FLOAT, HOUSE, Account


def find(connection: Connection, owner: str, currency: str) -> Account | None:
    """The float of a partner, or of the house; None before its first funding."""
    return store.find(connection, FLOAT, owner, currency)


def ensure(connection: Connection, owner: str, currency: str, now: datetime) -> Account:
    """The float of an owner, made if need be."""
    return find(connection, owner, currency) or store.create(
        connection, FLOAT, owner, currency, now, guarded=True
    )


def of_house(connection: Connection, currency: str) -> Account | None:
    """The house's float. Once it was funded, the house issues from it alone, as a partner does;
    before that from its system account, whose sum then says what was given away.
    """
    return find(connection, HOUSE, currency)
