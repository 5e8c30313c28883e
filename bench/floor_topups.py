"""The floor of a signed deposit: what has to be done, by hand, and nothing else."""

import hashlib
import hmac
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from bench import topups
from bench.floor_schema import ROWS_PER_INSERT, Connection, Cursor
from bench.topups import AMOUNT, CURRENCY, Topup

SETTLEMENT_ACCOUNT = 0

TABLES = (
    """CREATE TABLE topup (
        id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
        reference VARCHAR(12) NOT NULL,
        provider_ref VARCHAR(64) NOT NULL,
        phone VARCHAR(16) NOT NULL,
        amount DECIMAL(18,2) NOT NULL,
        currency CHAR(3) NOT NULL,
        state VARCHAR(10) NOT NULL,
        txn_id VARCHAR(64) NULL,
        created_at DATETIME(6) NOT NULL,
        completed_at DATETIME(6) NULL,
        UNIQUE KEY topup_reference (reference),
        UNIQUE KEY topup_provider_ref (provider_ref),
        UNIQUE KEY topup_txn (txn_id),
        KEY topup_state (state, created_at)
    )""",
    """CREATE TABLE event (
        id VARCHAR(64) NOT NULL PRIMARY KEY,
        body MEDIUMBLOB NOT NULL,
        received_at DATETIME(6) NOT NULL
    )""",
    """CREATE TABLE topup_entry (
        id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
        topup_id BIGINT NOT NULL,
        account_id BIGINT NOT NULL,
        amount DECIMAL(18,2) NOT NULL,
        created_at DATETIME(6) NOT NULL,
        KEY topup_entry_topup (topup_id),
        KEY topup_entry_account (account_id, id)
    )""",
)


def fill(connection: Connection, orders: Sequence[Topup]) -> None:
    """Create the tables, the orders, and an empty wallet for each of their phones."""
    now = datetime.now(UTC).replace(tzinfo=None)
    with connection.cursor() as cursor:
        for table in TABLES:
            cursor.execute(table)
        cursor.executemany(
            "INSERT INTO wallet (phone, currency, status, balance) VALUES (%s, %s, %s, %s)",
            [(phone, CURRENCY, "active", "0.00") for phone in sorted({o.phone for o in orders})],
        )
        for start in range(0, len(orders), ROWS_PER_INSERT):
            cursor.executemany(
                "INSERT INTO topup (reference, provider_ref, phone, amount, currency, state,"
                " created_at) VALUES (%s, %s, %s, %s, %s, %s, %s)",
                [
                    (*order, AMOUNT, CURRENCY, "pending", now)
                    for order in orders[start : start + ROWS_PER_INSERT]
                ],
            )
    connection.commit()


def is_signed(timestamp: str, signature: str, body: bytes) -> bool:
    """Whether the signature is that of the raw bytes."""
    message = timestamp.encode() + b"." + body
    right = hmac.digest(topups.SECRET.encode(), message, hashlib.sha256).hex()
    return hmac.compare_digest(signature, right)


def take(cursor: Cursor, body: bytes) -> None:
    """Insert the event, complete its order, credit, book, queue; the caller commits.

    Of racing copies the first inserts the event; the others wait for it and have nothing to do.
    """
    event = json.loads(body)
    data: dict[str, Any] = event["data"]
    now = datetime.now(UTC).replace(tzinfo=None)
    is_new = cursor.execute(
        "INSERT IGNORE INTO event (id, body, received_at) VALUES (%s, %s, %s)",
        (event["id"], body, now),
    )
    if not is_new:
        return
    cursor.execute(
        "SELECT id, phone, amount, currency, state FROM topup WHERE reference = %s FOR UPDATE",
        (data["metadata"]["order_id"],),
    )
    row = cursor.fetchone()
    if row is None or row[4] != "pending":
        raise LookupError("no open order has this reference")
    order_id, phone, amount, currency, _ = row
    if (data["amount"]["value"], data["amount"]["currency"]) != (amount, currency):
        raise ValueError("another amount was ordered")
    cursor.execute(
        "UPDATE topup SET state = 'completed', txn_id = %s, completed_at = %s WHERE id = %s",
        (data["external_reference"], now, order_id),
    )
    credited = cursor.execute(
        "UPDATE wallet SET balance = balance + %s, id = LAST_INSERT_ID(id)"
        " WHERE phone = %s AND currency = %s AND status = 'active'",
        (amount, phone, currency),
    )
    if not credited:
        raise LookupError("the payer has no active wallet")
    wallet = cursor.lastrowid
    cursor.execute(
        "INSERT INTO topup_entry (topup_id, account_id, amount, created_at)"
        " VALUES (%s, %s, -%s, %s), (%s, %s, %s, %s)",
        (order_id, SETTLEMENT_ACCOUNT, amount, now, order_id, wallet, amount, now),
    )
    cursor.execute(
        "INSERT INTO outbox (kind, subject_id, state, due_at) VALUES ('deposit', %s, 'due', %s)",
        (order_id, now),
    )
