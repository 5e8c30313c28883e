"""What we call one hand-over of a message, for aggregators whose reports come under our name."""

import re

from gateway.outbox.store import Message

PREFIX = "sms"
_FORM = re.compile(rf"{PREFIX}([0-9]{{1,18}})-[0-9]{{12}}-[0-9]{{1,3}}\Z", re.ASCII)


def of(message: Message, resends: int | None = None) -> str:
    """The name of a message's hand-over: its latest, or one of so many resends.

    The time is in it so that a row of a database that was restored, and goes on with old numbers,
    is not taken for the one that had its number before. A resend has a name of its own: the first
    hand-over's failure says nothing of it.
    """
    number = message.resends if resends is None else resends
    return f"{PREFIX}{message.id}-{message.created_at:%y%m%d%H%M%S}-{number}"


def row_of(name: str) -> int | None:
    """The row that a name speaks of; None when it is not one of ours.

    >>> row_of("sms17-260302090000-0"), row_of("ATXid_17"), row_of("sms17")
    (17, None, None)
    """
    found = _FORM.match(name)
    return int(found[1]) if found else None
