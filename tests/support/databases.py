"""Hands each test a database that is migrated and empty, on SQLite and on MariaDB, quickly."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pymysql

from gateway.database.engine import Database
from tests.support.mariadb import MariaDBServer

Row = tuple[object, ...]

LOCK_WAIT_SECONDS = 10  # a transaction that an earlier test left open is named, not waited for


def migrate(url: str) -> None:
    """Bring the database at `url` to the newest schema."""
    database = Database(url)
    try:
        database.upgrade()
    finally:
        database.dispose()


class SQLiteTemplate:
    """A file migrated once; each test gets a copy of it."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "template.db"
        migrate(f"sqlite:///{self._file}")

    def copy_to(self, file: Path) -> str:
        """Copy the template and return the copy's URL."""
        shutil.copyfile(self._file, file)
        return f"sqlite:///{file}"


class MariaDBSchema:
    """A database migrated once; before each test it is put back to how the migrations left it.

    Tables are truncated, as triggers forbid DELETE on some of them; rows that migrations wrote
    are written again.
    """

    def __init__(
        self, server: MariaDBServer, name: str, migrate: Callable[[str], None] = migrate
    ) -> None:
        server.create_database(name)
        self.url = server.url(name)
        migrate(self.url)
        self._connection = server.connect(name)
        with self._connection.cursor() as cursor:
            cursor.execute(
                "SET SESSION foreign_key_checks = 0, lock_wait_timeout = %s", (LOCK_WAIT_SECONDS,)
            )
            self._columns = _columns(cursor)
            self._seeds = {
                table: self._rows(cursor, table) for table in self._filled_tables(cursor)
            }

    def restore(self) -> str:
        """Undo whatever a test wrote and return the URL."""
        with self._connection.cursor() as cursor:
            filled = self._filled_tables(cursor)
            for table in self._seeds.keys() | filled:
                self._restore_table(cursor, table)
        return self.url

    def close(self) -> None:
        """Give the connection back."""
        self._connection.close()

    def _restore_table(self, cursor: pymysql.cursors.Cursor, table: str) -> None:
        seeds = self._seeds.get(table, [])
        if seeds and self._rows(cursor, table) == seeds:
            return
        cursor.execute(f"TRUNCATE TABLE `{table}`")
        if seeds:
            names = self._columns[table]
            places = ", ".join(["%s"] * len(names))
            cursor.executemany(f"INSERT INTO `{table}` ({_list(names)}) VALUES ({places})", seeds)

    def _filled_tables(self, cursor: pymysql.cursors.Cursor) -> set[str]:
        """Ask for all tables at once: most are empty after most tests."""
        cursor.execute(
            " UNION ALL ".join(
                f"SELECT '{table}' FROM DUAL WHERE EXISTS (SELECT 1 FROM `{table}`)"
                for table in self._columns
            )
        )
        return {str(table) for (table,) in cursor.fetchall()}

    def _rows(self, cursor: pymysql.cursors.Cursor, table: str) -> list[Row]:
        cursor.execute(f"SELECT {_list(self._columns[table])} FROM `{table}`")
        return list(cursor.fetchall())


def _columns(cursor: pymysql.cursors.Cursor) -> dict[str, list[str]]:
    """Each table's columns that can be written, which generated ones cannot."""
    cursor.execute(
        "SELECT table_name, column_name FROM information_schema.columns"
        " JOIN information_schema.tables USING (table_schema, table_name)"
        " WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE'"
        " AND is_generated = 'NEVER' ORDER BY table_name, ordinal_position"
    )
    columns: dict[str, list[str]] = {}
    for table, column in cursor.fetchall():
        columns.setdefault(str(table), []).append(str(column))
    return columns


def _list(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
