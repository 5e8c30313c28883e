"""Importing a statement: the whole file is checked first, then stored in steps; safe to repeat."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import partial
from itertools import islice
from pathlib import Path

from sqlalchemy import Connection

from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.errors import BadInput
from gateway.reconciliation.statements import reading, store
from gateway.reconciliation.statements.reading import BadStatement, Layout
from gateway.reconciliation.statements.store import IMPORTED, IMPORTING, Line, Statement

JOB = "import"  # one at a time, whatever file
LINES_AT_ONCE = 1_000
LINES_MAX = 20_000_000
Tell = Callable[[str], None]
Recorded = Callable[[Connection, Statement], None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be imported: whose statement, by whom, and the balance it ends with if told."""

    provider: str
    path: Path
    layout: Layout
    actor: str
    closing: Decimal | None = None


def take_in(database: Database, clock: Clock, wanted: Wanted, tell: Tell) -> Statement:
    """Import a file; one that was imported before is answered with what it was then.

    A bad file changes nothing. One whose import broke off is begun again. Raises `BadStatement`.
    """
    digest = _digest(wanted.path)
    known = database.run(lambda c: store.by_digest(c, wanted.provider, digest))
    if known is not None and known.state == IMPORTED:
        tell(f"this file was imported before, as statement {known.id}")
        return known
    first_day, last_day, count = _measure(wanted, tell)
    if last_day > clock.now().astimezone(wanted.layout.zone).date():
        raise BadStatement(f"{last_day} has not begun yet: is a date mistyped?")
    if known is None:
        values: dict[str, object] = {
            "provider": wanted.provider,
            "digest": digest,
            "state": IMPORTING,
            "first_day": first_day,
            "last_day": last_day,
            "line_count": count,
            "closing": wanted.closing,
            "currency": wanted.layout.currency,
            "imported_by": wanted.actor,
            "imported_at": clock.now(),
        }
        number = database.run(lambda c: store.add(c, values))
    else:
        number = known.id
        _forget(database, number)
    _store(database, wanted, number, count, tell)
    found = database.run(lambda c: store.by_digest(c, wanted.provider, digest))
    if found is None:
        raise BadStatement("the statement is gone")
    return found


def drop(database: Database, statement_id: int, recorded: Recorded) -> Statement:
    """Take back a statement that was imported by mistake; `recorded` writes the trail.

    One that broke off while it was dropped or imported can be dropped again. Raises `BadInput`.
    """

    def begin(connection: Connection) -> Statement:
        found = store.by_id(connection, statement_id)
        if found is None:
            raise BadInput(f"there is no statement {statement_id}")
        store.open_again(connection, statement_id)
        recorded(connection, found)
        return found

    found = database.run(begin)
    _forget(database, statement_id)
    database.run(lambda c: store.remove(c, statement_id), keyed=True)
    return found


def _measure(wanted: Wanted, tell: Tell) -> tuple[date, date, int]:
    """The days and the number of lines of a file that can be read to its end."""
    zone, currency = wanted.layout.zone, wanted.layout.currency
    days: tuple[date, date] | None = None
    count = 0
    for line in _lines(wanted):
        count += 1
        if line.currency != currency:
            raise BadStatement(f"line {line.line}: the currency is not {currency}")
        day = line.at.astimezone(zone).date()
        days = (day, day) if days is None else (min(days[0], day), max(days[1], day))
        if count % (100 * LINES_AT_ONCE) == 0:
            tell(f"{count:,} lines read")
    if days is None:
        raise BadStatement("the statement has no lines")
    return *days, count


def _store(database: Database, wanted: Wanted, number: int, count: int, tell: Tell) -> None:
    done, lines = 0, _lines(wanted)
    while batch := list(islice(lines, LINES_AT_ONCE)):
        database.run(partial(_add, number, wanted.provider, batch))
        done += len(batch)
        if done % (100 * LINES_AT_ONCE) == 0:
            tell(f"{done:,} of {count:,} lines stored")
    database.run(lambda c: store.finish(c, number), keyed=True)


def _add(number: int, provider: str, lines: list[Line], connection: Connection) -> None:
    store.add_lines(connection, number, provider, lines)


def _forget(database: Database, number: int) -> None:
    while database.run(lambda c: store.forget_lines(c, number, LINES_AT_ONCE)):
        pass


def _lines(wanted: Wanted) -> Iterator[Line]:
    try:
        with wanted.path.open(encoding="utf-8", newline="") as text:
            yield from reading.lines(text, wanted.layout)
    except UnicodeDecodeError:
        raise BadStatement("the file is not UTF-8") from None


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise BadStatement(f"the file cannot be read: {error.strerror}") from None
