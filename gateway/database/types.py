"""Column types that mean the same on MariaDB and SQLite, and the one metadata all tables join."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    CursorResult,
    DateTime,
    Integer,
    LargeBinary,
    MetaData,
    Numeric,
    Table,
)
from sqlalchemy.dialects import mysql
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine

from gateway.formats.money import exact

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

# Exact comparison without trailing-blank padding: "Qk7", "qK7" and "Qk7 " are three ids.
MARIADB_TABLE: dict[str, Any] = {
    "mysql_engine": "InnoDB",
    "mysql_charset": "utf8mb4",
    "mysql_collate": "utf8mb4_nopad_bin",
}
MONEY_MAX = Decimal("9999999999999999.99")  # the largest DECIMAL(18,2)


class Money(TypeDecorator[Decimal]):
    """DECIMAL(18,2) on MariaDB, integer minor units on SQLite, Decimal with two places in Python.

    SQLite's own NUMERIC is a binary float: 0.30 - 0.10 there is not 0.20.
    """

    impl = Numeric
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name == "sqlite":
            return dialect.type_descriptor(BigInteger())
        return dialect.type_descriptor(Numeric(18, 2))

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        amount = exact(value)
        return int(amount.scaleb(2)) if dialect.name == "sqlite" else amount

    def process_result_value(self, value: Any, dialect: Dialect) -> Decimal | None:
        if value is None:
            return None
        if dialect.name == "sqlite":
            return Decimal(value).scaleb(-2)
        return exact(Decimal(value))


class Instant(TypeDecorator[datetime]):
    """An aware UTC instant, to the microsecond: DATETIME(6) on MariaDB, sortable text on SQLite."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name == "sqlite":
            return dialect.type_descriptor(DateTime())
        return dialect.type_descriptor(mysql.DATETIME(fsp=6))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        if value.tzinfo is None:
            raise TypeError("an instant needs its zone")
        naive = value.astimezone(UTC).replace(tzinfo=None)
        # As text at once: PyMySQL writes a datetime field by field, ten times slower.
        is_sqlite = dialect.name == "sqlite"
        return naive if is_sqlite else naive.isoformat(" ", "microseconds")

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.replace(tzinfo=UTC)


# A keyed digest, 32 bytes, compared byte for byte.
Digest = LargeBinary(32).with_variant(mysql.BINARY(32), "mysql", "mariadb")
# SQLite numbers rows by itself only for INTEGER keys.
RowId = BigInteger().with_variant(Integer(), "sqlite")


def money_bounds(column: str) -> CheckConstraint:
    """SQLite's guard for what DECIMAL(18,2) refuses by itself on MariaDB."""
    ceiling = int(MONEY_MAX.scaleb(2))
    check = CheckConstraint(f"{column} BETWEEN -{ceiling} AND {ceiling}", name=f"{column}_bounds")
    return check.ddl_if(dialect="sqlite")


def table(name: str, *parts: Any) -> Table:
    """A table of the product, with the MariaDB options every table needs."""
    made: Table = Table(name, metadata, *parts, **MARIADB_TABLE)
    return made


def new_id(done: CursorResult[Any]) -> int:
    """The id an INSERT has given its row."""
    key = done.inserted_primary_key
    if key is None:
        raise TypeError("only an INSERT gives an id")
    return int(key[0])


def row_id() -> Column[int]:
    """The usual surrogate key. Never a token input: ids on a cluster are not dense or ordered."""
    return Column("id", RowId, primary_key=True, autoincrement=True)
