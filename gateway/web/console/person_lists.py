"""The lists on somebody's page: one of them at a time, each page by page."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection

from gateway.audit import store as audit
from gateway.deposits.owned import store as deposits
from gateway.ledger.listing import store as ledger
from gateway.ledger.store import Account
from gateway.tokens.listing import store as tokens
from gateway.tokens.listing.store import Side
from gateway.web.console.reading import ROWS_MAX, Page, page_of
from gateway.withdrawals.owned import store as withdrawals

# The list's name in the address, its label, and what stands in its place while it is empty.
TABS: Final = (
    ("statement", "Statement", "Nothing has moved in this wallet yet."),
    ("received", "Tokens received", "Nobody has sent a token to this phone yet."),
    ("sent", "Tokens sent", "This phone has sent no token yet."),
    ("withdrawals", "Withdrawals", "Nothing was withdrawn from this wallet yet."),
    ("deposits", "Deposits", "No money was paid in for this phone yet."),
    ("trail", "Audit trail", "Nobody has done anything about this phone yet."),
)
Rows = Callable[[Connection, str, Sequence[Account], int | None, int], Sequence[Any]]


def _statement(
    connection: Connection, _: str, wallets: Sequence[Account], before: int | None, rows_max: int
) -> Sequence[Any]:
    """Of the first wallet, which is the one in use."""
    return ledger.entries_of(connection, wallets[0].id, before, rows_max) if wallets else ()


def _withdrawals(
    connection: Connection, _: str, wallets: Sequence[Account], before: int | None, rows_max: int
) -> Sequence[Any]:
    return withdrawals.page(connection, [one.id for one in wallets], before, rows_max)


ROWS: Final[Mapping[str, Rows]] = {
    "statement": _statement,
    "received": lambda c, phone, _, before, most: tokens.page(
        c, phone, Side.RECEIVED, before, most
    ),
    "sent": lambda c, phone, _, before, most: tokens.page(c, phone, Side.SENT, before, most),
    "withdrawals": _withdrawals,
    "deposits": lambda c, phone, _, before, most: deposits.page(c, phone, before, most),
}


def rows_of(connection: Connection, tab: str, phone: str, wallets: Sequence[Account]) -> Page[Any]:
    """The page of a list that the address asks for; of the trail, the latest lines."""
    if tab not in ROWS:
        return Page(audit.latest(connection, ROWS_MAX, subject=phone))
    rows = ROWS[tab]
    return page_of(
        lambda before, most: rows(connection, phone, wallets, before, most), lambda one: one.id
    )
