"""What the bench makes of its measurements."""

import json
from pathlib import Path

import pytest

from bench.load import Measured
from bench.report import Row, Target, middle, quantile, table, write_json
from bench.rounds import growth_row, step_row

MACHINE = {"cpu": "AMD EPYC", "cores": "2"}


def phase(seconds: float, replies: int, errors: int = 0) -> Measured:
    return Measured(seconds, [10.0] * replies, errors, "wrong" if errors else None)


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        (Row("menu_step", "", 60.0, 100.0, Target(0.60)), "met"),
        (Row("menu_step", "", 59.0, 100.0, Target(0.60)), "missed"),
        (Row("menu_step", "", 90.0, 100.0, Target(0.60), errors=1), "missed"),
        (Row("redeem_growth", "", 1.2, 1.0, Target(1.2, at_least=False)), "met"),
        (Row("redeem_growth", "", 1.3, 1.0, Target(1.2, at_least=False)), "missed"),
        (Row("memory", "", 149.0, 50.0, Target(150.0, at_least=False, of_ours=True)), "met"),
        (Row("memory", "", 151.0, 50.0, Target(150.0, at_least=False, of_ours=True)), "missed"),
        (Row("hello", "", 1.0, 100.0), "context"),
        (Row("menu_step", "", 60.0, 0.0, Target(0.60)), "missed"),
    ],
)
def test_a_row_meets_or_misses_its_target(row: Row, verdict: str) -> None:
    assert row.verdict == verdict


def test_a_ratio_is_the_median_of_the_rounds_and_errors_of_both_sides_count() -> None:
    ours = [phase(1.0, 100), phase(1.0, 300), phase(1.0, 60)]
    floor = [phase(1.0, 200), phase(1.0, 400), phase(1.0, 100, errors=1)]
    row = step_row("menu_step", ours, floor, Target(0.60))
    assert (row.ours, row.floor, row.errors) == (100.0, 200.0, 1)
    assert row.ratio == 0.6  # of 0.5, 0.75 and 0.6
    assert row.details["ours_p50_ms"] == 10.0


def test_growth_compares_seconds_a_redemption() -> None:
    row = growth_row([phase(1.0, 100)], [phase(1.0, 200)], Target(1.2, at_least=False))
    assert (row.ours, row.floor, row.ratio) == (0.01, 0.005, 2.0)


def test_nothing_measured_is_a_missed_row_not_a_crash() -> None:
    row = step_row("menu_step", [], [], Target(0.60))
    assert (row.ours, row.ratio, row.verdict) == (0.0, 0.0, "missed")


def test_the_json_holds_the_contracts_keys_under_each_name(tmp_path: Path) -> None:
    path = tmp_path / "var" / "bench.json"
    write_json(path, [Row("derive", "a second", 500.0, 1_000.0, Target(0.5))], MACHINE)
    content = json.loads(path.read_text())
    assert content["derive"]["ours"] == 500.0
    assert content["derive"]["floor"] == 1_000.0
    assert content["derive"]["ratio"] == 0.5
    assert content["derive"]["verdict"] == "met"
    assert content["machine"] == MACHINE


def test_the_table_is_markdown_of_one_width_and_names_the_machine() -> None:
    rows = [
        Row(
            "menu_step",
            "a second",
            1_500.0,
            2_300.0,
            Target(0.6),
            0,
            {"ours_p50_ms": 9.0, "ours_p99_ms": 20.0},
        ),
        Row("hello", "a second", 900.0, 9_000.0),
    ]
    lines = table(rows, MACHINE).splitlines()
    assert len({len(line) for line in lines[:4]}) == 1
    assert "9.0 / 20.0" in lines[2]
    assert lines[-1] == "Machine: cpu AMD EPYC, cores 2."


def test_quantiles_and_middles_of_few_values() -> None:
    assert quantile([5.0], 0.99) == 5.0
    assert quantile([float(number) for number in range(1, 101)], 0.99) == 99.0
    assert middle([1.0, 3.0]) == 2.0
    assert middle([]) == 0.0
