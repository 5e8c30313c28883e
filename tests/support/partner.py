"""A partner of a test with a float and keys, calling the API over the real routes in process."""

import secrets
from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from flask.testing import FlaskClient
from sqlalchemy import Connection
from werkzeug.datastructures import Headers
from werkzeug.test import TestResponse

from gateway.ledger import floats
from gateway.ledger.books import Leg
from gateway.ledger.store import SETTLEMENT
from gateway.partners import profiles
from gateway.partners.access import keys
from gateway.partners.access.keys import NewKey
from tests.support.wired import Wired


@dataclass(frozen=True)
class Reply:
    """What the API answered; `json` is whatever it holds."""

    status_code: int
    json: Any
    text: str
    headers: Headers
    content_type: str


@dataclass
class Partner:
    """A partner's program: `client` is its line to us, `key` what it proves itself by."""

    wired: Wired
    client: FlaskClient
    key: NewKey
    code: str

    def headers(self, again: str | None = None) -> dict[str, str]:
        """What every request carries; without `again` a fresh Idempotency-Key."""
        return {
            "Authorization": f"Bearer {self.key.key_id}.{self.key.secret}",
            "Idempotency-Key": again or secrets.token_hex(8),
        }

    def post(self, path: str, body: Any = None, again: str | None = None) -> Reply:
        """POST below `/api/v1`."""
        return _reply(
            self.client.post(f"/api/v1{path}", json=body or {}, headers=self.headers(again))
        )

    def get(self, path: str) -> Reply:
        """GET below `/api/v1`."""
        return _reply(self.client.get(f"/api/v1{path}", headers=self.headers()))

    def with_key(self, *scopes: str, test: bool = False) -> "Partner":
        """The same partner through another key."""
        return Partner(
            self.wired, self.client, new_key(self.wired, self.code, scopes, test), self.code
        )


def _reply(answer: TestResponse) -> Reply:
    is_json = (answer.content_type or "").split(";")[0].endswith("json")
    return Reply(
        answer.status_code,
        answer.get_json() if is_json else None,
        answer.get_data(as_text=True),
        answer.headers,
        answer.content_type or "",
    )


def new_key(wired: Wired, code: str, scopes: Collection[str] = (), test: bool = False) -> NewKey:
    """A new key of a partner; without scopes with all of them."""

    def work(connection: Connection) -> NewKey:
        now, wanted = wired.clock.now(), scopes or keys.SCOPES
        return keys.make(connection, code, "test", now, scopes=list(wanted), test=test)

    return wired.run(work)


def partner(wired: Wired, name: str = "Acme", fund: str = "10000.00") -> Partner:
    """A partner whose float holds so much."""
    code = profiles.code_from(name)

    def work(connection: Connection) -> None:
        now, currency = wired.clock.now(), wired.gateway.settings.currency
        profiles.create(connection, name, "", "test", now)
        account = floats.ensure(connection, code, currency, now)
        bank = wired.gateway.books.system(connection, SETTLEMENT, currency, now, "bank")
        legs = [Leg(bank, -Decimal(fund)), Leg(account, Decimal(fund))]
        wired.gateway.books.post(connection, f"bank:{code}", "fund", code, legs, now)

    wired.run(work)
    return Partner(wired, wired.client, new_key(wired, code), code)
