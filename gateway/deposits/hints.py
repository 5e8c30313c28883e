"""What an unproven success does: it makes us ask, and moves no money, now or later."""

from datetime import datetime

from sqlalchemy import Connection

from gateway.deposits import asks, store
from gateway.deposits.callbacks.store import Became
from gateway.deposits.finding import Found
from gateway.deposits.store import Deposit
from gateway.deposits.verdicts import Verdict, conflict
from gateway.providers.base.messages import Notice


def heard(connection: Connection, found: Found, notice: Notice, now: datetime) -> Verdict:
    """Ask about the order, which is credited by the answer alone.

    The carrier's id that a hint names is noted for people. It is booked only when the provider's
    answer or a proven payment names it: else whoever can send a hint could name a stranger's.
    """
    order = found.order or found.by_txn
    if order is None:
        return Verdict(Became.UNMATCHED)
    if not order.is_open:
        return _late(connection, order, found.by_txn, notice, now)
    if notice.amount is not None and notice.amount != order.amount:
        store.note(connection, order.id, now, parked=f"a callback says {notice.amount}")
        return conflict(order, f"a callback says {notice.amount}")
    _note(connection, order, notice, now)
    asks.now(connection, order, now)
    return Verdict(Became.ASKED, order.id)


def _late(
    connection: Connection,
    order: Deposit,
    by_txn: Deposit | None,
    notice: Notice,
    now: datetime,
) -> Verdict:
    if not notice.txn_id or notice.txn_id == order.txn_id:
        return Verdict(Became.DUPLICATE, order.id)
    if order.txn_id is not None:
        return conflict(order, "a callback names another transaction")
    _note(connection, order, notice, now)
    if by_txn is not None:  # perhaps its own, paid without a reference: two operators can join them
        return conflict(order, f"its transaction was booked as {by_txn.reference}")
    return Verdict(Became.DUPLICATE, order.id)


def _note(connection: Connection, order: Deposit, notice: Notice, now: datetime) -> None:
    if notice.txn_id and not order.hinted_txn_id:
        store.note(connection, order.id, now, hinted_txn_id=notice.txn_id)
