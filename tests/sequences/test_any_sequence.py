"""Any sequence of movements leaves whole books; a step that is refused leaves every row (C25)."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.sequences.of_disputes import DisputeRules
from tests.sequences.of_wallets import FloatRules, WalletRules
from tests.support.databases import MariaDBSchema, SQLiteTemplate

QUIET = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)


def step_through(url: Callable[[], str], examples: int, steps: int) -> None:
    """Run so many sequences of so many steps, each over a fresh database from `url`."""

    class Everything(DisputeRules, WalletRules, FloatRules):
        """Every noun that moves money."""

    Everything.url = staticmethod(url)
    run_state_machine_as_test(
        Everything,
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


def test_any_sequence_of_movements_leaves_whole_books_on_sqlite(
    sqlite_template: SQLiteTemplate, tmp_path: Path
) -> None:
    names = iter(range(10**6))
    step_through(lambda: sqlite_template.copy_to(tmp_path / f"{next(names)}.db"), 20, 80)


def test_any_sequence_of_movements_leaves_whole_books_on_mariadb(
    mariadb_schema: MariaDBSchema,
) -> None:
    step_through(partial(mariadb_schema.restore), 4, 30)
