"""Checking a whole file before anything is stored: every cell, by its row and column."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from gateway.api.batches import reading
from gateway.api.batches.reading import BadFile, Line
from gateway.api.batches.row import Fault, Row
from gateway.api.issuing import Country
from gateway.errors import BadInput
from gateway.formats import money, msisdn
from gateway.partners import testing
from gateway.tokens.issue import ISSUE_REF_MAX, SENDER_NAME_MAX

AS_TEXT = "format the column as text"
DIGITS = {"": 18, "18": 18, "11": 11}
YES_OR_NO = {"": False} | dict.fromkeys(("no", "false", "0"), False)
YES_OR_NO |= dict.fromkeys(("yes", "true", "1"), True)
# What spreadsheets and data tools make of a long number.
_POWER = re.compile(r"[0-9]([.,][0-9]+)?e\+?[0-9]+", re.ASCII | re.IGNORECASE)
_WHOLE = re.compile(r"\+?[0-9]{6,}[.,]0+", re.ASCII)
_COMMA = re.compile(r"[0-9]{1,15},[0-9]{2}", re.ASCII)  # a decimal one, where ; parts the cells
_ISSUE_REF = re.compile(r"[!-~]([ -~]*[!-~])?", re.ASCII)


@dataclass(slots=True)
class Checked:
    """The rows of a file, and all that is wrong with it."""

    rows: list[Row] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    @property
    def total(self) -> Decimal:
        """What the good rows come to."""
        return sum((row.amount for row in self.rows), Decimal("0.00"))


def check(text: str, country: Country, token_max: Decimal | None, *, is_test: bool) -> Checked:
    """Everything that can be said of a file by itself."""
    found, refs = Checked(), dict[str, int]()
    try:
        for line in reading.lines(text):
            if isinstance(line, Fault):
                found.faults.append(line)
                continue
            row = _row(line, country, found.faults, is_test=is_test)
            if row is None:
                continue
            if token_max is not None and row.amount > token_max:
                above = f"above the {money.plain(token_max)} agreed for one token"
                found.faults.append(Fault(row.number, "amount", above))
            first = refs.setdefault(row.issue_ref, row.number)
            if first != row.number:
                twice = f"the same stands in row {first}"
                found.faults.append(Fault(row.number, "issue_ref", twice))
            found.rows.append(row)
    except BadFile as error:
        found.faults.append(Fault(0, "", str(error)))
    return found


def _row(line: Line, country: Country, faults: list[Fault], *, is_test: bool) -> Row | None:
    """The row, if nothing is wrong with it; else all that is."""
    values: dict[str, object] = {}
    wrong = len(faults)
    for column in reading.COLUMNS:
        try:
            values[column] = CELLS[column](line.cells.get(column, ""), line, country)
        except BadInput as error:
            faults.append(Fault(line.number, column, str(error)))
    if len(faults) > wrong:
        return None
    if is_test:
        values["recipient"] = testing.nobody(str(values["recipient"]))
    return Row(number=line.number, **values)  # type: ignore[arg-type]


def _amount(cell: str, line: Line, _: Country) -> Decimal:
    """An amount; where `;` parts the cells also one with a decimal comma and two places."""
    _refuse_rewritten(cell, "amount")
    if line.separator == ";" and _COMMA.fullmatch(cell):
        cell = cell.replace(",", ".")
    return money.parse(cell)


def _recipient(cell: str, _: Line, country: Country) -> str:
    cell = cell.removeprefix("'")  # our own files write it before a plus
    _refuse_rewritten(cell, "phone number", _WHOLE)
    return msisdn.parse(cell, country.code)


def _issue_ref(cell: str, _: Line, __: Country) -> str:
    _refuse_rewritten(cell, "reference", _WHOLE)
    if len(cell) > ISSUE_REF_MAX or not _ISSUE_REF.fullmatch(cell):
        raise BadInput(f"1 to {ISSUE_REF_MAX} printable ASCII characters")
    return cell


def _digits(cell: str, _: Line, __: Country) -> int:
    return _one_of(DIGITS, cell, "18 or 11")


def _bound(cell: str, _: Line, __: Country) -> bool:
    return bool(_one_of(YES_OR_NO, cell.lower(), "yes or no"))


def _language(cell: str, _: Line, country: Country) -> str | None:
    code = cell.lower()
    if code and code not in country.languages:
        raise BadInput(f"one of {', '.join(country.languages)}")
    return code or None


def _sender_name(cell: str, _: Line, __: Country) -> str | None:
    if len(cell) > SENDER_NAME_MAX or not cell.isprintable():
        raise BadInput(f"at most {SENDER_NAME_MAX} printable characters")
    return cell or None


def _refuse_rewritten(cell: str, what: str, *also: re.Pattern[str]) -> None:
    """Raise for a number that a spreadsheet has rewritten: it stands for many.

    No fault repeats its cell, which may hold the digits of a token.

    >>> _refuse_rewritten("2.348E+12", "phone number")
    Traceback (most recent call last):
    gateway.errors.BadInput: a spreadsheet has rewritten this phone number: format the ...
    >>> _refuse_rewritten("+2348030000001", "phone number")
    """
    forms = (_POWER, *also)
    if len(cell) <= msisdn.LENGTH_MAX and any(form.fullmatch(cell) for form in forms):
        raise BadInput(f"a spreadsheet has rewritten this {what}: {AS_TEXT}")


def _one_of(known: Mapping[str, int], cell: str, wanted: str) -> int:
    if cell not in known:
        raise BadInput(wanted)
    return known[cell]


Cell = Callable[[str, Line, Country], object]
CELLS: Mapping[str, Cell] = {
    "amount": _amount,
    "recipient": _recipient,
    "issue_ref": _issue_ref,
    "digits": _digits,
    "bound": _bound,
    "language": _language,
    "sender_name": _sender_name,
}


def used_before(rows: Sequence[Row], known: Mapping[str, str]) -> list[Fault]:
    """What is wrong with rows whose reference has a token already, by its serial."""
    return [
        Fault(row.number, "issue_ref", f"it was used before, for token {known[row.issue_ref]}")
        for row in rows
        if row.issue_ref in known
    ]
