"""The SMS about tokens, rendered at the moment of sending: delivery and receipt."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from sqlalchemy import Connection

from gateway.clock import Clock
from gateway.languages import Languages
from gateway.outbox.sending import NotWanted, NotYet, Text
from gateway.outbox.store import Message
from gateway.people.subscribers import Subscribers
from gateway.sms import texts
from gateway.tokens import store
from gateway.tokens.reprint import Reprinter, SmsFacts, sms_text
from gateway.tokens.retire import shown_status
from gateway.tokens.store import Status, Token


@dataclass(frozen=True, slots=True)
class Voice:
    """How an issuer speaks in the SMS of its tokens; what is empty is as we do."""

    sender_id: str | None = None
    language: str = ""  # of those who have chosen none
    texts: Mapping[str, str] = field(default_factory=dict)  # its own, by their language


OURS = Voice()
VoiceOf = Callable[[Connection, str], Voice]


class TokenMessages:
    """Renders the token templates of the outbox."""

    def __init__(
        self,
        reprinter: Reprinter,
        subscribers: Subscribers,
        languages: Languages,
        facts: SmsFacts,
        clock: Clock,
        voice: VoiceOf = lambda _, __: OURS,
    ) -> None:
        self._reprinter = reprinter
        self._subscribers = subscribers
        self._languages = languages
        self._facts = facts
        self._clock = clock
        self._voice = voice

    def delivery(self, connection: Connection, message: Message) -> Text:
        """The token itself; its digits are derived here and kept nowhere.

        Raises `NotWanted` when it cannot be redeemed any more, `NotYet` while it is suspended,
        `DerivationMismatch` and `KeyMissing`.
        """
        token = _token(connection, message)
        status = shown_status(token, self._clock.now())
        if status == Status.SUSPENDED:
            raise NotYet("the token is suspended")
        if status != Status.ISSUED:
            raise NotWanted(f"the token is {status}")
        return self.delivered(connection, message)

    def delivered(self, connection: Connection, message: Message) -> Text:
        """The same text whatever became of the token since: what lies in the recipient's inbox."""
        token = _token(connection, message)
        digits = self._reprinter.digits(token)
        voice = self._voice(connection, token.issuer)
        language = self._language(connection, message, voice)
        say = partial(self._languages.text, language)
        body = sms_text(token, digits, self._facts, say, voice.texts.get(language))
        return Text(body, voice.sender_id)

    def receipt(self, connection: Connection, message: Message) -> Text:
        """What was redeemed, for the redeemer."""
        at = datetime.fromisoformat(message.details["at"])
        values = {
            **message.details,
            "at": texts.minute(at, self._facts.zone),
            "serial": message.subject,
        }
        # A reply to what they did: a language that they have chosen since comes first.
        to, answered_in = message.recipient, message.language
        language = self._subscribers.chosen_language(connection, to, answered_in)
        say = partial(self._languages.text, language)
        return Text(texts.fit(say, texts.REDEEMED, values))

    def _language(self, connection: Connection, message: Message, voice: Voice) -> str:
        """What was asked for, else what they chose, else what its issuer usually speaks."""
        to, otherwise = message.recipient, voice.language
        return message.language or self._subscribers.chosen_language(connection, to, otherwise)


def _token(connection: Connection, message: Message) -> Token:
    token = store.by_serial(connection, message.subject)
    if token is None:
        raise NotWanted("the token is gone")
    return token
