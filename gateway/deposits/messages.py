"""The SMS about deposits, rendered at the moment of sending."""

from functools import partial

from sqlalchemy import Connection

from gateway.formats import money
from gateway.languages import Languages
from gateway.ledger import wallets
from gateway.ledger.books import ZERO
from gateway.outbox.sending import Text
from gateway.outbox.store import Message
from gateway.people.subscribers import Subscribers
from gateway.sms import texts


class DepositMessages:
    """Renders the deposit templates of the outbox."""

    def __init__(self, subscribers: Subscribers, languages: Languages) -> None:
        self._subscribers = subscribers
        self._languages = languages

    def received(self, connection: Connection, message: Message) -> Text:
        """What came, and what the wallet holds at this moment."""
        currency = message.details["currency"]
        wallet = wallets.find(connection, message.recipient, currency)
        balance = wallet.balance if wallet is not None and wallet.balance is not None else ZERO
        language = self._subscribers.language(connection, message.recipient, message.language)
        say = partial(self._languages.text, language)
        values = {**message.details, "balance": money.display(balance, currency)}
        return Text(texts.fit(say, texts.DEPOSIT_RECEIVED, values))

    def held(self, connection: Connection, message: Message) -> Text:
        """What came and lies in suspense."""
        language = self._subscribers.language(connection, message.recipient, message.language)
        say = partial(self._languages.text, language)
        return Text(texts.fit(say, texts.DEPOSIT_HELD, dict(message.details)))
