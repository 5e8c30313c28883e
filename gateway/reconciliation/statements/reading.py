"""Reading a statement's CSV: one line at a time, by an explicit rule for every column. Pure."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from itertools import chain
from zoneinfo import ZoneInfo

from gateway.errors import BadInput
from gateway.reconciliation.statements.store import IN, OUT, Line

COLUMNS = ("txn_id", "amount", "at", "reference", "fee", "direction", "currency")
REQUIRED = ("txn_id", "amount", "at")
FAULTS_TOLD = 20
ID_CHARACTERS_MAX = 64
ZERO = Decimal("0.00")
TIME_SHAPES = (
    *("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"),
    *("%d/%m/%Y %H:%M:%S", "%d/%m/%Y %H:%M", "%Y%m%d%H%M%S"),
)
NO_TIME = "at is no time such as 2026-03-31 23:59:30 or 31/03/2026 23:59"
DELIMITERS = ",;\t"
_AMOUNT = re.compile(r"-?([0-9]{1,15}|[0-9]{1,3}(,[0-9]{3}){1,4})(\.[0-9]{1,2})?", re.ASCII)
DIRECTIONS = {"in": IN, "credit": IN, "cr": IN, "out": OUT, "debit": OUT, "dr": OUT}


class BadStatement(BadInput):
    """The file cannot be read as a statement; the text names its lines."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a provider's file is laid out: its own names for our columns, its zone and currency."""

    currency: str
    zone: ZoneInfo
    names: Mapping[str, str] = field(default_factory=dict)  # ours -> the file's


def lines(text: Iterable[str], layout: Layout) -> Iterator[Line]:
    """The lines of a statement; its faults are gathered, and told together at its end.

    Raises `BadStatement`, with at most 20 of them.

    >>> layout = Layout("TZS", ZoneInfo("Africa/Dar_es_Salaam"))
    >>> [(l.txn_id, l.amount, l.at.hour) for l in lines(
    ...     ["txn_id,amount,at", 'A1,"1,500.00",2025-12-31 23:59:30'], layout)]
    [('A1', Decimal('1500.00'), 20)]
    >>> list(lines(["txn_id,amount,at", "A1,NaN,2025-12-31 23:59:30"], layout))
    Traceback (most recent call last):
    gateway.reconciliation.statements.reading.BadStatement: line 2: amount reads like 1500.00
    """
    written = iter(text)
    header = next(written, "")
    # A spreadsheet writes what its language uses between columns.
    delimiter = max(DELIMITERS, key=header.count)
    rows = csv.reader(chain([header], written), strict=True, delimiter=delimiter)
    faults: list[str] = []
    try:
        places = _places(next(rows, []), layout)
        for row in rows:
            if not row:
                continue
            try:
                yield _line(row, rows.line_num, places, layout)
            except BadStatement as error:
                faults.append(str(error))
                if len(faults) == FAULTS_TOLD:
                    break
    except csv.Error as error:
        faults.append(f"line {rows.line_num}: no CSV: {error}")
    if faults:
        raise BadStatement("; ".join(faults))


def _places(header: Sequence[str], layout: Layout) -> dict[str, int]:
    """Where each of our columns stands."""
    found = {name.strip().lstrip("\ufeff").lower(): place for place, name in enumerate(header)}
    places = {}
    for column in COLUMNS:
        name = layout.names.get(column, column).lower()
        if name in found:
            places[column] = found[name]
    missing = [layout.names.get(c, c) for c in REQUIRED if c not in places]
    if missing:
        raise BadStatement(f"line 1: the columns lack {', '.join(missing)}")
    return places


def _line(row: Sequence[str], number: int, places: Mapping[str, int], layout: Layout) -> Line:
    def cell(column: str) -> str:
        place = places.get(column, len(row))
        return row[place].strip() if place < len(row) else ""

    amount = _amount(cell("amount"), number, "amount")
    direction = cell("direction").lower()
    if direction and direction not in DIRECTIONS:
        raise BadStatement(f"line {number}: direction is in or out")
    txn_id = cell("txn_id")
    if not txn_id or len(txn_id) > ID_CHARACTERS_MAX or not txn_id.isprintable():
        raise BadStatement(f"line {number}: txn_id takes 1 to {ID_CHARACTERS_MAX} characters")
    if not amount:
        raise BadStatement(f"line {number}: amount is zero")
    return Line(
        line=number,
        direction=DIRECTIONS.get(direction, OUT if amount < 0 else IN),
        txn_id=txn_id,
        reference=cell("reference")[:ID_CHARACTERS_MAX],
        amount=abs(amount),
        fee=abs(_amount(cell("fee"), number, "fee")) if cell("fee") else ZERO,
        currency=cell("currency") or layout.currency,
        at=_instant(cell("at"), number, layout.zone),
    )


def _amount(text: str, number: int, column: str) -> Decimal:
    if not _AMOUNT.fullmatch(text):
        raise BadStatement(f"line {number}: {column} reads like 1500.00")
    return Decimal(text.replace(",", "")).quantize(Decimal("0.01"))


def _instant(text: str, number: int, zone: ZoneInfo) -> datetime:
    """The instant in UTC; a time without a zone is local to the provider."""
    try:
        if text.endswith("Z") or "+" in text:
            return datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        raise BadStatement(f"line {number}: {NO_TIME}") from None
    for shape in TIME_SHAPES:
        try:
            return datetime.strptime(text, shape).replace(tzinfo=zone).astimezone(UTC)
        except ValueError:
            continue
    raise BadStatement(f"line {number}: {NO_TIME}")
