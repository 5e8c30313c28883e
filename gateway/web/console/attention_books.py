"""What needs somebody because of the books: the nightly run, and what it has found."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection

from gateway.ledger.overview import store as ledger
from gateway.reconciliation.overview import store as overview
from gateway.reconciliation.run import BOOKS, UNCOVERED
from gateway.reconciliation.runs import store as runs
from gateway.reconciliation.runs.store import BROKEN, FINDINGS, RUNNING, Run
from gateway.web.console.item import Item
from gateway.web.console.parts import ConsoleParts

PATH: Final = "/console/reconciliation"
DONE_AFTER_MIDNIGHT: Final = timedelta(hours=4)  # the run is due at two o'clock
RUNS_FOR: Final = timedelta(hours=1)


def books(parts: ConsoleParts, connection: Connection, now: datetime) -> Iterator[Item]:
    """Of the latest run over everything, and whether yesterday's has been."""
    last = overview.last(connection)
    if last is not None:
        yield from _about(connection, last, now)
    yield from _missing(parts, connection, now)


def _about(connection: Connection, last: Run, now: datetime) -> Iterator[Item]:
    of = f"the run over {last.day.isoformat()}"
    path = f"{PATH}/{last.id}"
    if last.state == BROKEN or (last.state == RUNNING and last.started_at < now - RUNS_FOR):
        yield Item(None, "The last reconciliation was cut off", path, of, urgent=True)
    if last.state != FINDINGS:
        return
    broken = overview.found(connection, last.id, BOOKS)
    uncovered = overview.found(connection, last.id, UNCOVERED)
    if broken:
        yield Item(broken, "Breaks in the books", path, f"found by {of}", urgent=True)
    if uncovered:
        yield Item(None, "More is owed than is kept", path, f"found by {of}", urgent=True)
    others = last.findings - broken - uncovered
    if others:
        yield Item(others, "Findings of the last reconciliation", path, of)


def _missing(parts: ConsoleParts, connection: Connection, now: datetime) -> Iterator[Item]:
    """Yesterday's run, from the small hours on; whoever began today has none."""
    yesterday = parts.reconciler.yesterday()
    midnight = parts.reconciler.bounds(yesterday)[1]
    if now < midnight + DONE_AFTER_MIDNIGHT:
        return
    began = ledger.began(connection)
    if began is None or began >= midnight:
        return
    if runs.last_over_everything(connection, yesterday, midnight) is None:
        more = f"over {yesterday.isoformat()}"
        yield Item(None, "The nightly reconciliation is missing", PATH, more, urgent=True)
