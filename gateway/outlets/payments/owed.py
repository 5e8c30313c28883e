"""Who has the money of a payment: its till until the shift is closed, its outlet from then on."""

from sqlalchemy import Connection

from gateway.ledger import store as ledger_store
from gateway.ledger.store import OUTLET, TILL, Account
from gateway.outlets import manage
from gateway.outlets.payments import store
from gateway.outlets.shifts import store as shifts
from gateway.outlets.shifts.closing import known
from gateway.outlets.shifts.store import State

COUNTERS = (TILL, OUTLET)  # the kinds of the accounts that have it


def lock(connection: Connection, token_id: int) -> None:
    """Keep the money of a payment where it is until this transaction ends.

    To be called before its token is locked; for a token that no shift has paid it does nothing.
    """
    payment = store.of_token(connection, token_id)
    if payment is not None:
        shifts.lock(connection, payment.shift_id)


def holder(connection: Connection, token_id: int) -> Account | None:
    """The account that has the money of a token; None when no shift has paid it.

    A till serves one cashier after another: what is in it belongs to the shift that is open.
    """
    payment = store.of_token(connection, token_id)
    if payment is None:
        return None
    shift = known(connection, payment.shift_id)
    if shift.state != State.CLOSED:
        return ledger_store.by_id(connection, shift.account_id)
    return ledger_store.by_id(connection, manage.known(connection, shift.outlet).account_id)
