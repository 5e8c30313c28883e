"""What is said by SMS of a token besides its delivery: queued with its cause, made when sent."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from gateway.formats import money, msisdn
from gateway.languages import Languages
from gateway.ledger.store import WALLET, Account
from gateway.outbox import queue
from gateway.outbox import store as outbox_store
from gateway.outbox.sending import NotWanted, Text
from gateway.outbox.store import Message
from gateway.people.subscribers import Subscribers
from gateway.sms import texts
from gateway.tokens import store
from gateway.tokens.issue import DELIVERY
from gateway.tokens.senders.store import TOLD, Undelivered
from gateway.tokens.store import Token

CANCELLED, TAKEN = "token_cancelled", "token_taken"  # to the recipient
SENT, MOVED, SPENT = "token_sent", "token_moved", "token_spent"  # to the sender
EXPIRED, RETURNED, UNDELIVERED = "token_expired", "token_returned", "token_undelivered"
TEXTS = {
    CANCELLED: texts.CANCELLED,
    TAKEN: texts.TAKEN,
    SENT: texts.SENT,
    MOVED: texts.MOVED,
    SPENT: texts.SPENT,
    EXPIRED: texts.EXPIRED,
    RETURNED: texts.RETURNED,
    UNDELIVERED: texts.UNDELIVERED,
}
NOBODY = "-"  # in the place of a recipient, when a token has none
Details = Mapping[str, str]
Renderer = Callable[[Connection, Message], Text]


def tell(
    connection: Connection,
    template: str,
    serial: str,
    to: str,
    now: datetime,
    details: Details | None = None,
) -> None:
    """Queue a notice about a token in its reader's own language; each is said once."""
    queue.add(connection, f"{template}:{serial}", template, serial, to, "", now, details)


def tell_returned(
    connection: Connection, template: str, token: Token, funder: Account, now: datetime
) -> None:
    """Tell whoever paid for a token that the value came back, if that is a person's wallet."""
    if funder.kind == WALLET:
        tell(connection, template, token.serial, funder.owner, now)


def tell_cancelled(connection: Connection, token: Token, now: datetime) -> None:
    """Tell the recipient that the digits are dead."""
    if token.recipient is not None:
        tell(connection, CANCELLED, token.serial, token.recipient, now)


def tell_undelivered(connection: Connection, failed: Undelivered, now: datetime) -> bool:
    """Tell the sender that the token's message failed, once for that message; whether it was."""
    cause = f"{TOLD}{failed.cause}"
    return queue.add_once(connection, cause, UNDELIVERED, failed.serial, failed.sender, "", now)


class Notices:
    """Renders the notices; what they say is read from the token when they are sent."""

    def __init__(self, subscribers: Subscribers, languages: Languages, zone: ZoneInfo) -> None:
        self._subscribers = subscribers
        self._languages = languages
        self._zone = zone

    def renderers(self) -> Mapping[str, Renderer]:
        """Who makes the text of each template."""
        return dict.fromkeys(TEXTS, self.render)

    def render(self, connection: Connection, message: Message) -> Text:
        """The text of a notice. Raises `NotWanted` for one about a token nobody has heard of."""
        token = store.by_serial(connection, message.subject)
        if token is None:
            raise NotWanted("the token is gone")
        if message.template == CANCELLED and not _was_announced(connection, token):
            raise NotWanted("its recipient never heard of the token")
        language = self._subscribers.language(connection, message.recipient, message.language)
        say = partial(self._languages.text, language)
        return Text(texts.fit(say, TEXTS[message.template], self._values(token, message.details)))

    def _values(self, token: Token, details: Details) -> dict[str, str]:
        at = token.redeemed_at
        return {
            "serial": token.serial,
            "amount": money.display(token.amount, token.currency),
            "recipient": msisdn.display(token.recipient) if token.recipient else NOBODY,
            "at": texts.minute(at, self._zone) if at is not None else "",
            **details,
        }


def _was_announced(connection: Connection, token: Token) -> bool:
    """Whether the recipient may have got the token's SMS from us."""
    return any(
        message.template == DELIVERY and message.handed_over_at is not None
        for message in outbox_store.about(connection, token.serial)
    )
