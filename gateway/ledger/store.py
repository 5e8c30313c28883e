"""Tables and SQL of accounts, movements and entries."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import lru_cache

from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    ForeignKey,
    Index,
    Insert,
    String,
    bindparam,
    insert,
    select,
    update,
)

from gateway.database import prepared
from gateway.database.types import MONEY_MAX, Instant, Money, money_bounds, new_id, row_id, table

ACTIVE, FROZEN, CLOSED = "active", "frozen", "closed"

accounts = table(
    "accounts",
    row_id(),
    Column("kind", String(16), nullable=False),
    Column("owner", String(64), nullable=False),  # MSISDN, partner, till; "" for system accounts
    Column("currency", String(3), nullable=False),
    Column("balance", Money, nullable=True),  # spendable; None: a system account stores none
    Column("held", Money, nullable=False),
    Column("status", String(8), nullable=False),
    Column("created_at", Instant, nullable=False),
    CheckConstraint("balance >= 0", name="balance_not_negative"),
    CheckConstraint("held >= 0", name="held_not_negative"),
    CheckConstraint("status IN ('active', 'frozen', 'closed')", name="status_known"),
    money_bounds("balance"),
    money_bounds("held"),
    Index("uq_accounts_kind_owner_currency", "kind", "owner", "currency", unique=True),
)

movements = table(
    "movements",
    row_id(),
    Column("operation_key", String(100), nullable=False, unique=True),
    Column("kind", String(16), nullable=False),
    Column("subject", String(64), nullable=False),  # what it is about: a serial, an order
    Column("at", Instant, nullable=False),
)

entries = table(
    "entries",
    row_id(),
    Column("movement_id", ForeignKey(movements.c.id), nullable=False, index=True),
    Column("account_id", ForeignKey(accounts.c.id), nullable=False),
    Column("amount", Money, nullable=False),  # positive: we owe the account's owner more
    CheckConstraint("amount <> 0", name="amount_not_zero"),
    money_bounds("amount"),
    Index("ix_entries_account_id_id", "account_id", "id"),
)


@dataclass(frozen=True, slots=True)
class Account:
    """One account as it was read; `balance` is None for a system account."""

    id: int
    kind: str
    owner: str
    currency: str
    balance: Decimal | None
    held: Decimal
    status: str

    @property
    def guarded(self) -> bool:
        """Whether the account stores a balance that may not fall below zero."""
        return self.balance is not None


_COLUMNS = (
    accounts.c.id,
    accounts.c.kind,
    accounts.c.owner,
    accounts.c.currency,
    accounts.c.balance,
    accounts.c.held,
    accounts.c.status,
)
_FIND = select(*_COLUMNS).where(
    accounts.c.kind == bindparam("kind"),
    accounts.c.owner == bindparam("owner"),
    accounts.c.currency == bindparam("currency"),
)
_BY_ID = select(*_COLUMNS).where(accounts.c.id == bindparam("id"))
_AMOUNT = bindparam("amount", type_=Money)
# The guard: what must hold of the row is in the WHERE of the one UPDATE that changes it.
DEBIT = (
    update(accounts)
    .where(
        accounts.c.id == bindparam("account"),
        accounts.c.balance >= _AMOUNT,
        accounts.c.status == ACTIVE,
    )
    .values(balance=accounts.c.balance - _AMOUNT)
)
CREDIT = (
    update(accounts)
    .where(
        accounts.c.id == bindparam("account"),
        accounts.c.balance <= bindparam("room", type_=Money),
        accounts.c.status == ACTIVE,
    )
    .values(balance=accounts.c.balance + _AMOUNT)
)
# A value that comes back (expiry, cancellation) also reaches a frozen account: it was theirs.
RETURN = (
    update(accounts)
    .where(
        accounts.c.id == bindparam("account"),
        accounts.c.balance <= bindparam("room", type_=Money),
        accounts.c.status != CLOSED,
    )
    .values(balance=accounts.c.balance + _AMOUNT)
)
_INSERT_MOVEMENT = insert(movements)


def find(connection: Connection, kind: str, owner: str, currency: str) -> Account | None:
    """The account of an owner, None when there is none yet."""
    row = connection.execute(
        _FIND, {"kind": kind, "owner": owner, "currency": currency}
    ).one_or_none()
    return None if row is None else Account(*row)


def by_id(connection: Connection, account_id: int) -> Account:
    """The account with this id, which exists because something refers to it."""
    return Account(*connection.execute(_BY_ID, {"id": account_id}).one())


def create(
    connection: Connection,
    kind: str,
    owner: str,
    currency: str,
    now: datetime,
    *,
    guarded: bool,
) -> Account:
    """A new, empty, active account; a race for it ends in `DuplicateKey` and a repeat."""
    zero = Decimal("0.00")
    balance = zero if guarded else None
    made = connection.execute(
        insert(accounts).values(
            kind=kind,
            owner=owner,
            currency=currency,
            balance=balance,
            held=zero,
            status=ACTIVE,
            created_at=now,
        )
    )
    return Account(new_id(made), kind, owner, currency, balance, zero, ACTIVE)


def set_status(connection: Connection, account_id: int, before: str, after: str) -> bool:
    """Change an account's state once; False when it was not in `before`."""
    changed = connection.execute(
        update(accounts)
        .where(accounts.c.id == account_id, accounts.c.status == before)
        .values(status=after)
    )
    return changed.rowcount == 1


