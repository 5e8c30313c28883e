"""The floor of a guarded debit: the movement, the guarded UPDATE and two entries, by hand."""

import secrets
import threading
from collections.abc import Callable
from datetime import UTC, datetime

from bench.floor_schema import Connection, connect

AMOUNT = "1.00"
FUNDS = "1000000.00"
OUTSTANDING_ACCOUNT = 0

TABLES = (
    """CREATE TABLE account (
        id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
        status VARCHAR(10) NOT NULL,
        balance DECIMAL(18,2) NOT NULL
    )""",
    """CREATE TABLE movement (
        id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
        operation_key VARCHAR(100) NOT NULL,
        kind VARCHAR(16) NOT NULL,
        at DATETIME(6) NOT NULL,
        UNIQUE KEY movement_key (operation_key)
    )""",
    """CREATE TABLE entry (
        id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
        movement_id BIGINT NOT NULL,
        account_id BIGINT NOT NULL,
        amount DECIMAL(18,2) NOT NULL,
        KEY entry_movement (movement_id),
        KEY entry_account (account_id, id)
    )""",
)


def prepare(url: str, count: int) -> tuple[list[int], list[int]]:
    """The tables, one funded account to be hot, and so many others: their ids."""
    connection = connect(url)
    with connection.cursor() as cursor:
        for table in TABLES:
            cursor.execute(table)
        cursor.executemany(
            "INSERT INTO account (id, status, balance) VALUES (%s, 'active', %s)",
            [(number, FUNDS) for number in range(1, count + 2)],
        )
    connection.commit()
    connection.close()
    return [1], list(range(2, count + 2))


def mover(url: str, threads: int) -> Callable[[int], None]:
    """What debits an account once; each thread keeps a connection."""
    kept = threading.local()

    def move(account: int) -> None:
        if not hasattr(kept, "connection"):
            kept.connection = connect(url)
        _debit(kept.connection, account)

    return move


def _debit(connection: Connection, account: int) -> None:
    now = datetime.now(UTC).replace(tzinfo=None)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO movement (operation_key, kind, at) VALUES (%s, 'issue', %s)",
            (f"issue:{secrets.token_hex(16)}", now),
        )
        movement = cursor.lastrowid
        debited = cursor.execute(
            "UPDATE account SET balance = balance - %s"
            " WHERE id = %s AND balance >= %s AND status = 'active'",
            (AMOUNT, account, AMOUNT),
        )
        if not debited:
            connection.rollback()
            raise LookupError("the account cannot pay")
        cursor.execute(
            "INSERT INTO entry (movement_id, account_id, amount)"
            " VALUES (%s, %s, -%s), (%s, %s, %s)",
            (movement, account, AMOUNT, movement, OUTSTANDING_ACCOUNT, AMOUNT),
        )
    connection.commit()
