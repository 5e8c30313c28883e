"""Money, instants, digests and ids mean the same on both databases, to the last place."""

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.exc import DBAPIError, StatementError

from gateway.database.engine import Database
from gateway.database.types import MONEY_MAX, Money
from gateway.ledger.store import accounts, movements
from gateway.ussd.journal import ussd_sessions
from tests.support.clock import START

AMOUNTS = (
    "0.00",
    "0.01",
    "-0.00",
    "0.10",
    "90071992547409.93",
    "9007199254740993.01",  # above 2^53: a binary float would lose the cent
    "999999999999999.99",
    "9999999999999999.99",
)
REFUSED = (
    0.1,
    1,
    "1.00",
    Decimal("0.001"),
    Decimal("NaN"),
    Decimal("sNaN"),
    Decimal("Infinity"),
    Decimal("-Infinity"),
    MONEY_MAX + Decimal("0.01"),
    -MONEY_MAX - Decimal("0.01"),
)


def add(connection: Connection, owner: str, balance: object, held: str = "0.00") -> None:
    """An account with any balance; held takes what the column takes."""
    connection.execute(
        insert(accounts).values(
            kind="wallet",
            owner=owner,
            currency="NGN",
            balance=balance,
            held=Decimal(held),
            status="active",
            created_at=START,
        )
    )


@pytest.mark.parametrize("text", AMOUNTS)
def test_an_amount_is_read_as_it_was_written(database: Database, text: str) -> None:
    database.run(lambda c: add(c, "a", Decimal(text)))
    found = database.run(lambda c: c.execute(select(accounts.c.balance)).scalar_one())
    assert isinstance(found, Decimal)
    assert found == Decimal(text)
    assert found.as_tuple().exponent == -2
    assert not found.is_signed()


@pytest.mark.parametrize("value", REFUSED, ids=repr)
def test_what_is_no_exact_amount_is_refused_before_it_is_sent(
    database: Database, value: object
) -> None:
    with pytest.raises(StatementError) as refusal:
        database.run(lambda c: add(c, "a", value))
    assert not isinstance(refusal.value, DBAPIError)
    assert (
        database.run(lambda c: c.execute(select(func.count()).select_from(accounts)).scalar()) == 0
    )


def test_a_float_in_a_condition_is_refused_too(database: Database) -> None:
    with pytest.raises(StatementError, match="money is Decimal"):
        database.run(lambda c: c.execute(select(accounts.c.id).where(accounts.c.balance >= 0.1)))


def test_thirty_less_ten_cents_is_exactly_twenty(database: Database) -> None:
    database.run(lambda c: add(c, "a", Decimal("0.30")))
    for amount, left in (("0.10", "0.20"), ("0.20", "0.00")):

        def debit(connection: Connection, taken: Decimal = Decimal(amount)) -> int:
            guarded = update(accounts).where(accounts.c.balance >= taken)
            return connection.execute(guarded.values(balance=accounts.c.balance - taken)).rowcount

        assert database.run(debit) == 1
        found = database.run(lambda c: c.execute(select(accounts.c.balance)).scalar_one())
        assert found == Decimal(left)


def test_ten_times_ten_cents_sum_to_exactly_one(database: Database) -> None:
    for number in range(10):
        database.run(partial(add, owner=f"o{number}", balance=Decimal("0.10")))
    total = database.run(lambda c: c.execute(select(func.sum(accounts.c.balance))).scalar_one())
    assert isinstance(total, Decimal)
    assert str(total) == "1.00"
    none = select(func.coalesce(func.sum(accounts.c.balance), Decimal("0.00"), type_=Money))
    empty = none.where(accounts.c.owner == "nobody")
    assert database.run(lambda c: c.execute(empty).scalar_one()) == Decimal("0.00")


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(cents=st.lists(st.integers(0, 10**15), min_size=1, max_size=8))
def test_a_sum_is_exact_for_any_amounts(database: Database, cents: list[int]) -> None:
    amounts = [Decimal(n).scaleb(-2) for n in cents]

    def work(connection: Connection) -> Decimal:
        connection.execute(delete(accounts))
        for number, amount in enumerate(amounts):
            add(connection, f"o{number}", amount)
        total: Decimal = connection.execute(select(func.sum(accounts.c.balance))).scalar_one()
        return total

    assert database.run(work) == sum(amounts)


