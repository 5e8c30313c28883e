"""The product as the bench needs it: a filled database, the server's settings, the derivation."""

import secrets
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from sqlalchemy import Connection, Table, insert, select, text

from bench import topups
from gateway.clock import Clock
from gateway.database import upgrade
from gateway.database.engine import Database
from gateway.ledger import wallets
from gateway.ledger.books import Books, Leg
from gateway.ledger.store import HOUSE, OUTSTANDING, accounts
from gateway.tokens import code, serials
from gateway.tokens.issue import Issuer, Order
from gateway.tokens.keys.rings import KeyRings
from gateway.tokens.store import tokens

APPLICATION = "wsgi:application"
CALLBACK_SECRET = "bench-callback-secret"
PATH = f"/ussd/africastalking/{CALLBACK_SECRET}"
TOKEN_KEYS = f"k1:{bytes(range(32)).hex()}"
LOOKUP_KEYS = f"p1:{bytes(range(32, 64)).hex()}"
VALID = timedelta(days=30)
ROWS_PER_FILL = 50_000


class Product:
    """Prepares one database of the product and keeps what was filled into it."""

    def __init__(self, url: str, amount: str, currency: str) -> None:
        self.url = url
        self._amount, self._currency = Decimal(amount), currency
        self._rings = KeyRings.parse(TOKEN_KEYS, LOOKUP_KEYS)
        self._books = Books()
        self._now = Clock().now()
        self._database = Database(url, pool_size=1)

    @property
    def env(self) -> dict[str, str]:
        """The production settings that the server runs with."""
        return {
            "GATEWAY_MODE": "production",
            "GATEWAY_DATABASE_URL": self.url,
            "GATEWAY_TOKEN_KEYS": TOKEN_KEYS,
            "GATEWAY_LOOKUP_KEYS": LOOKUP_KEYS,
            "GATEWAY_CALLBACK_SECRET": CALLBACK_SECRET,
            "GATEWAY_SESSION_KEY": secrets.token_hex(32),
            "GATEWAY_PIN_PEPPER": secrets.token_hex(32),
            "GATEWAY_SMS_CHANNELS": "africastalking",
            "GATEWAY_CURRENCY": self._currency,
            "GATEWAY_SNIPPE_WEBHOOK_SECRET": topups.SECRET,
            "AFRICASTALKING_USERNAME": "bench",
            "AFRICASTALKING_API_KEY": secrets.token_hex(32),
        }

    def prepare(self, phones: Sequence[str], to_play: int, total: int) -> list[str]:
        """Migrate, give each phone a wallet, issue `total` tokens; the digits of `to_play`.

        The first token is issued by the product, the others are copies of its row with digits,
        serial and references of their own, because a million issues would take an hour.
        """
        with self._database.engine.connect() as connection:
            upgrade.upgrade(connection)
            connection.commit()
        first = self._database.run(self._first_token)
        self._database.run(lambda connection: self._wallets(connection, phones))
        played = self._database.run(lambda connection: self._tokens(connection, first, to_play))
        for start in range(0, total - to_play, ROWS_PER_FILL):
            size = min(ROWS_PER_FILL, total - to_play - start)
            self._database.run(partial(_fill, first=first, start=start, count=size))
        self._database.run(lambda connection: self._owe(connection, total))
        return played

    def _first_token(self, connection: Connection) -> dict[str, Any]:
        order = Order(self._amount, self._currency, self._now + VALID, deliver=False)
        issued = Issuer(self._rings, self._books).issue(connection, order, self._now)
        return row_of(connection, tokens, tokens.c.serial == issued.serial)

    def _wallets(self, connection: Connection, phones: Sequence[str]) -> None:
        made = wallets.ensure(connection, phones[0], self._currency, self._now)
        first = row_of(connection, accounts, accounts.c.id == made.id)
        copy_row(connection, accounts, first, ({"owner": phone} for phone in phones[1:]))

    def _tokens(self, connection: Connection, first: dict[str, Any], count: int) -> list[str]:
        kid, key = next(iter(self._rings.generate))
        lookup_kid, lookup_key = next(iter(self._rings.lookup))
        digits, rows = [], []
        for number in range(count):
            txn_id, reference = secrets.token_hex(16), f"bench-{number}"
            token = code.derive(key, kid, code.LONG, reference, txn_id, 0)
            digits.append(token)
            rows.append(
                {
                    "serial": serials.new(),
                    "txn_id": txn_id,
                    "issue_ref": reference,
                    "lookup": code.lookup(lookup_key, lookup_kid, token),
                }
            )
        copy_row(connection, tokens, first, rows)
        return digits

    def _owe(self, connection: Connection, total: int) -> None:
        """Book the value of all copies at once, so that the books are right."""
        value = self._amount * total
        house, outstanding = (
            self._books.system(connection, kind, self._currency, self._now)
            for kind in (HOUSE, OUTSTANDING)
        )
        legs = (Leg(house, -value), Leg(outstanding, value))
        self._books.post(connection, "issue:bench", "issue", "bench", legs, self._now)


def derivation() -> Callable[[str], str]:
    """The product's derivation of an 18-digit token from a transaction id."""
    key = bytes(range(32))
    return lambda txn_id: code.derive(key, "k1", code.LONG, "INV-1", txn_id, 0)


def derivation_message() -> bytes:
    """As many bytes as the derivation's HMAC reads: six fields with their lengths."""
    fields = ("ptg/token/v1", "k1", "18", "INV-1", "999", "0")
    return b"".join(len(field).to_bytes(4, "big") + field.encode() for field in fields)


def row_of(connection: Connection, table: Table, condition: Any) -> dict[str, Any]:
    """One row without its id."""
    columns = [column for column in table.c if column.name != "id"]
    return dict(connection.execute(select(*columns).where(condition)).one()._mapping)


def copy_row(
    connection: Connection,
    table: Table,
    first: dict[str, Any],
    changes: Iterable[dict[str, Any]],
) -> None:
    """Insert a copy of the row for each of these changes to it."""
    rows = [{**first, **change} for change in changes]
    if rows:
        connection.execute(insert(table), rows)


def _fill(connection: Connection, first: dict[str, Any], start: int, count: int) -> None:
    """Copy the first token's row `count` times inside the server, with random look-ups."""
    own = {
        "serial": "CONCAT('F', LPAD(CONV(:start + seq, 10, 32), 7, '0'))",
        "txn_id": "MD5(CONCAT('fill', :start + seq))",
        "issue_ref": "CONCAT('fill-', :start + seq)",
        "lookup": "RANDOM_BYTES(32)",
    }
    columns = [*own, *(name for name in first if name not in own)]
    values = [own.get(name, name) for name in columns]
    connection.execute(
        text(
            f"INSERT INTO tokens ({', '.join(columns)}) SELECT {', '.join(values)}"
            f" FROM tokens, seq_1_to_{count} WHERE serial = :first"
        ),
        {"start": start, "first": first["serial"]},
    )
