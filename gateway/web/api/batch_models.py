"""What the partner API takes and gives about batches."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from gateway.api.batches.reading import BYTES_MAX, ROWS_MAX
from gateway.web.api.models import Amount, Balance, Body, Currency, Query, Reason, Serial, View

BatchName = Annotated[str, Field(pattern=r"^B[0-9A-Z]{8}$", examples=["BK7M29QXD"])]
RowStatus = Literal["waiting", "issued", "failed", "cancelled"]
Count = Annotated[int, Field(ge=0, le=ROWS_MAX)]
SHEET = "amount,recipient,issue_ref\n500.00,+2348030000001,order-1\n"


class NewBatch(Body):
    """A file of tokens, as text."""

    csv: Annotated[
        str,
        Field(
            max_length=BYTES_MAX,
            examples=[SHEET],
            description="A header with amount, recipient, issue_ref and, if wanted, digits, bound,"
            f" language, sender_name; at most {ROWS_MAX:,} rows below it.",
        ),
    ]
    dry_run: Annotated[bool, Field(description="Check everything, keep and issue nothing.")] = False
    reason: Reason = ""


class BatchDeed(Body):
    """Why a partner changes a batch."""

    reason: Reason = ""


class RowFault(View):
    """What is wrong with a row; 0 stands for the whole file, no column for the whole row."""

    row: int
    column: str
    code: str | None
    detail: str


class BatchSummary(View):
    """A batch and how far it is."""

    batch: Annotated[BatchName | None, Field(description="Null: of a dry run.")]
    status: Literal["checked", "waiting", "running", "done", "cancelled", "refused"]
    rows: int
    total: Amount | Literal["0.00"]
    currency: Currency
    waiting: Count
    issued: Count
    failed: Count
    cancelled: Count
    issued_total: Balance
    created_at: datetime | None
    ended_at: datetime | None


class BatchView(BatchSummary):
    """The same, with what its float lacks, and why rows were refused."""

    balance: Annotated[Balance, Field(description="What lies on the float now.")]
    missing: Annotated[Balance, Field(description="What it lacks for the rows that wait.")]
    errors: Annotated[list[RowFault], Field(description="The first hundred.")]
    errors_count: int


class BatchesQuery(Query):
    """Which batches."""

    after: Annotated[BatchName | None, Field(description="`next` of the page before")] = None


class BatchPage(View):
    """Batches, newest first."""

    batches: list[BatchSummary]
    next: str | None


class RowsQuery(Query):
    """Which rows; as a file all of them."""

    after: Annotated[str, Field(pattern=r"^[0-9]{1,6}$", description="`next`, a row")] = "0"
    status: RowStatus | None = None
    format: Literal["json", "csv"] = "json"


class BatchRow(View):
    """A row as it stands; never the token's digits."""

    row: int
    issue_ref: str
    recipient: str
    amount: Amount
    currency: Currency
    status: RowStatus
    serial: Serial | None
    code: str | None
    detail: str | None


class RowPage(View):
    """Rows in the order of the file."""

    rows: list[BatchRow]
    next: str | None
