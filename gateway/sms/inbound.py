"""Inbound SMS: stored first, acted on once, in one transaction; digits never kept."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

import structlog
from sqlalchemy import Connection

from gateway.channels.base import InboundSms
from gateway.database.outside import Made
from gateway.sms import store

log = structlog.get_logger()

TEXT_MAX = 1_600  # ten SMS parts; what is longer is no token and no keyword
SENDER_MAX = 32
NO_PHONE, TOO_LONG = "no_phone", "too_long"  # outcomes of what is kept and does nothing
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message that acts: who wrote it (E.164), what, and what was made for it outside."""

    msisdn: str
    text: str = field(repr=False)  # may hold a token's digits or a PIN
    row: int
    now: datetime
    made: Made = field(repr=False)


Act = Callable[[Connection, Incoming], str]  # does what a message asks for; the outcome's name


def receive(
    connection: Connection,
    sms: InboundSms,
    msisdn: str | None,
    digest: bytes,
    act: Act,
    now: datetime,
    made: Made,
) -> str:
    """Store and act on one message; a repeat of its id acts no more. The outcome's name.

    `msisdn` is None when the sender is no phone (a service's name or short code): such a message
    is kept and does nothing. `digest` is a keyed digest of the text, which itself is kept with
    its digits masked. Raises what `act` does, `NeededFirst` among it: nothing is stored then.
    """
    known = store.find(connection, sms.channel, sms.message_id)
    if known is not None:
        if known.text_digest != digest:
            log.warning("sms_id_reused_with_other_text", channel=sms.channel, inbound=known.id)
        return known.outcome
    row = store.add(
        connection,
        channel=sms.channel,
        message_id=sms.message_id,
        sender=(msisdn or sms.sender)[:SENDER_MAX],
        recipient=sms.recipient[:SENDER_MAX],
        masked_text=masked(sms.text[:TEXT_MAX]),
        text_digest=digest,
        sent_at=sms.sent_at,
        received_at=now,
        outcome="received",
    )
    if msisdn is None:
        outcome = NO_PHONE
    elif len(sms.text) > TEXT_MAX:
        outcome = TOO_LONG  # never act on a part of what was written
    else:
        outcome = act(connection, Incoming(msisdn, sms.text, row, now, made))
    store.set_outcome(connection, row, outcome)
    return outcome


def masked(text: str) -> str:
    """A text fit to be stored: every digit of any script hidden.

    >>> masked("REDEEM 4907 5029")
    'REDEEM #### ####'
    """
    return _DIGIT.sub("#", text)
