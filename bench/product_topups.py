"""The product's side of signed deposits: its orders, as its own menu and worker leave them."""

from collections.abc import Sequence
from decimal import Decimal
from functools import partial

from sqlalchemy import Connection

from bench.product import copy_row, row_of
from bench.topups import AMOUNT, CURRENCY, PROVIDER, Topup
from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.deposits import store
from gateway.deposits.orders import Orders
from gateway.deposits.store import deposits
from gateway.ledger.books import Books
from gateway.ledger.fees import Fees
from gateway.ledger.store import WALLET, accounts
from gateway.providers.snippe import SnippeProvider
from gateway.settings.providers import Snippe

ROWS_AT_ONCE = 2_000


def prepare(url: str, orders: Sequence[Topup]) -> None:
    """Migrate and place the orders, each pushed: its provider's id is known.

    The first is placed by the product, the others are copies of its row with names of their own.
    """
    database = Database(url, pool_size=1)
    database.upgrade()
    database.run(partial(_first, order=orders[0]))
    phones = sorted({order.phone for order in orders} - {orders[0].phone})
    database.run(partial(_wallets, like=orders[0].phone, phones=phones))
    for start in range(1, len(orders), ROWS_AT_ONCE):
        some = orders[start : start + ROWS_AT_ONCE]
        database.run(partial(_copies, like=orders[0], orders=some))
    database.dispose()


def _first(connection: Connection, order: Topup) -> None:
    now = Clock().now()
    snippe = SnippeProvider(Snippe(api_key="bench"), public_url="https://pay.example.com")
    placed = Orders([snippe], Books(), Fees()).place(
        connection, order.reference, order.phone, PROVIDER, Decimal(AMOUNT), CURRENCY, now
    )
    store.note(connection, placed.id, now, provider_ref=order.provider_ref)


def _wallets(connection: Connection, like: str, phones: Sequence[str]) -> None:
    a = accounts.c
    first = row_of(connection, accounts, (a.kind == WALLET) & (a.owner == like))
    copy_row(connection, accounts, first, ({"owner": phone} for phone in phones))


def _copies(connection: Connection, like: Topup, orders: Sequence[Topup]) -> None:
    first = row_of(connection, deposits, deposits.c.reference == like.reference)
    own = (
        {"reference": one.reference, "provider_ref": one.provider_ref, "msisdn": one.phone}
        for one in orders
    )
    copy_row(connection, deposits, first, own)
