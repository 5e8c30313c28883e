"""Tables and SQL of outlets and their tills."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    func,
    insert,
    select,
    update,
)

from gateway.database.types import Instant, Money, money_bounds, new_id, row_id, table
from gateway.ledger.store import ACTIVE, accounts

CODE_MAX, NAME_MAX, SETTLE_TO_MAX = 16, 40, 64


class Status(StrEnum):
    """Whether an outlet or a till is in use; it is its account that is frozen."""

    OPEN = "open"
    FROZEN = "frozen"  # never stored
    CLOSED = "closed"  # for good


outlets = table(
    "outlets",
    row_id(),
    Column("code", String(16), nullable=False, unique=True),
    Column("name", String(40), nullable=False),
    Column("settle_to", String(64), nullable=False),  # the bank account
    Column("status", String(8), nullable=False),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("created_at", Instant, nullable=False),
    CheckConstraint("status IN ('open', 'closed')", name="status_known"),
)

tills = table(
    "tills",
    row_id(),
    Column("outlet_id", ForeignKey("outlets.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("account_id", ForeignKey("accounts.id"), nullable=False, unique=True),
    Column("float_limit", Money, nullable=False),  # what one shift may pay out in all
    Column("status", String(8), nullable=False),
    CheckConstraint("status IN ('open', 'closed')", name="status_known"),
    CheckConstraint("float_limit > 0", name="float_limit_positive"),
    money_bounds("float_limit"),
    Index("uq_tills_outlet_id_number", "outlet_id", "number", unique=True),
)


@dataclass(frozen=True, slots=True)
class Outlet:
    """Where tills stand, and where its money is paid to."""

    id: int
    code: str
    name: str
    settle_to: str
    status: str
    account_id: int  # its settlement account
    created_at: datetime
    account_status: str

    @property
    def stand(self) -> Status:
        """Whether its tills pay, and its bank is paid."""
        return _stand(self.status, self.account_status)


@dataclass(frozen=True, slots=True)
class Till:
    """A drawer of cash, and the account that its payments are owed to."""

    id: int
    outlet_id: int
    outlet: str  # the outlet's code
    number: int
    account_id: int
    float_limit: Decimal
    status: str
    account_status: str

    @property
    def stand(self) -> Status:
        """Whether it pays, as far as its outlet lets it."""
        return _stand(self.status, self.account_status)

    @property
    def name(self) -> str:
        """As the ledger knows its owner."""
        return till_name(self.outlet, self.number)


def till_name(outlet: str, number: int) -> str:
    """The owner of a till's account.

    >>> till_name("LAG-1", 2)
    'LAG-1/2'
    """
    return f"{outlet}/{number}"


def _stand(status: str, account_status: str) -> Status:
    """What a row and its account come to together.

    >>> _stand("open", "active"), _stand("open", "frozen"), _stand("closed", "closed")
    (<Status.OPEN: 'open'>, <Status.FROZEN: 'frozen'>, <Status.CLOSED: 'closed'>)
    """
    if status == Status.CLOSED:
        return Status.CLOSED
    return Status.OPEN if account_status == ACTIVE else Status.FROZEN


_t = tills.c
_OUTLETS = select(outlets, accounts.c.status.label("account_status")).join(
    accounts, accounts.c.id == outlets.c.account_id
)
_TILLS = (
    select(
        *(_t.id, _t.outlet_id, outlets.c.code, _t.number, _t.account_id, _t.float_limit),
        *(_t.status, accounts.c.status),
    )
    .join(outlets, outlets.c.id == _t.outlet_id)
    .join(accounts, accounts.c.id == _t.account_id)
)


def by_code(connection: Connection, code: str) -> Outlet | None:
    """The outlet with this code."""
    row = connection.execute(_OUTLETS.where(outlets.c.code == code)).one_or_none()
    return None if row is None else Outlet(**row._mapping)


def every(connection: Connection) -> list[Outlet]:
    """All outlets, by code."""
    rows = connection.execute(_OUTLETS.order_by(outlets.c.code))
    return [Outlet(**row._mapping) for row in rows]


def lock(connection: Connection, outlet_id: int) -> None:
    """Keep an outlet as it is until this transaction ends."""
    connection.execute(select(outlets.c.id).where(outlets.c.id == outlet_id).with_for_update())


def lock_tills(connection: Connection, *which: int) -> None:
    """Keep tills as they are until this transaction ends: no shift is opened there meanwhile."""
    query = select(_t.id).where(_t.id.in_(which)).order_by(_t.id).with_for_update()
    connection.execute(query).all()


def till(connection: Connection, till_id: int) -> Till | None:
    """The till with this id."""
    return _till(connection.execute(_TILLS.where(_t.id == till_id)).one_or_none())


def till_of_account(connection: Connection, account_id: int) -> Till | None:
    """The till whose account this is; None for an account that is no outlet's till."""
    return _till(connection.execute(_TILLS.where(_t.account_id == account_id)).one_or_none())


def tills_of(connection: Connection, outlet_id: int) -> list[Till]:
    """An outlet's tills, by number."""
    rows = connection.execute(_TILLS.where(_t.outlet_id == outlet_id).order_by(_t.number))
    return [till for till in map(_till, rows) if till is not None]


def next_number(connection: Connection, outlet_id: int) -> int:
    """The number of an outlet's next till; two at once are told apart by the unique index."""
    found = connection.execute(
        select(func.max(_t.number)).where(_t.outlet_id == outlet_id)
    ).scalar_one()
    return int(found or 0) + 1


def add_outlet(
    connection: Connection, code: str, name: str, settle_to: str, account_id: int, now: datetime
) -> int:
    """A new outlet; its id. `DuplicateKey` when the code is taken."""
    done = connection.execute(
        insert(outlets).values(
            code=code,
            name=name,
            settle_to=settle_to,
            status=Status.OPEN.value,
            account_id=account_id,
            created_at=now,
        )
    )
    return new_id(done)


def add_till(
    connection: Connection, outlet_id: int, number: int, account_id: int, float_limit: Decimal
) -> int:
    """A new till; its id. `DuplicateKey` when the number is taken."""
    done = connection.execute(
        insert(tills).values(
            outlet_id=outlet_id,
            number=number,
            account_id=account_id,
            float_limit=float_limit,
            status=Status.OPEN.value,
        )
    )
    return new_id(done)


def close_outlet(connection: Connection, outlet_id: int) -> bool:
    """Open to closed for good; False when it is not open."""
    return _close(connection, outlets, outlet_id)


def close_till(connection: Connection, till_id: int) -> bool:
    """Open to closed for good; False when it is not open."""
    return _close(connection, tills, till_id)


def limit_till(connection: Connection, till_id: int, before: Decimal, after: Decimal) -> bool:
    """Change what a shift may pay out; False when the till is closed or has another limit now."""
    which = (_t.id == till_id, _t.status == Status.OPEN.value, _t.float_limit == before)
    done = connection.execute(update(tills).where(*which).values(float_limit=after))
    return done.rowcount == 1


def _close(connection: Connection, of: Table, row: int) -> bool:
    is_open = (of.c.id == row, of.c.status == Status.OPEN.value)
    done = connection.execute(update(of).where(*is_open).values(status=Status.CLOSED.value))
    return done.rowcount == 1


def _till(row: Any) -> Till | None:
    return None if row is None else Till(*row)
