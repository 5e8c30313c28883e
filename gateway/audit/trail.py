"""Recording what people and operators did, in the transaction that did it."""

from datetime import datetime

from sqlalchemy import Connection

from gateway.audit import store
from gateway.errors import BadInput
from gateway.formats.digits import hidden
from gateway.formats.facts import Fact

REASON_MAX = 200


def worded(reason: str) -> str:
    """The reason as it was given. Raises `BadInput` when nothing of it can be read.

    >>> worded("the SIM is lost")
    'the SIM is lost'
    >>> worded(" \u200b ")
    Traceback (most recent call last):
    gateway.errors.BadInput: say why: the reason is blank
    """
    if not any(letter.isprintable() and not letter.isspace() for letter in reason):
        raise BadInput("say why: the reason is blank")
    return reason


def record(
    connection: Connection,
    actor: str,
    action: str,
    subject: str,
    now: datetime,
    reason: str = "",
    fact: Fact | None = None,
) -> None:
    """Append to the trail.

    `reason` is a person's words and is kept with its digit runs masked. `fact` is what we say of it
    and stands before them as it is: typed values, which can be no token and no PIN.
    """
    said = hidden(reason)
    if fact is not None:
        said = f"{fact}: {said}" if said else fact
    store.add(connection, now, actor, action, subject, said[:REASON_MAX])
