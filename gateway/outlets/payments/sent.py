"""The latest SMS that carries a token: what was seen of it tells one press of a button twice."""

from sqlalchemy import Connection

from gateway.outbox.listed import store
from gateway.outbox.store import Message
from gateway.tokens.issue import DELIVERY

LOOKED_AT = 10  # the latest about one token


def last(connection: Connection, serial: str) -> Message | None:
    """The latest SMS that carries this token, sent or not; None: there is none."""
    about = store.latest(connection, LOOKED_AT, subject=serial)
    return next((message for message in about if message.template == DELIVERY), None)
