"""A day of deposits in the database and its statement as a file, equal but for what is planted."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Connection,
    Integer,
    Select,
    String,
    cast,
    column,
    insert,
    literal,
    literal_column,
    select,
    table,
    true,
)

from gateway.database.engine import Database
from gateway.deposits import store
from gateway.deposits.states import State
from gateway.deposits.store import deposits
from gateway.reconciliation.compare.store import (
    AMOUNTS_DIFFER,
    DUPLICATE,
    OURS_ONLY,
    THEIRS_ONLY,
)

PROVIDER, CURRENCY, AMOUNT = "snippe", "TZS", "1500.00"
FIRST = 10_000_000  # numbers of equal length
STEPS = 50  # moments of the day, and transactions of the fill
PLANTED: Mapping[str, int] = {THEIRS_ONLY: 3, OURS_ONLY: 3, AMOUNTS_DIFFER: 2, DUPLICATE: 1}


def fill(url: str, count: int, start: datetime) -> None:
    """Migrate, then book so many deposits over the day that begins at `start`."""
    database = Database(url, pool_size=1)
    database.upgrade()
    database.run(partial(_first, at=start))
    for step in range(STEPS):
        since, until = (count * number // STEPS for number in (step, step + 1))
        at = start + timedelta(days=1) * step / STEPS
        database.run(partial(_copies, since=since, count=until - since, at=at))
    database.dispose()


def write(path: Path, count: int, start: datetime) -> None:
    """The provider's statement of that day, in its local time.

    Lines of the first deposits are left out, the next differ or stand twice, the last are unknown.
    """
    ours_only, differ = PLANTED[OURS_ONLY], PLANTED[AMOUNTS_DIFFER]
    with path.open("w") as file:
        file.write("txn_id,amount,at,reference,fee\n")
        for number in range(ours_only, count + PLANTED[THEIRS_ONLY]):
            at = (start + timedelta(seconds=86_400 * number // (count + 10))).strftime(
                "%Y-%m-%d %H:%M:%S"
            )
            amount = "1500.01" if number < ours_only + differ else AMOUNT
            line = f"TX{FIRST + number},{amount},{at},D{FIRST + number},15.00\n"
            file.write(line * 2 if number == ours_only + differ else line)


def _first(connection: Connection, at: datetime) -> None:
    """The row that all are copies of, pending so that no day has it."""
    store.add(
        connection,
        reference="D1",
        origin=store.ORDER,
        provider=PROVIDER,
        msisdn="+255700000001",
        amount=Decimal(AMOUNT),
        fee=Decimal("0.00"),
        currency=CURRENCY,
        state=State.PENDING.value,
        created_at=at,
        changed_at=at,
    )


def _copies(connection: Connection, since: int, count: int, at: datetime) -> None:
    numbers = _numbers(connection, count).subquery()
    name = cast(numbers.c.n + literal(FIRST + since, Integer), String(16))
    own: dict[str, Any] = {
        "reference": literal("D") + name,
        "txn_id": literal("TX") + name,
        "provider_ref": literal("pi_") + name,
        "state": literal(State.COMPLETED.value),
        "completed_at": literal(at, deposits.c.completed_at.type),
        "occurred_at": literal(at, deposits.c.occurred_at.type),
    }
    names = [one.name for one in deposits.c if one.name != "id"]
    values = [own.get(name, deposits.c[name]) for name in names]
    copied = select(*values).select_from(deposits.join(numbers, true()))
    copied = copied.where(deposits.c.reference == "D1")
    connection.execute(insert(deposits).from_select(names, copied))


def _numbers(connection: Connection, count: int) -> Select[Any]:
    """0 to count - 1, made inside the database."""
    if connection.dialect.name != "sqlite":
        return select((column("seq", Integer) - 1).label("n")).select_from(
            table(f"seq_1_to_{count}", column("seq", Integer))
        )
    counted = select(literal_column("0", Integer).label("n")).cte("counted", recursive=True)
    counted = counted.union_all(select(counted.c.n + 1).where(counted.c.n < count - 1))
    return select(counted.c.n)
