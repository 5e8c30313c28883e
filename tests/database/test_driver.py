"""What the driver remembers of a result's columns never reaches another result."""

import os
import ssl
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any

import certifi
import pymysql
import pytest

from gateway.database.driver import RememberingConnection
from tests.support.mariadb import MariaDBServer

CA = certifi.where()
QUERY = "SELECT 1 AS a, CAST(2.50 AS DECIMAL(18,2)) AS b, 'x' AS c, NOW(6) AS d, X'00ff' AS e, NULL"


@pytest.fixture
def line(mariadb_server: MariaDBServer) -> Iterator[RememberingConnection]:
    name = f"remembering_{os.getpid()}"  # the server is shared
    mariadb_server.create_database(name)
    connection = RememberingConnection(
        host="127.0.0.1", port=mariadb_server.port, user="root", database=name
    )
    yield connection
    connection.close()


def told(connection: Any, query: str) -> tuple[Any, Any]:
    """The description and the row of a query."""
    with connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.description, cursor.fetchone()


def test_a_result_reads_the_same_the_first_time_again_and_by_pymysql_itself(
    line: RememberingConnection, mariadb_server: MariaDBServer
) -> None:
    stamped = "SET SESSION timestamp = 1800000000"
    plain = pymysql.connect(host="127.0.0.1", port=mariadb_server.port, user="root")
    for connection in (line, plain):
        with connection.cursor() as cursor:
            cursor.execute(stamped)
    first, again, theirs = (told(one, QUERY) for one in (line, line, plain))
    plain.close()
    assert first == again == theirs
    assert [type(value) for value in first[1][:5]] == [int, Decimal, str, datetime, bytes]


def test_encryption_without_an_authority_reads_no_certificates(line: Any) -> None:
    assert line.ctx.verify_mode == ssl.CERT_NONE
    assert not line.ctx.check_hostname
    assert line.ctx.cert_store_stats()["x509_ca"] == 0


def test_encryption_under_an_authority_is_checked() -> None:
    checked: Any = RememberingConnection(ssl={"cipher": "DEFAULT", "ca": CA}, defer_connect=True)
    assert checked.ctx.verify_mode == ssl.CERT_REQUIRED
    assert checked.ctx.check_hostname
    assert checked.ctx.cert_store_stats()["x509_ca"] > 0


def test_a_column_of_the_same_name_and_another_type_is_read_as_it_is(
    line: RememberingConnection,
) -> None:
    assert told(line, "SELECT 1 AS a")[1] == (1,)
    assert told(line, "SELECT '1' AS a")[1] == ("1",)
    assert told(line, "SELECT CAST(1 AS DECIMAL(18,2)) AS a")[1] == (Decimal("1.00"),)


def test_a_column_whose_type_was_changed_is_read_as_it_is_now(
    line: RememberingConnection,
) -> None:
    with line.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE changing (a INT)")
        cursor.execute("INSERT INTO changing VALUES (7)")
    query = "SELECT a FROM changing"
    assert [told(line, query)[1] for _ in range(2)] == [(7,), (7,)]
    with line.cursor() as cursor:
        cursor.execute("ALTER TABLE changing MODIFY a VARCHAR(9)")
    assert [told(line, query)[1] for _ in range(2)] == [("7",), ("7",)]


def test_descriptions_that_do_not_come_at_once_are_read_all_the_same(
    line: RememberingConnection,
) -> None:
    wide = "SELECT " + ", ".join(f"{number} AS {'c' * 50}{number}" for number in range(600))
    assert [told(line, wide)[1] for _ in range(2)] == [tuple(range(600))] * 2


def test_rows_that_are_read_one_by_one_are_described_too(line: RememberingConnection) -> None:
    for _ in range(2):
        with line.cursor(pymysql.cursors.SSCursor) as cursor:
            cursor.execute("SELECT 1 AS a UNION ALL SELECT 2")
            assert (cursor.description[0][0], cursor.fetchall()) == ("a", [(1,), (2,)])


def test_an_error_instead_of_a_result_is_raised(line: RememberingConnection) -> None:
    with pytest.raises(pymysql.err.OperationalError), line.cursor() as cursor:
        cursor.execute("SELECT nothing")
    assert told(line, "SELECT 1")[1] == (1,)


def test_the_product_reads_over_it(database: Any) -> None:
    with database.snapshot() as connection:
        raw = connection.connection.dbapi_connection
        assert database.is_sqlite or isinstance(raw, RememberingConnection)
