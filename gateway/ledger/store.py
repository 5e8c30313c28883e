"""Tables and SQL of accounts, movements and entries."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Connection,
    Date,
    ForeignKey,
    Index,
    Insert,
    String,
    bindparam,
    func,
    insert,
    select,
    text,
    update,
)

from gateway.database import prepared
from gateway.database.types import Instant, Money, money_bounds, new_id, row_id, table

ACTIVE, FROZEN, CLOSED = "active", "frozen", "closed"
# Guarded accounts store a balance.
WALLET, TILL, FLOAT = "wallet", "till", "float"
OUTLET = "outlet"  # what its tills have paid for it, until the bank has paid it back
GUARDED = (WALLET, TILL, FLOAT, OUTLET)
# System accounts store none: their balance is the sum of their entries.
OUTSTANDING = "outstanding"  # the value of all live tokens
HOUSE = "house"  # our own money: funds tokens issued without a partner or a wallet
HELD = "held"  # what withdrawals hold: with the balances, all we owe
SETTLEMENT = "settlement"  # owner: a provider, or the bank; below zero: it has our money
SUSPENSE = "suspense"  # owner: a provider; money that came and has no wallet to go to
FEES = "fees"  # what our services earned

accounts = table(
    "accounts",
    row_id(),
    Column("kind", String(16), nullable=False),
    Column("owner", String(64), nullable=False),  # MSISDN, partner, till, outlet, …
    Column("currency", String(3), nullable=False),
    Column("balance", Money, nullable=True),  # spendable; None: a system account stores none
    Column("held", Money, nullable=False),
    Column("status", String(8), nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("tier", String(16), nullable=True),  # of a wallet; None: basic
    Column("day", Date, nullable=True),  # the local day of the two totals
    Column("day_debits", Money, nullable=False, server_default=text("0.00")),
    Column("day_credits", Money, nullable=False, server_default=text("0.00")),
    Column("active_on", Date, nullable=True),  # when a wallet's owner last used it
    Column("unverified", Boolean, nullable=False, server_default="0"),
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
    tier: str | None = None
    day: date | None = None
    day_debits: Decimal = Decimal("0.00")
    day_credits: Decimal = Decimal("0.00")
    active_on: date | None = None
    unverified: bool = False

    @property
    def guarded(self) -> bool:
        """Whether the account stores a balance that may not fall below zero."""
        return self.balance is not None


# A process of an earlier version makes wallets without the day: then it is their first one.
USED_ON = func.coalesce(accounts.c.active_on, func.date(accounts.c.created_at), type_=Date)
_COLUMNS = (
    accounts.c.id,
    accounts.c.kind,
    accounts.c.owner,
    accounts.c.currency,
    accounts.c.balance,
    accounts.c.held,
    accounts.c.status,
    accounts.c.tier,
    accounts.c.day,
    accounts.c.day_debits,
    accounts.c.day_credits,
    USED_ON,
    accounts.c.unverified,
)
_FIND = select(*_COLUMNS).where(
    accounts.c.kind == bindparam("kind"),
    accounts.c.owner == bindparam("owner"),
    accounts.c.currency == bindparam("currency"),
)
_BY_ID = select(*_COLUMNS).where(accounts.c.id == bindparam("id"))
_INSERT_MOVEMENT = insert(movements)


def find(connection: Connection, kind: str, owner: str, currency: str) -> Account | None:
    """The account of an owner, None when there is none yet."""
    values = {"kind": kind, "owner": owner, "currency": currency}
    row = prepared.row(connection, _FIND, values)
    return None if row is None else Account(*row)


def by_id(connection: Connection, account_id: int) -> Account:
    """The account with this id, which exists because something refers to it."""
    row = prepared.row(connection, _BY_ID, {"id": account_id})
    if row is None:
        raise LookupError("an account is never deleted")
    return Account(*row)


def create(
    connection: Connection,
    kind: str,
    owner: str,
    currency: str,
    now: datetime,
    *,
    guarded: bool,
    active_on: date | None = None,
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
            active_on=active_on,
        )
    )
    number = new_id(made)
    return Account(number, kind, owner, currency, balance, zero, ACTIVE, active_on=active_on)


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


def has_moved(connection: Connection) -> bool:
    """Whether there was ever a movement."""
    return connection.execute(select(movements.c.id).limit(1)).first() is not None


def locked_sum(connection: Connection, account_id: int) -> Decimal:
    """What an account's entries come to; others who ask so wait until this transaction ends."""
    connection.execute(_BY_ID.with_for_update(), {"id": account_id}).one()
    total: Decimal | None = connection.execute(
        select(func.sum(entries.c.amount, type_=Money)).where(entries.c.account_id == account_id)
    ).scalar()
    return total if total is not None else Decimal("0.00")


def keep(connection: Connection, account_id: int) -> None:
    """Whoever asks for the locked sum of this account waits until this transaction ends."""
    connection.execute(_BY_ID.with_for_update(read=True), {"id": account_id}).one()


def has_movement(connection: Connection, operation_key: str) -> bool:
    """Whether a movement was booked under this key."""
    query = select(movements.c.id).where(movements.c.operation_key == operation_key)
    return connection.execute(query).first() is not None


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
