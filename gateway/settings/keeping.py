"""Settings of how long what may be forgotten is kept (docs/retention.md)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gateway.settings.numbers import whole


@dataclass(frozen=True, slots=True)
class Keeping:
    """Days after which the sweep may forget."""

    messages: int = 400  # SMS that went out and came in, delivery reports, tasks that are done
    requests: int = 7  # what a partner's repeated request is answered with
    events: int = 90  # what a partner reads, and has sent again


# By setting: the field, its default, and the least that does no harm.
DAYS: Final = (
    ("GATEWAY_MESSAGE_DAYS", "messages", 400, 30),  # a complaint is about the last weeks
    ("GATEWAY_REQUEST_DAYS", "requests", 7, 1),  # partners repeat for hours, and over a weekend
    ("GATEWAY_EVENT_DAYS", "events", 90, 7),  # a webhook is tried for four days
)


def read(env: Mapping[str, str]) -> Keeping:
    """What the settings say; raises `Misconfigured`.

    >>> read({}).requests, read({"GATEWAY_REQUEST_DAYS": "30"}).requests
    (7, 30)
    >>> read({"GATEWAY_REQUEST_DAYS": "0"})
    Traceback (most recent call last):
    gateway.errors.Misconfigured: GATEWAY_REQUEST_DAYS is 1 at least
    >>> read({"GATEWAY_EVENT_DAYS": "a year"})
    Traceback (most recent call last):
    gateway.errors.Misconfigured: GATEWAY_EVENT_DAYS must be a whole number
    """
    return Keeping(**{field: whole(env, name, days, least) for name, field, days, least in DAYS})
