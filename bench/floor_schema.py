"""Tables and connections of the floor: the product's shapes without its keys and journals."""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TypeAlias

import pymysql
import pymysql.cursors
from sqlalchemy import make_url

Cursor: TypeAlias = pymysql.cursors.Cursor
Connection: TypeAlias = "pymysql.Connection[Cursor]"

LOOKUP_KEY = bytes(range(32))
ROWS_PER_INSERT = 2_000

TABLES = (
    """CREATE TABLE session (
        session_id VARBINARY(64) NOT NULL PRIMARY KEY,
        phone VARCHAR(16) NOT NULL,
        screen VARCHAR(32) NOT NULL,
        accepted VARCHAR(182) NOT NULL,
        turn SMALLINT NOT NULL,
        updated_at DATETIME(6) NOT NULL,
        KEY session_phone (phone, updated_at)
    )""",
    """CREATE TABLE step (
        session_id VARBINARY(64) NOT NULL,
        turn SMALLINT NOT NULL,
        reply VARCHAR(182) NOT NULL,
        created_at DATETIME(6) NOT NULL,
        PRIMARY KEY (session_id, turn)
    )""",
    """CREATE TABLE guess (
        phone VARCHAR(16) NOT NULL PRIMARY KEY,
        tries INT NOT NULL
    )""",
    """CREATE TABLE token (
        id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
        lookup BINARY(32) NOT NULL,
        state VARCHAR(10) NOT NULL,
        amount DECIMAL(18,2) NOT NULL,
        currency CHAR(3) NOT NULL,
        expires_at DATETIME(6) NOT NULL,
        redeemed_at DATETIME(6) NULL,
        redeemed_by VARCHAR(16) NULL,
        UNIQUE KEY token_lookup (lookup),
        KEY token_expiry (state, expires_at)
    )""",
    """CREATE TABLE wallet (
        id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
        phone VARCHAR(16) NOT NULL,
        currency CHAR(3) NOT NULL,
        status VARCHAR(10) NOT NULL,
        balance DECIMAL(18,2) NOT NULL,
        UNIQUE KEY wallet_phone (phone, currency)
    )""",
    """CREATE TABLE entry (
        id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
        token_id BIGINT NOT NULL,
        account_id BIGINT NOT NULL,
        amount DECIMAL(18,2) NOT NULL,
        created_at DATETIME(6) NOT NULL,
        KEY entry_token (token_id),
        KEY entry_account (account_id, id)
    )""",
    """CREATE TABLE outbox (
        id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
        kind VARCHAR(20) NOT NULL,
        subject_id BIGINT NOT NULL,
        state VARCHAR(10) NOT NULL,
        due_at DATETIME(6) NOT NULL,
        KEY outbox_due (state, due_at)
    )""",
)


def connect(url: str) -> Connection:
    """Open one connection to a `mysql+pymysql://` URL, READ COMMITTED as the product has it."""
    parts = make_url(url)
    return pymysql.connect(
        host=parts.host or "127.0.0.1",
        port=parts.port or 3306,
        user=parts.username,
        password=parts.password or "",
        database=parts.database,
        charset="utf8mb4",
        init_command="SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
    )


def lookup(token: str) -> bytes:
    """Return the 32 bytes a token is found by.

    >>> lookup("490750293453273258").hex()[:16]
    'ab2834065a0b8512'
    """
    return hmac.digest(LOOKUP_KEY, token.encode(), hashlib.sha256)


def fill(
    connection: Connection,
    tokens: Sequence[str],
    phones: Sequence[str],
    amount: str,
    currency: str,
) -> None:
    """Create the tables, one live token for each of `tokens` and an empty wallet for each phone."""
    expires_at = datetime.now(UTC).replace(tzinfo=None) + timedelta(days=30)
    with connection.cursor() as cursor:
        for table in TABLES:
            cursor.execute(table)
        for some in _batches(phones):
            cursor.executemany(
                "INSERT INTO wallet (phone, currency, status, balance) VALUES (%s, %s, %s, %s)",
                [(phone, currency, "active", "0.00") for phone in some],
            )
        for some in _batches(tokens):
            cursor.executemany(
                "INSERT INTO token (lookup, state, amount, currency, expires_at)"
                " VALUES (%s, %s, %s, %s, %s)",
                [(lookup(token), "issued", amount, currency, expires_at) for token in some],
            )
    connection.commit()


def _batches(values: Sequence[str]) -> Iterator[list[str]]:
    remaining = iter(values)
    while batch := list(islice(remaining, ROWS_PER_INSERT)):
        yield batch
