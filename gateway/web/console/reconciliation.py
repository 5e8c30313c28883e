"""The console's pages of reconciliation: what each day's runs found; they report, never repair."""

from dataclasses import dataclass
from datetime import date
from http import HTTPStatus
from typing import Final

from flask import Blueprint, Response, request
from sqlalchemy import Connection

from gateway.reconciliation.compare import store as compare
from gateway.reconciliation.listing import store as listing
from gateway.reconciliation.run import (
    BOOKS,
    CALLBACK,
    NO_STATEMENT,
    PARKED,
    TRUST,
    UNCOVERED,
    UNKNOWN,
)
from gateway.reconciliation.runs import store
from gateway.reconciliation.runs.store import CLEAN, EVERYTHING, FINDINGS, Run
from gateway.reconciliation.statements import store as statements
from gateway.web.console.parts import ConsoleParts
from gateway.web.console.reading import page_of, read
from gateway.web.pages.answers import problem
from gateway.web.pages.door import AT_CONSOLE, allowed

DAYS_MAX: Final = 14  # of one page
STATEMENTS_MAX: Final = 20
# What each kind of finding means.
KINDS: Final = {
    compare.THEIRS_ONLY: "In the statement, not in our books",
    compare.OURS_ONLY: "In our books, not in the statement",
    compare.AMOUNTS_DIFFER: "The amounts differ",
    compare.DUPLICATE: "More than once in the statement",
    NO_STATEMENT: "No statement covers the day",
    BOOKS: "The books contradict themselves",
    UNCOVERED: "Less is kept for others than we owe them",
    TRUST: "The bank’s closing balance is not ours",
    UNKNOWN: "Nobody could say what became of it",
    PARKED: "An operator must look before it is booked",
    CALLBACK: "A callback that is in no books, or contradicts them",
}


@dataclass(frozen=True, slots=True)
class Day:
    """A day and the runs over it, the newest first."""

    day: date
    runs: tuple[Run, ...]
    is_released: bool

    @property
    def last(self) -> Run | None:
        """The latest run over everything, whatever came of it."""
        return next((run for run in self.runs if run.provider == EVERYTHING), None)

    @property
    def decider(self) -> Run | None:
        """The latest one that came to its end: it decides what may be paid."""
        over = (run for run in self.runs if run.provider == EVERYTHING)
        return next((run for run in over if run.state in (CLEAN, FINDINGS)), None)


def routes(pages: Blueprint, parts: ConsoleParts) -> None:
    """`/console/reconciliation` and what is below it."""

    @pages.get("/reconciliation")
    @allowed(*AT_CONSOLE)
    def reconciliation() -> Response:
        """The days with their runs, and the last statements."""
        return _days(parts)

    @pages.get("/reconciliation/<int:number>")
    @allowed(*AT_CONSOLE)
    def reconciliation_run(number: int) -> Response:
        """One run and all that it found."""
        return _run(parts, number)


def _days(parts: ConsoleParts) -> Response:
    before, yesterday = _day(request.args.get("before", "")), parts.reconciler.yesterday()
    with parts.database.snapshot() as connection:
        found = listing.days(connection, before, DAYS_MAX + 1)
        shown = _with_runs(parts, connection, found[:DAYS_MAX])
        latest = _with_runs(parts, connection, [yesterday])[0]
        imported = statements.latest(connection, STATEMENTS_MAX)
    further = found[DAYS_MAX - 1].isoformat() if len(found) > DAYS_MAX else ""
    values = {"days": shown, "latest": latest, "statements": imported, "everything": EVERYTHING}
    ways = {"before": before, "further": further, "zone": parts.reconciler.zone.key}
    return read(parts, "console/reconciliation.html", HTTPStatus.OK, **values, **ways)


def _with_runs(parts: ConsoleParts, connection: Connection, days: list[date]) -> list[Day]:
    runs = listing.runs_of(connection, days)
    return [
        Day(
            day,
            tuple(run for run in runs if run.day == day),
            parts.reconciler.releases(connection, day),
        )
        for day in days
    ]


def _run(parts: ConsoleParts, number: int) -> Response:
    with parts.database.snapshot() as connection:
        run = store.find(connection, number)
        if run is None:
            return problem(HTTPStatus.NOT_FOUND, "There was no such run.")
        page = page_of(
            lambda after, rows_max: listing.findings(connection, number, after, rows_max),
            lambda one: one.id,
        )
        named = listing.named(connection, [one.reference for one in page.rows])
        day = _with_runs(parts, connection, [run.day])[0]
    zone = parts.reconciler.zone
    values = {
        "run": run,
        "page": page,
        "named": named,
        "day": day,
        "kinds": KINDS,
        "decides": day.decider is not None and day.decider.id == run.id,
        "was_too_early": run.started_at.astimezone(zone).date() <= run.day,
    }
    return read(parts, "console/run.html", HTTPStatus.OK, **values)


def _day(text: str) -> date | None:
    """A day as an address has it; None for anything else.

    >>> _day("2026-03-02"), _day("2026-13-02"), _day("yesterday")
    (datetime.date(2026, 3, 2), None, None)
    """
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