def add_movement(
    connection: Connection, operation_key: str, kind: str, subject: str, now: datetime
) -> int:
    """The movement's row, inserted before anything else of it so that its key stops a repeat."""
    values = {"operation_key": operation_key, "kind": kind, "subject": subject, "at": now}
    return prepared.add(connection, _INSERT_MOVEMENT, values)


def debit(connection: Connection, account_id: int, amount: Decimal) -> bool:
    """Take `amount` from a guarded account; False when it lacks the money or is not active."""
    return prepared.change(connection, DEBIT, {"account": account_id, "amount": amount}) == 1


def credit(connection: Connection, account_id: int, amount: Decimal) -> bool:
    """Add `amount` to a guarded account; False when it is full or not active."""
    values = {"account": account_id, "amount": amount, "room": MONEY_MAX - amount}
    return prepared.change(connection, CREDIT, values) == 1


def give_back(connection: Connection, account_id: int, amount: Decimal) -> bool:
    """Return `amount` to a guarded account; False when it is full or closed."""
    values = {"account": account_id, "amount": amount, "room": MONEY_MAX - amount}
    return prepared.change(connection, RETURN, values) == 1


def add_entries(
    connection: Connection, movement_id: int, legs: Sequence[tuple[int, Decimal]]
) -> None:
    """The entries of a movement, in one statement."""
    values: dict[str, object] = {"movement": movement_id}
    for number, (account, amount) in enumerate(legs):
        values |= {f"account_{number}": account, f"amount_{number}": amount}
    prepared.later(connection, _insert_entries(len(legs)), values)


@lru_cache(maxsize=16)
def _insert_entries(legs: int) -> Insert:
    rows = [
        {
            "movement_id": bindparam("movement"),
            "account_id": bindparam(f"account_{number}"),
            "amount": bindparam(f"amount_{number}", type_=Money),
        }
        for number in range(legs)
    ]
    return insert(entries).values(rows)


@dataclass(frozen=True, slots=True)
class StatementLine:
    """One entry as its account's owner reads it."""

    at: datetime
    kind: str
    subject: str
    amount: Decimal


def statement(connection: Connection, account_id: int, lines_max: int) -> list[StatementLine]:
    """The latest entries of an account, newest first."""
    rows = connection.execute(
        select(movements.c.at, movements.c.kind, movements.c.subject, entries.c.amount)
        .join(movements, movements.c.id == entries.c.movement_id)
        .where(entries.c.account_id == account_id)
        .order_by(entries.c.id.desc())
        .limit(lines_max)
    )
    return [StatementLine(*row) for row in rows]
