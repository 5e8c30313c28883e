"""CSV that a spreadsheet can open: RFC 4180, with no cell that it would run as a formula."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from gateway.formats import money

# A cell that begins with one of these is run (OWASP, CSV injection).
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
# Within one, where a spreadsheet takes other separators than ours for the ends of cells.
_FORMULA_WITHIN = re.compile(r'([;\t\r\n]"*)(?=[=+\-@])')

Cell = str | int | Decimal | None


def lines(names: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """The header and each row as a line with its end; amounts and counts stay plain numbers.

    >>> from decimal import Decimal
    >>> list(lines(["who", "amount"], [["=1+1", Decimal("-5.00")], ["+254700000001", 3]]))
    ['who,amount\\r\\n', "'=1+1,-5.00\\r\\n", "'+254700000001,3\\r\\n"]
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(names)
    yield _taken(buffer)
    for row in rows:
        writer.writerow([plain(cell) for cell in row])
        yield _taken(buffer)


def plain(cell: Cell) -> str:
    """A cell as it stands in the file; a text that a spreadsheet would run gets a `'` in front.

    >>> plain("@SUM(1)"), plain("a, b"), plain(None), plain("x;=1+1")
    ("'@SUM(1)", 'a, b', '', "x;'=1+1")
    """
    if cell is None:
        return ""
    if isinstance(cell, Decimal):
        return money.plain(cell)
    if isinstance(cell, int):
        return str(cell)
    cell = _FORMULA_WITHIN.sub(r"\1'", cell)
    return f"'{cell}" if cell.startswith(FORMULA_STARTS) else cell


def _taken(buffer: io.StringIO) -> str:
    line = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return line
