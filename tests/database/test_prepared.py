"""Prepared statements: SQLAlchemy's types and errors, and writes that wait their turn."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from sqlalchemy import Connection, bindparam, event, insert, select, update
from sqlalchemy.exc import DBAPIError

from gateway.database import prepared
from gateway.database.engine import Database
from gateway.database.types import Money
from gateway.errors import DuplicateKey
from gateway.ledger.store import accounts
from gateway.people.store import subscribers

NOW = datetime(2026, 3, 2, 9, 0, 0, 123456, tzinfo=UTC)
ADD = insert(subscribers)
PHONES = select(subscribers.c.msisdn, subscribers.c.created_at)
WITH_PHONE = PHONES.where(subscribers.c.msisdn == bindparam("msisdn"))


def person(number: int) -> dict[str, object]:
    return {"msisdn": f"+23480300000{number:02}", "language": "en", "created_at": NOW}


def phones(database: Database) -> list[str]:
    return sorted(database.run(lambda c: [row[0] for row in prepared.rows(c, PHONES, {})]))


def test_values_come_back_as_they_were_given(database: Database) -> None:
    def work(connection: Connection) -> object:
        prepared.add(connection, ADD, person(1))
        return prepared.row(connection, WITH_PHONE, {"msisdn": "+2348030000001"})

    assert database.run(work) == ("+2348030000001", NOW)


def test_an_id_and_a_count_of_rows_are_told(database: Database) -> None:
    to_french = (
        update(subscribers)
        .where(subscribers.c.id == bindparam("row"), subscribers.c.language == "en")
        .values(language=bindparam("code"))
    )

    def work(connection: Connection) -> list[int]:
        row = prepared.add(connection, ADD, person(1))
        change = {"row": row, "code": "fr"}
        return [prepared.change(connection, to_french, change) for _ in range(2)]

    assert database.run(work) == [1, 0]


def test_money_is_exact_through_a_prepared_statement(database: Database) -> None:
    values = {"kind": "wallet", "owner": "x", "currency": "NGN", "held": Decimal("0.00")}
    values |= {"balance": Decimal("0.30"), "status": "active", "created_at": NOW}
    less = update(accounts).values(balance=accounts.c.balance - bindparam("amount", type_=Money))

    def work(connection: Connection) -> object:
        prepared.add(connection, insert(accounts), values)
        prepared.change(connection, less, {"amount": Decimal("0.10")})
        return prepared.row(connection, select(accounts.c.balance), {})

    assert database.run(work) == (Decimal("0.20"),)


def test_a_duplicate_is_told_as_such(database: Database) -> None:
    database.run(lambda c: prepared.add(c, ADD, person(1)))
    with pytest.raises(DuplicateKey, match="msisdn"):
        database.run(lambda c: prepared.add(c, ADD, person(1)))


def test_an_expanding_statement_is_refused(database: Database) -> None:
    expanding = PHONES.where(subscribers.c.msisdn.in_(bindparam("many", expanding=True)))
    with pytest.raises(TypeError, match="depends on its values"):
        database.run(lambda c: prepared.rows(c, expanding, {"many": ["x"]}))


def test_a_forgotten_value_is_refused(database: Database) -> None:
    with pytest.raises(TypeError, match="no value is given for msisdn"):
        database.run(lambda c: prepared.rows(c, WITH_PHONE, {}))


def test_a_waiting_write_is_there_for_whatever_is_sent_after_it(database: Database) -> None:
    def work(connection: Connection) -> list[int]:
        seen = []
        for number in (1, 2):
            prepared.later(connection, ADD, person(number))
            seen.append(len(prepared.rows(connection, PHONES, {})))
        prepared.later(connection, ADD, person(3))
        seen.append(len(connection.execute(PHONES).all()))
        return seen

    assert database.run(work) == [1, 2, 3]


def test_waiting_writes_take_effect_in_their_order_and_with_the_commit(database: Database) -> None:
    rename = update(subscribers).values(msisdn=bindparam("other"))

    def work(connection: Connection) -> None:
        prepared.later(connection, ADD, person(1))
        prepared.later(connection, rename, {"other": "it's; 100% \\ END"})
        prepared.later(connection, ADD, person(2))

    database.run(work)
    assert phones(database) == ["+2348030000002", "it's; 100% \\ END"]


def test_waiting_writes_travel_together_on_mariadb(mariadb_url: str) -> None:
    database = Database(mariadb_url)
    sent: list[str] = []
    event.listen(database.engine, "before_cursor_execute", lambda *words: sent.append(words[2]))

    def work(connection: Connection) -> None:
        for number in range(4):
            prepared.later(connection, ADD, person(number))

    database.run(work)
    assert [text.count("INSERT INTO subscribers") for text in sent] == [4]
    assert len(phones(database)) == 4
    database.dispose()


def test_a_refused_waiting_write_undoes_all_that_came_before_it(database: Database) -> None:
    database.run(lambda c: prepared.add(c, ADD, person(1)))

    def work(connection: Connection) -> None:
        prepared.later(connection, ADD, person(2))
        prepared.later(connection, ADD, person(1))
        prepared.later(connection, ADD, person(3))

    with pytest.raises(DuplicateKey):
        database.run(work)
    assert phones(database) == ["+2348030000001"]


def test_what_waits_dies_with_its_attempt(database: Database) -> None:
    def fails(connection: Connection) -> None:
        prepared.later(connection, ADD, person(1))
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        database.run(fails)
    database.run(lambda c: prepared.later(c, ADD, person(2)))
    assert phones(database) == ["+2348030000002"]


def test_a_write_outside_a_unit_of_work_goes_out_at_once(database: Database) -> None:
    with database.engine.connect() as connection:
        prepared.later(connection, ADD, person(1))
        assert len(prepared.rows(connection, PHONES, {})) == 1
        connection.rollback()
    assert phones(database) == []


def test_a_fault_of_ours_is_raised_as_it_is(database: Database) -> None:
    too_long = {**person(1), "msisdn": "x" * 99, "created_at": None}
    with pytest.raises(DBAPIError):
        database.run(lambda c: prepared.later(c, ADD, too_long))
    assert phones(database) == []