def test_a_balance_below_zero_is_refused_by_the_database(database: Database) -> None:
    with pytest.raises(DBAPIError):
        database.run(lambda c: add(c, "a", Decimal("-0.01")))
    with pytest.raises(DBAPIError):
        database.run(lambda c: add(c, "a", Decimal("0.00"), held="-0.01"))


def test_an_amount_that_grows_beyond_the_column_is_refused_not_cut(database: Database) -> None:
    database.run(lambda c: add(c, "a", MONEY_MAX))
    grown = update(accounts).values(balance=accounts.c.balance + Decimal("0.01"))
    with pytest.raises(DBAPIError):
        database.run(lambda c: c.execute(grown))
    assert database.run(lambda c: c.execute(select(accounts.c.balance)).scalar()) == MONEY_MAX


@pytest.mark.parametrize(
    "instant",
    [
        datetime(2026, 2, 28, 23, 59, 59, 999999, tzinfo=UTC),
        datetime(2026, 3, 1, tzinfo=UTC),
        datetime(2026, 3, 1, 1, 0, 0, 1, tzinfo=timezone(timedelta(hours=1))),
        datetime(2026, 2, 28, 19, 0, tzinfo=timezone(timedelta(hours=-5))),
    ],
    ids=str,
)
def test_an_instant_is_kept_to_the_microsecond_in_utc(
    database: Database, instant: datetime
) -> None:
    def work(connection: Connection) -> tuple[datetime, list[int], list[int]]:
        connection.execute(
            insert(movements).values(operation_key="k", kind="issue", subject="s", at=instant)
        )
        moment: datetime = connection.execute(select(movements.c.at)).scalar_one()
        later = instant + timedelta(microseconds=1)
        ids = select(movements.c.id)
        before = connection.execute(ids.where(movements.c.at < later)).scalars().all()
        after = connection.execute(ids.where(movements.c.at > instant)).scalars().all()
        return moment, list(before), list(after)

    found, before, after = database.run(work)
    assert found == instant
    assert found.tzinfo is UTC
    assert len(before) == 1
    assert after == []


def test_a_naive_instant_is_refused(database: Database) -> None:
    naive = START.replace(tzinfo=None)
    with pytest.raises(StatementError, match="an instant needs its zone"):
        database.run(lambda c: c.execute(select(movements.c.id).where(movements.c.at < naive)))


def test_ids_that_differ_in_case_or_a_trailing_blank_are_three(database: Database) -> None:
    ids = ["Qk7", "qK7", "Qk7 "]
    keys, subjects = movements.c.operation_key, movements.c.subject

    def work(connection: Connection) -> None:
        for key in ids:
            connection.execute(
                insert(movements).values(operation_key=key, kind="issue", subject=key, at=START)
            )
        for key in ids:
            by_key = connection.execute(select(keys).where(keys == key)).scalars()
            assert by_key.all() == [key]
            by_subject = connection.execute(select(subjects).where(subjects == key)).scalars()
            assert by_subject.all() == [key]

    database.run(work)


def test_a_digest_is_kept_byte_for_byte(database: Database) -> None:
    digests = [bytes(32), b"\xff" * 32, bytes(range(31)) + b" ", bytes(range(31)) + b"\x00"]

    def work(connection: Connection) -> list[bytes]:
        for digest in digests:
            connection.execute(
                insert(ussd_sessions).values(
                    state_key=digest,
                    channel="test",
                    msisdn="+2348030000001",
                    network="",
                    started_at=START,
                )
            )
        found = connection.execute(select(ussd_sessions.c.state_key))
        return list(found.scalars())

    assert sorted(database.run(work)) == sorted(digests)
