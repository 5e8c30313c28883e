"""The SMS about withdrawals, rendered at the moment of sending."""

from functools import partial

from sqlalchemy import Connection

from gateway.languages import Languages
from gateway.outbox.sending import Text
from gateway.outbox.store import Message
from gateway.people.subscribers import Subscribers
from gateway.sms import texts


class WithdrawalMessages:
    """Renders the withdrawal templates of the outbox."""

    def __init__(self, subscribers: Subscribers, languages: Languages) -> None:
        self._subscribers = subscribers
        self._languages = languages

    def paid(self, connection: Connection, message: Message) -> Text:
        """What was paid, with the carrier's own id of it."""
        return self._text(connection, message, texts.WITHDRAWAL_PAID)

    def rejected(self, connection: Connection, message: Message) -> Text:
        """What was not paid and is in the wallet again."""
        return self._text(connection, message, texts.WITHDRAWAL_REJECTED)

    def _text(self, connection: Connection, message: Message, template: str) -> Text:
        language = self._subscribers.language(connection, message.recipient, message.language)
        say = partial(self._languages.text, language)
        return Text(texts.fit(say, template, {**message.details, "reference": message.subject}))
