"""What owners hear by SMS of what others did to their wallet: queued with the act, made later."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from gateway.clock import iso
from gateway.languages import Languages
from gateway.outbox import queue
from gateway.outbox.sending import Text
from gateway.outbox.store import Message
from gateway.people.subscribers import Subscribers
from gateway.sms import texts

FROZEN, UNFROZEN, PIN_RESET = "wallet_frozen", "wallet_unfrozen", "pin_reset"
GIVEN_AWAY, TAKEN_OVER = "wallet_given_away", "wallet_taken_over"  # to the old and new number
TEXTS = {
    FROZEN: texts.WALLET_FROZEN,
    UNFROZEN: texts.WALLET_UNFROZEN,
    PIN_RESET: texts.PIN_RESET,
    GIVEN_AWAY: texts.WALLET_GIVEN_AWAY,
    TAKEN_OVER: texts.WALLET_TAKEN_OVER,
}
Renderer = Callable[[Connection, Message], Text]


def tell(
    connection: Connection, template: str, msisdn: str, act: str, now: datetime, other: str = ""
) -> None:
    """Queue a notice to `msisdn` in the transaction of `act`, a name of what was done: once.

    `other` is the number that a move names, hidden as far as its reader must not learn it.
    """
    details = {"at": iso(now), "other": other}
    queue.add_once(connection, f"{template}:{act}", template, msisdn, msisdn, "", now, details)


class OwnerNotices:
    """Renders the notices."""

    def __init__(
        self, subscribers: Subscribers, languages: Languages, zone: ZoneInfo, help_number: str
    ) -> None:
        self._subscribers = subscribers
        self._languages = languages
        self._zone = zone
        self._help_number = help_number

    def renderers(self) -> Mapping[str, Renderer]:
        """Who makes the text of each template."""
        return dict.fromkeys(TEXTS, self.render)

    def render(self, connection: Connection, message: Message) -> Text:
        """The text in the recipient's language."""
        language = self._subscribers.language(connection, message.recipient, message.language)
        say = partial(self._languages.text, language)
        help_number = self._help_number
        values = {
            **message.details,
            "at": texts.minute(datetime.fromisoformat(message.details["at"]), self._zone),
            "call_us": f" {say(texts.CALL_US, help=help_number)}" if help_number else "",
        }
        return Text(texts.fit(say, TEXTS[message.template], values))
