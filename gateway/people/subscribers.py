"""What the gateway knows about a person with a phone number."""

from datetime import datetime

from sqlalchemy import Connection

from gateway.people import store


class Subscribers:
    """People by their MSISDN (E.164)."""

    def __init__(self, default_language: str = "en") -> None:
        self.default_language = default_language

    @property
    def language_query(self) -> store.LanguageQuery:
        """The chosen language, as a part of somebody else's query that binds `msisdn`."""
        return store.LANGUAGE

    def language(self, connection: Connection, msisdn: str, asked_for: str = "") -> str:
        """The language to speak to `msisdn` in: what was asked for, else what they chose."""
        return asked_for or store.language(connection, msisdn) or self.default_language

    def chosen_language(self, connection: Connection, msisdn: str, otherwise: str = "") -> str:
        """The language that `msisdn` chose, by now; else the one they were answered in."""
        return store.language(connection, msisdn) or otherwise or self.default_language

    def choose_language(
        self, connection: Connection, msisdn: str, code: str, now: datetime
    ) -> None:
        """Speak `code` to `msisdn` from now on."""
        store.set_language(connection, msisdn, code, now)
