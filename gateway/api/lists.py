"""What a partner reads page by page: its tokens, and the statement of its float."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection

from gateway.api.tokens import view
from gateway.clock import iso
from gateway.errors import BadInput
from gateway.formats import money, msisdn
from gateway.ledger import floats
from gateway.ledger.books import ZERO
from gateway.ledger.listing import store as listing
from gateway.ledger.listing.store import Entry
from gateway.partners import testing
from gateway.partners.access.keys import Access
from gateway.tokens import serials, store
from gateway.tokens.issued import store as issued
from gateway.tokens.store import Status, Token

SHEET_MAX = 50_000  # lines of one file; a longer time is asked for in parts
COLUMNS = ("at", "kind", "subject", "amount", "balance", "currency")


class TooMany(BadInput):
    """The answer would be too long: a shorter time is asked for."""


@dataclass(frozen=True, slots=True)
class Span:
    """From when until (without it) when; None: open."""

    since: datetime | None
    until: datetime | None


def tokens_of(
    connection: Connection,
    access: Access,
    country: str,
    now: datetime,
    *,
    limit: int,
    after: str | None,
    status: str | None,
    recipient: str | None,
    span: Span,
) -> Mapping[str, Any]:
    """A partner's tokens, newest first; `next` is what to ask `after` for the page behind.

    Raises `BadInput` for an `after` that is none of its tokens.
    """
    phone = None if recipient is None else msisdn.parse(recipient, country)
    if phone is not None and access.is_test:
        phone = testing.nobody(phone)
    found = issued.page(
        connection,
        access.owner,
        limit + 1,
        now,
        before=None if after is None else _known(connection, access, after).id,
        status=None if status is None else Status(status),
        recipient=phone,
        since=span.since,
        until=span.until,
    )
    return {
        "tokens": [view(token, now) for token in found[:limit]],
        "next": found[limit - 1].serial if len(found) > limit else None,
    }


def statement(
    connection: Connection,
    access: Access,
    currency: str,
    *,
    limit: int,
    after: int | None,
    span: Span,
) -> Mapping[str, Any]:
    """The entries of a float, newest first, each with the balance it left; `next` as above."""
    lines, more = _lines(connection, access, currency, limit, after, span)
    return {
        "lines": [_line(entry, balance, currency) for entry, balance in lines],
        "next": str(lines[-1][0].id) if more else None,
    }


def sheet(
    connection: Connection, access: Access, currency: str, span: Span
) -> Sequence[Sequence[str | Decimal]]:
    """The same as the rows of a file, under `COLUMNS`. Raises `TooMany`."""
    lines, more = _lines(connection, access, currency, SHEET_MAX, None, span)
    if more:
        raise TooMany(f"more than {SHEET_MAX} lines: ask for a shorter time")
    return [
        (iso(entry.at), entry.kind, entry.subject, entry.amount, balance, currency)
        for entry, balance in lines
    ]


def _lines(
    connection: Connection,
    access: Access,
    currency: str,
    limit: int,
    after: int | None,
    span: Span,
) -> tuple[list[tuple[Entry, Decimal]], bool]:
    """The entries with their balances, and whether there are more behind."""
    account = floats.find(connection, access.owner, currency)
    if account is None:
        return [], False
    found = listing.entries_of(connection, account.id, after, limit + 1, span.since, span.until)
    more, lines = len(found) > limit, []
    owed = (account.balance or ZERO) + account.held
    at = found[0].id if found else 0
    owed -= listing.booked_after(connection, account.id, at)
    for entry in found[:limit]:
        lines.append((entry, owed))
        owed -= entry.amount
    return lines, more


def _line(entry: Entry, balance: Decimal, currency: str) -> Mapping[str, Any]:
    return {
        "at": iso(entry.at),
        "kind": entry.kind,
        "subject": entry.subject,
        "amount": money.plain(entry.amount),
        "balance": money.plain(balance),
        "currency": currency,
    }


def _known(connection: Connection, access: Access, after: str) -> Token:
    serial = serials.normalise(after)
    found = None if serial is None else store.by_serial(connection, serial)
    if found is None or found.issuer != access.owner:
        raise BadInput("after: this partner has no token with this serial")
    return found
