"""The schema that the migrations make is the one the code needs, and they can always run again."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

import wiring.gateway
from gateway.database import triggers, upgrade
from gateway.database.engine import Database
from gateway.database.types import metadata
from gateway.ledger.invariants.check import INVARIANTS, check
from tests.support.races import race

assert wiring.gateway.MENUS  # importing the wiring has brought every table into the metadata
VERSIONS = sorted(
    script.revision for script in ScriptDirectory(str(upgrade.MIGRATIONS)).walk_revisions()
)


@pytest.fixture
def empty(unmigrated_url: str) -> Iterator[Database]:
    """A database without any table."""
    database = Database(unmigrated_url)
    yield database
    database.dispose()


def picture(connection: Connection) -> dict[str, Any]:
    """Everything the database says about its tables."""
    if connection.dialect.name == "sqlite":
        rows = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master ORDER BY name")
        return {str(name): sql for name, sql in rows}
    names = connection.exec_driver_sql("SHOW TABLES").scalars().all()
    made = {
        name: connection.exec_driver_sql(f"SHOW CREATE TABLE `{name}`").one()[1] for name in names
    }
    return {**made, "triggers": sorted(triggers.names(connection))}


def test_the_migrated_schema_is_the_one_in_the_code(database: Database) -> None:
    def differences(connection: Connection) -> list[Any]:
        options = {"compare_type": True, "compare_server_default": True}
        found: list[Any] = compare_metadata(
            MigrationContext.configure(connection, opts=options), metadata
        )
        return found

    assert database.run(differences) == []


def test_every_check_constraint_of_the_code_is_in_the_database(database: Database) -> None:
    dialect = database.engine.dialect

    def found(connection: Connection) -> dict[str, set[str]]:
        inspector = sa.inspect(connection)
        return {
            name: {str(check["name"]) for check in inspector.get_check_constraints(name)}
            for name in metadata.tables
        }

    def wanted(table: sa.Table) -> set[str]:
        made = str(sa.schema.CreateTable(table).compile(dialect=dialect))
        checks = [c for c in table.constraints if isinstance(c, sa.CheckConstraint)]
        return {str(c.name) for c in checks if f"CONSTRAINT {c.name} " in made}

    expected = {name: wanted(table) for name, table in metadata.tables.items()}
    assert any(expected.values())
    assert database.run(found) == expected


def test_every_table_compares_exactly_and_can_roll_back_on_mariadb(mariadb_url: str) -> None:
    database = Database(mariadb_url)
    query = (
        "SELECT table_name, engine, table_collation FROM information_schema.tables"
        " WHERE table_schema = DATABASE() AND table_name <> 'alembic_version'"
    )
    rows = database.run(lambda c: c.exec_driver_sql(query).all())
    assert {(row[1], row[2]) for row in rows} == {("InnoDB", "utf8mb4_nopad_bin")}
    assert {row[0] for row in rows} == set(metadata.tables)
    database.dispose()


def test_every_table_has_a_primary_key() -> None:
    assert [name for name, table in metadata.tables.items() if not table.primary_key] == []


def test_the_triggers_are_the_expected_ones(database: Database) -> None:
    assert database.run(triggers.names) == triggers.expected()
    assert len(triggers.expected()) == 2 * len(triggers.APPEND_ONLY)


def test_upgrading_again_changes_nothing(database: Database) -> None:
    before = database.run(picture)
    database.upgrade()
    database.upgrade()
    assert database.run(picture) == before
    assert database.run(upgrade.current) == upgrade.newest()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_migration_that_was_cut_off_can_be_run_again(empty: Database, version: str) -> None:
    empty.run(lambda c: upgrade.upgrade(c, version))
    before = empty.run(picture)
    earlier = VERSIONS[VERSIONS.index(version) - 1] if version != VERSIONS[0] else None

    def forget(connection: Connection) -> None:
        if earlier is None:
            connection.exec_driver_sql("DELETE FROM alembic_version")
        else:
            connection.execute(
                sa.text("UPDATE alembic_version SET version_num = :v"), {"v": earlier}
            )

    empty.run(forget)
    empty.run(lambda c: upgrade.upgrade(c, version))
    assert empty.run(picture) == before


def test_a_migration_cut_off_in_its_middle_is_finished(empty: Database) -> None:
    empty.run(lambda c: upgrade.upgrade(c, VERSIONS[0]))
    whole = empty.run(picture)

    def undo_the_end(connection: Connection) -> None:
        connection.exec_driver_sql("DELETE FROM alembic_version")
        connection.exec_driver_sql("DROP TABLE entries")
        connection.exec_driver_sql("DROP TRIGGER tr_movements_no_delete")

    empty.run(undo_the_end)
    empty.run(lambda c: upgrade.upgrade(c, VERSIONS[0]))
    assert empty.run(picture) == whole


def test_four_upgrades_at_once_end_well(empty: Database, unmigrated_url: str) -> None:
    databases = [Database(unmigrated_url) for _ in range(4)]
    assert race(4, lambda n: databases[n].upgrade()) == [None] * 4
    for database in databases:
        database.dispose()
    assert empty.run(upgrade.current) == upgrade.newest()
    assert empty.run(triggers.names) == triggers.expected()
    versions = empty.run(lambda c: c.exec_driver_sql("SELECT * FROM alembic_version").all())
    assert len(versions) == 1


def test_the_lock_of_an_upgrade_is_given_back(mariadb_url: str) -> None:
    database = Database(mariadb_url, pool_size=1)
    database.upgrade()
    free = "SELECT IS_FREE_LOCK(CONCAT('gateway upgrade ', DATABASE()))"
    assert database.run(lambda c: c.exec_driver_sql(free).scalar()) == 1
    database.dispose()


def test_a_database_with_rows_keeps_them_through_every_later_migration(empty: Database) -> None:
    unit = 100 if empty.is_sqlite else 1  # rows as the first version wrote them
    moment = "2026-03-02 09:00:00.000000"

    def fill(connection: Connection) -> None:
        for statement in (
            "INSERT INTO accounts (id, kind, owner, currency, balance, held, status, created_at)"
            f" VALUES (1, 'house', '', 'NGN', NULL, 0, 'active', '{moment}'),"
            f" (2, 'wallet', '+2348030000001', 'NGN', {5 * unit}, 0, 'active', '{moment}')",
            "INSERT INTO movements (id, operation_key, kind, subject, at)"
            f" VALUES (1, 'k', 'issue', 's', '{moment}')",
            "INSERT INTO entries (movement_id, account_id, amount)"
            f" VALUES (1, 1, {-5 * unit}), (1, 2, {5 * unit})",
        ):
            connection.exec_driver_sql(statement)

    empty.run(lambda c: upgrade.upgrade(c, VERSIONS[0]))
    empty.run(fill)
    empty.upgrade()
    entries = metadata.tables["entries"]
    amounts = empty.run(
        lambda c: c.execute(sa.select(entries.c.amount).order_by(entries.c.id)).scalars().all()
    )
    assert amounts == [Decimal("-5.00"), Decimal("5.00")]
    with empty.snapshot() as connection:
        assert check(connection, INVARIANTS) == []


def test_a_trigger_lost_in_a_rebuild_is_made_again(database: Database) -> None:
    database.run(lambda c: c.exec_driver_sql("DROP TRIGGER tr_entries_no_update"))
    database.upgrade()
    assert database.run(triggers.names) == triggers.expected()
