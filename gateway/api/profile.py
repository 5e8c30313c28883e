"""A partner's profile: what is agreed with it, as it is read, changed, and as a phone shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from gateway.formats import gsm7, money
from gateway.ledger import floats
from gateway.partners import profiles
from gateway.partners.store import Partner
from gateway.partners.terms import change, store
from gateway.partners.terms.change import Change
from gateway.sms import texts
from gateway.tokens import issue
from gateway.tokens.reprint import SmsFacts, dial_string

SAMPLE_DIGITS = "490750293453273258"  # nobody's: it only has a token's length
LANGUAGE = "en"  # of those who have chosen none


@dataclass(frozen=True, slots=True)
class Shown:
    """An SMS as a phone shows it."""

    language: str
    sender: str
    text: str
    is_own: bool  # the partner's words, not ours
    septets: int


@dataclass(frozen=True, slots=True)
class Profiles:
    """Reads and changes profiles; every method works in the caller's transaction."""

    currency: str
    languages: Sequence[str]
    facts: SmsFacts
    say: texts.Say  # say(language, text, **values)

    def show(self, connection: Connection, code: str) -> Mapping[str, Any]:
        """What is agreed; a default of ours stands where nothing is. Raises `UnknownPartner`."""
        partner = profiles.find(connection, code)
        terms, voice = store.of(connection, code), store.voice(connection, code)
        return {
            "code": partner.code,
            "name": partner.name,
            "status": partner.status,
            "currency": self.currency,
            "sender_id": terms.sender_id,
            "language": terms.language or LANGUAGE,
            "expiry": terms.expiry or issue.DEFAULT_PERIOD,
            "token_max": _plain(terms.token_max),
            "day_max": _plain(terms.day_max),
            "low_float": _plain(terms.low_float),
            "sms_texts": dict(voice.texts),
        }

    def change(
        self,
        connection: Connection,
        code: str,
        wanted: Change,
        actor: str,
        reason: str,
        now: datetime,
    ) -> Partner:
        """Change it, with a reason for the trail. Raises `BadInput` by the name of the fault."""
        if wanted.expiry is not None:
            issue.expiry(wanted.expiry, now, self.facts.zone)
        return change.change(connection, code, wanted, self.languages, actor, reason, now)

    def is_low(self, connection: Connection, code: str) -> bool:
        """Whether the float is below what was agreed."""
        least = store.of(connection, code).low_float
        account = floats.find(connection, code, self.currency)
        if least is None or account is None or account.balance is None:
            return False
        return account.balance < least

    def preview(self, connection: Connection, code: str, now: datetime) -> Sequence[Shown]:
        """The SMS of a token that nobody has, in each language. Raises `UnknownPartner`."""
        partner = profiles.find(connection, code)
        terms, voice = store.of(connection, code), store.voice(connection, code)
        ends = issue.expiry(terms.expiry or issue.DEFAULT_PERIOD, now, self.facts.zone)
        values = {
            **texts.SAMPLES[texts.DELIVERY],
            "sender": partner.name,
            "amount": f"{self.currency} 500.00",
            "dial": dial_string(self.facts.service_code, SAMPLE_DIGITS),
            "expiry": texts.until(ends, self.facts.zone),
            "help": self.facts.help_number,
        }
        return [
            self._shown(language, voice.sender_id, voice.texts.get(language), values)
            for language in self.languages
        ]

    def _shown(
        self, language: str, sender_id: str | None, own: str | None, values: dict[str, str]
    ) -> Shown:
        def say(text: str, /, **given: str) -> str:
            return self.say(language, text, **given)

        ours = texts.DELIVERY if self.facts.help_number else texts.DELIVERY_WITHOUT_HELP
        text = texts.fit(texts.filled if own else say, own or ours, values)
        sender = sender_id or "(our number)"
        return Shown(language, sender, text, own is not None, gsm7.septets(text))


def _plain(amount: Any) -> str | None:
    return None if amount is None else money.plain(amount)
