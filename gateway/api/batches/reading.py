"""Reading a partner's CSV as spreadsheets write it: cells by the names in the header, no more."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gateway.api.batches.row import Fault
from gateway.errors import BadInput

ROWS_MAX = 10_000
BYTES_MAX = 2 * 1024 * 1024
REQUIRED = ("amount", "recipient", "issue_ref")
COLUMNS = (*REQUIRED, "digits", "bound", "language", "sender_name")
SEPARATORS = ",;\t"
_MARK = "\ufeff"  # which some write in front


class BadFile(BadInput):
    """The file cannot be read at all; the text says where and why."""


@dataclass(frozen=True, slots=True)
class Line:
    """A row's cells by their columns, as they were written, without blanks around them."""

    number: int
    cells: Mapping[str, str]
    separator: str


def text_of(raw: bytes) -> str:
    """The file's text. Raises `BadFile`.

    >>> text_of("amount".encode("utf-8-sig"))
    'amount'
    >>> text_of("é".encode("latin-1"))
    Traceback (most recent call last):
    gateway.api.batches.reading.BadFile: the file is not UTF-8: save it as CSV UTF-8
    """
    if len(raw) > BYTES_MAX:
        raise BadFile(f"the file has more than {BYTES_MAX // 1024:,} KiB: send it in parts")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadFile("the file is not UTF-8: save it as CSV UTF-8") from None


def lines(text: str) -> Iterator[Line | Fault]:
    """Each row below the header that has anything in it, or what is wrong with its form.

    Raises `BadFile` for a header that does not fit, quotes that do not match, too many rows.
    """
    text = text.removeprefix(_MARK)
    separator, rows = _separator(text), 0
    names: Sequence[str] = ()
    for number, cells in _records(text, separator):
        if not any(cells) or (number == 1 and cells[0].lower() == "sep="):
            continue
        if not names:
            names = _header(number, cells)
            continue
        rows += 1
        if rows > ROWS_MAX:
            raise BadFile(f"more than {ROWS_MAX:,} rows: send the file in parts")
        if any(cells[len(names) :]):
            yield Fault(number, "", "the row has more cells than the header")
            continue
        padded = [*cells, *[""] * len(names)][: len(names)]
        yield Line(number, dict(zip(names, padded, strict=True)), separator)
    if not rows:
        raise BadFile("the file has no rows below a header")


def _records(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    number = 0
    while True:
        number += 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            raise BadFile(f"row {number}: its quotes do not match, or a cell is too long") from None
        yield number, [cell.strip() for cell in cells]


def _separator(text: str) -> str:
    """What parts the cells: the one that finds the most columns we know in the first lines.

    >>> _separator("amount;recipient"), _separator("amount,recipient"), _separator("sep=;")
    (';', ',', ';')
    """
    head = [line.strip() for line in text[:2_000].splitlines() if line.strip()][:2]
    if head and head[0].lower().startswith("sep=") and head[0][4:5] in SEPARATORS:
        return head[0][4:5] or ","
    first = head[0].lower() if head else ""

    def known(separator: str) -> int:
        return sum(cell.strip(' "') in COLUMNS for cell in first.split(separator))

    return max(SEPARATORS, key=known)


def _header(number: int, cells: Sequence[str]) -> Sequence[str]:
    names = [cell.lower() for cell in cells]
    while names and not names[-1]:
        names.pop()
    missing = [name for name in REQUIRED if name not in names]
    if missing:
        raise BadFile(f"row {number}: the header lacks {', '.join(missing)}")
    unknown = [f"column {place}" for place, n in enumerate(names, 1) if n not in COLUMNS]
    if unknown:
        raise BadFile(f"row {number}: {unknown[0]} is none of {', '.join(COLUMNS)}")
    if len(set(names)) != len(names):
        raise BadFile(f"row {number}: a column stands there twice")
    return names
