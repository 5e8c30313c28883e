"""One row of a batch, and what may be wrong with one."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Row:
    """A token to issue, checked; `number` is the row's in a spreadsheet."""

    number: int
    amount: Decimal
    recipient: str  # E.164, or nobody's of test money
    issue_ref: str
    digits: int
    bound: bool
    language: str | None
    sender_name: str | None

    def values(self) -> dict[str, object]:
        """Its columns."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a cell; without a column with the whole row."""

    row: int
    column: str
    detail: str
