"""Tables and SQL of paying at a counter: the token as entered there, a customer's day."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from sqlalchemy import (
    Column,
    Connection,
    Date,
    String,
    bindparam,
    delete,
    insert,
    select,
    tuple_,
    update,
)

from gateway.database.types import Money, RowId, money_bounds, table
from gateway.tokens.store import Token, tokens

agent_customers = table(
    "agent_customers",
    # No foreign key: it would lock the till's account before the movement does.
    Column("till_id", RowId, primary_key=True, autoincrement=False),
    Column("customer", String(16), primary_key=True),  # E.164
    Column("day", Date, primary_key=True),  # a local day
    Column("amount", Money, nullable=False),  # paid so far
    money_bounds("amount"),
)

_C = agent_customers.c
_ENTERED = (
    select(*tokens.c)
    .where(tokens.c.lookup.in_(bindparam("lookups", expanding=True)))
    .with_for_update()
)


def entered(connection: Connection, lookups: Sequence[bytes]) -> list[Token]:
    """Every token stored under one of these digests, kept as it is until the transaction ends."""
    return [Token(*row) for row in connection.execute(_ENTERED, {"lookups": lookups})]


def count_within(
    connection: Connection, till_id: int, customer: str, day: date, amount: Decimal, most: Decimal
) -> bool:
    """Add to what a till has paid a customer in a day; False when it would pass `most`.

    A race for the day's first payment ends in `DuplicateKey` and a repeat.
    """
    counted = connection.execute(
        update(agent_customers)
        .where(
            _C.till_id == till_id,
            _C.customer == customer,
            _C.day == day,
            _C.amount <= most - amount,
        )
        .values(amount=_C.amount + amount)
    )
    if counted.rowcount == 1:
        return True
    if amount > most or paid(connection, till_id, customer, day) is not None:
        return False
    connection.execute(
        insert(agent_customers),
        {"till_id": till_id, "customer": customer, "day": day, "amount": amount},
    )
    return True


def count_less(
    connection: Connection, till_id: int, customer: str, day: date, amount: Decimal
) -> None:
    """Take from what a till has paid a customer in a day what it got back."""
    connection.execute(
        update(agent_customers)
        .where(_C.till_id == till_id, _C.customer == customer, _C.day == day, _C.amount >= amount)
        .values(amount=_C.amount - amount)
    )


def paid(connection: Connection, till_id: int, customer: str, day: date) -> Decimal | None:
    """What a till has paid a customer in a day; None before the first payment."""
    found: Decimal | None = connection.execute(
        select(_C.amount).where(_C.till_id == till_id, _C.customer == customer, _C.day == day)
    ).scalar()
    return found


def past(connection: Connection, before: date, rows_max: int) -> list[tuple[int, str, date]]:
    """The keys of days that are over."""
    query = select(_C.till_id, _C.customer, _C.day).where(_C.day < before).limit(rows_max)
    return [(int(row[0]), str(row[1]), row[2]) for row in connection.execute(query)]


def forget(connection: Connection, keys: Sequence[tuple[int, str, date]]) -> int:
    """Delete these days; how many."""
    named = tuple_(_C.till_id, _C.customer, _C.day).in_(keys)
    return connection.execute(delete(agent_customers).where(named)).rowcount
