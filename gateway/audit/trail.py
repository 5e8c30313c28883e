"""Recording what people and operators did, in the transaction that did it."""

import re
from datetime import datetime

from sqlalchemy import Connection

from gateway.audit import store

REASON_MAX = 200
# A token typed in groups, a phone number or a PIN in a person's words; "3 of 12 pages" stays.
_SECRET_DIGITS = re.compile(r"\d(?:[\W_]{0,4}\d){3,}")


def record(
    connection: Connection,
    actor: str,
    action: str,
    subject: str,
    now: datetime,
    reason: str = "",
) -> None:
    """Append to the trail; `reason` is a person's words and is kept with its digit runs masked."""
    store.add(connection, now, actor, action, subject, masked(reason)[:REASON_MAX])


def masked(reason: str) -> str:
    """A reason fit to be stored: runs of four or more digits hidden, however they are grouped.

    >>> masked("read 9021-0000 0000.000014 aloud, page 3 of 12")
    'read #### aloud, page 3 of 12'
    >>> masked("her PIN is ４９０７")
    'her PIN is ####'
    """
    return _SECRET_DIGITS.sub("####", reason)
