"""Any sequence of movements leaves whole books; a step that is refused leaves every row (C25)."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.sequences.machine import Machine
from tests.sequences.of_disputes import DisputeRules
from tests.sequences.of_outlets import OutletRules
from tests.sequences.of_wallets import FloatRules, WalletRules
from tests.support.databases import MariaDBSchema, SQLiteTemplate

QUIET = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)


class Everything(DisputeRules, WalletRules, FloatRules):
    """Every noun that moves money between phones, providers and the house."""


class Counters(OutletRules):
    """Tokens at counters: among everything their steps would hardly ever follow each other."""


def step_through(machine: type[Machine], url: Callable[[], str], examples: int, steps: int) -> None:
    """Run so many sequences of so many steps, each over a fresh database from `url`."""
    machine.url = staticmethod(url)
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=QUIET,
            derandomize=True,
            database=None,
            phases=(Phase.generate, Phase.shrink),
        ),
    )


def copies(template: SQLiteTemplate, folder: Path) -> Callable[[], str]:
    """Makes one fresh file after another."""
    names = iter(range(10**6))
    return lambda: template.copy_to(folder / f"{next(names)}.db")


def test_any_sequence_of_movements_leaves_whole_books_on_sqlite(
    sqlite_template: SQLiteTemplate, tmp_path: Path
) -> None:
    step_through(Everything, copies(sqlite_template, tmp_path), 20, 80)


def test_any_sequence_of_movements_leaves_whole_books_on_mariadb(
    mariadb_schema: MariaDBSchema,
) -> None:
    step_through(Everything, partial(mariadb_schema.restore), 4, 30)


def test_any_days_at_counters_leave_whole_books_on_sqlite(
    sqlite_template: SQLiteTemplate, tmp_path: Path
) -> None:
    step_through(Counters, copies(sqlite_template, tmp_path), 16, 60)


def test_any_days_at_counters_leave_whole_books_on_mariadb(
    mariadb_schema: MariaDBSchema,
) -> None:
    step_through(Counters, partial(mariadb_schema.restore), 2, 40)
