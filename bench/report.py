"""Turns measurements into rows with a target each, and rows into var/bench.json and a table."""

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from statistics import median


@dataclass(frozen=True, slots=True)
class Target:
    """What a row has to reach: its ratio, or `ours` itself, against a bound."""

    bound: float
    at_least: bool = True
    of_ours: bool = False

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.bound:g}"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; `details` go to the JSON beside it, errors and latencies to both."""

    name: str
    unit: str
    ours: float
    floor: float
    target: Target | None = None
    errors: int = 0
    details: dict[str, float] = field(default_factory=dict)
    round_ratios: tuple[float, ...] = ()

    @property
    def ratio(self) -> float:
        """Ours divided by the floor: the median over the rounds where there were rounds.

        The two sides of a round run within seconds of each other, so what else the machine does
        weighs on both alike; on the medians of all rounds it does not.
        """
        if self.round_ratios:
            return middle(self.round_ratios)
        return self.ours / self.floor if self.floor else 0.0

    @property
    def verdict(self) -> str:
        """`met`, `missed`, or `context` for a row without a target; an error misses any target.

        >>> Row("menu_step", "a second", 700.0, 1_000.0, Target(0.6)).verdict
        'met'
        >>> Row("menu_step", "a second", 700.0, 1_000.0, Target(0.6), errors=1).verdict
        'missed'
        """
        if self.target is None:
            return "context"
        value = self.ours if self.target.of_ours else self.ratio
        reached = value >= self.target.bound if self.target.at_least else value <= self.target.bound
        return "met" if reached and not self.errors else "missed"

    def as_json(self) -> dict[str, object]:
        """The row as var/bench.json holds it, the contract's three keys first."""
        return {
            "ours": round(self.ours, 4),
            "floor": round(self.floor, 4),
            "ratio": round(self.ratio, 4),
            "unit": self.unit,
            "target": str(self.target) if self.target else None,
            "verdict": self.verdict,
            "errors": self.errors,
            **{name: round(value, 2) for name, value in self.details.items()},
        }


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of the values do not exceed.

    >>> quantile([1.0, 2.0, 3.0, 4.0], 0.5), quantile([1.0, 2.0, 3.0, 4.0], 0.99)
    (2.0, 4.0)
    >>> quantile([], 0.5)
    Traceback (most recent call last):
        ...
    ValueError: no values to take a quantile of
    """
    if not values:
        raise ValueError("no values to take a quantile of")
    ranked = sorted(values)
    return ranked[max(0, ceil(share * len(ranked)) - 1)]


def middle(values: Sequence[float]) -> float:
    """The median, 0 when nothing was measured."""
    return median(values) if values else 0.0


def machine(mariadb_version: str) -> dict[str, str]:
    """Name what the numbers hold for."""
    return {
        "cpu": cpu_model(Path("/proc/cpuinfo").read_text()),
        "cores": str(len(os.sched_getaffinity(0))),
        "python": platform.python_version(),
        "mariadb": mariadb_version,
    }


def cpu_model(cpuinfo: str) -> str:
    r"""Read the processor's name from a /proc/cpuinfo text.

    >>> cpu_model("processor\t: 0\nmodel name\t: AMD EPYC\n")
    'AMD EPYC'
    >>> cpu_model("processor\t: 0\n")
    'unknown'
    """
    for line in cpuinfo.splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "unknown"


def write_json(path: Path, rows: Sequence[Row], named_machine: dict[str, str]) -> None:
    """Write every row under its name, and the machine beside them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content: dict[str, object] = {row.name: row.as_json() for row in rows}
    content["machine"] = named_machine
    path.write_text(json.dumps(content, indent=2) + "\n")


def table(rows: Sequence[Row], named_machine: dict[str, str]) -> str:
    """Lay the rows out as a Markdown table, ready for the README."""
    head = ("what", "ours", "floor", "unit", "ratio", "target", "", "p50 / p99 ms", "errors")
    lines = [head, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    lines.insert(1, tuple("-" * width for width in widths))
    laid_out = [
        " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        for line in lines
    ]
    names = ", ".join(f"{key} {value}" for key, value in named_machine.items())
    return "\n".join([*(f"| {line} |" for line in laid_out), "", f"Machine: {names}."])


def _cells(row: Row) -> tuple[str, ...]:
    latency = ""
    if "ours_p50_ms" in row.details:
        latency = f"{row.details['ours_p50_ms']:.1f} / {row.details['ours_p99_ms']:.1f}"
    return (
        row.name,
        _number(row.ours),
        _number(row.floor),
        row.unit,
        f"{row.ratio:.2f}",
        str(row.target) if row.target else "",
        row.verdict,
        latency,
        str(row.errors),
    )


def _number(value: float) -> str:
    """Four digits that matter, however large or small the number.

    >>> _number(1543.21), _number(97.25), _number(0.000731)
    ('1,543', '97.2', '0.000731')
    """
    if value >= 1_000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.3g}"
