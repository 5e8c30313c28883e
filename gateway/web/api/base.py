"""What one operation of the partner API is, and what it is given to work with."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TypeVar

from pydantic import BaseModel
from sqlalchemy import Connection

from gateway.api.batches.batch import Batches
from gateway.api.profile import Profiles
from gateway.api.redemptions import Redemptions
from gateway.api.tokens import PartnerTokens
from gateway.formats.csv_lines import Cell
from gateway.partners.access.keys import Access
from gateway.partners.repeats.once import Answer

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Services:
    """What the operations act through."""

    tokens: PartnerTokens
    redemptions: Redemptions
    country: str  # whose numbers are written without a country code
    profiles: Profiles
    batches: Batches
    batch_alone_max: Decimal | None  # up to this total nobody has to approve one; None: always


@dataclass(frozen=True, slots=True)
class Call:
    """One request, proved and checked."""

    connection: Connection
    services: Services
    access: Access
    path: Mapping[str, str]
    body: BaseModel | None
    query: BaseModel | None
    now: datetime

    def sent(self, model: type[T]) -> T:
        """The body, as what the table says it is."""
        return _as(model, self.body)

    def asked(self, model: type[T]) -> T:
        """The query, the same way."""
        return _as(model, self.query)


@dataclass(frozen=True, slots=True)
class Sheet:
    """An answer that is a file of lines, for a spreadsheet."""

    name: str
    columns: Sequence[str]
    rows: Iterable[Sequence[Cell]]


@dataclass(frozen=True, slots=True)
class Operation:
    """One row of the table."""

    name: str
    method: str
    path: str  # below /api/v1, Flask's way
    scope: str
    summary: str
    run: Callable[[Call], Answer | Sheet]
    gives: type[BaseModel]
    takes: type[BaseModel] | None = None
    asks: type[BaseModel] | None = None  # its query
    status: int = 200
    sheet: bool = False  # it is given as CSV too, where the query says so
    refuses: Sequence[str] = ()  # codes beyond those that any operation may answer
    body_bytes_max: int | None = None  # None: as everywhere
    # What a GET writes before it reads, in a unit of work of its own.
    prepare: Callable[[Call], None] | None = None


def _as(model: type[T], found: BaseModel | None) -> T:
    if not isinstance(found, model):
        raise TypeError(f"the table of operations does not name {model.__name__}")
    return found
