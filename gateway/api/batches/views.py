"""How a batch, its rows and its faults are told: to its partner, and to operators."""

from collections.abc import Mapping, Sequence
from typing import Any

from gateway.api.batches.row import Fault
from gateway.api.batches.store import Batch, Kept, RowStatus, Tally
from gateway.clock import iso
from gateway.formats import money
from gateway.partners import testing

EXPORT = (
    *("row", "issue_ref", "recipient", "amount", "currency"),
    *("status", "serial", "code", "detail"),
)


def summary(batch: Batch, tallies: Mapping[str, Tally]) -> Mapping[str, Any]:
    """A batch as a list shows it."""
    return {
        "batch": batch.reference,
        "status": batch.status,
        "rows": batch.row_count,
        "total": money.plain(batch.total),
        "currency": batch.currency,
        **counts(tallies),
        "created_at": iso(batch.created_at),
        "ended_at": None if batch.ended_at is None else iso(batch.ended_at),
    }


def row_view(kept: Kept, currency: str) -> Mapping[str, Any]:
    """A row as its partner reads it; never digits of a token."""
    row = kept.row
    return {
        "row": row.number,
        "issue_ref": row.issue_ref,
        "recipient": testing.shown(row.recipient),
        "amount": money.plain(row.amount),
        "currency": currency,
        "status": kept.status,
        "serial": kept.serial,
        "code": kept.code,
        "detail": kept.detail,
    }


def sheet_row(kept: Kept, currency: str) -> Sequence[Any]:
    """The same as a line under `EXPORT`; amounts stay numbers for a spreadsheet."""
    shown = row_view(kept, currency)
    return [*list(shown.values())[:3], kept.row.amount, *list(shown.values())[4:]]


def counts(tallies: Mapping[str, Tally]) -> Mapping[str, Any]:
    """How many rows stand where, and what was issued."""
    found = {status.value: tallies.get(status, Tally()).rows for status in RowStatus}
    amount = tallies.get(RowStatus.ISSUED, Tally()).amount
    return {**found, "issued_total": money.plain(amount)}


def fault(of: Fault) -> Mapping[str, Any]:
    """What is wrong with a file."""
    return {"row": of.row, "column": of.column, "code": "invalid_request", "detail": of.detail}


def failed(kept: Kept) -> Mapping[str, Any]:
    """Why a row was not issued."""
    return {"row": kept.row.number, "column": "", "code": kept.code, "detail": kept.detail or ""}
