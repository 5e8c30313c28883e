"""What the gateway knows about a person with a phone number."""

from datetime import datetime

from sqlalchemy import Connection

from gateway.people import store


class Subscribers:
    """People by their MSISDN (E.164)."""

    def __init__(self, default_language: str = "en") -> None:
        self._default_language = default_language

    def language(self, connection: Connection, msisdn: str) -> str:
        """The language to speak to `msisdn` in."""
        return store.language(connection, msisdn) or self._default_language

    def choose_language(
        self, connection: Connection, msisdn: str, code: str, now: datetime
    ) -> None:
        """Speak `code` to `msisdn` from now on."""
        store.set_language(connection, msisdn, code, now)
