"""SQL of how many deposits and callbacks wait for somebody."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from gateway.deposits.callbacks.store import Became, callbacks
from gateway.deposits.states import OPEN, State
from gateway.deposits.store import deposits
from gateway.ledger.store import SUSPENSE, accounts

# What an operator has to look at, and nothing in the gateway will ever settle by itself.
CONTRADICTED = (Became.CONFLICT, Became.GIVEN_UP)


@dataclass(frozen=True, slots=True)
class Waiting:
    """What of the money that came in waits for somebody."""

    suspense: int  # payments without a wallet to go to
    parked: int  # orders that are not booked before somebody has looked
    contradicted: int  # callbacks


def waiting(connection: Connection, since: datetime) -> Waiting:
    """How many wait; of the callbacks, those that came since then: they are never settled."""
    d, a, c = deposits.c, accounts.c, callbacks.c
    in_suspense = (
        select(func.count())
        .select_from(deposits)
        .join(accounts, a.id == d.account_id)
        .where(a.kind == SUSPENSE, d.state == State.COMPLETED.value)
    )
    parked = select(func.count()).where(
        d.state.in_([state.value for state in OPEN]), d.parked.is_not(None)
    )
    contradicted = select(func.count()).where(
        c.became.in_([became.value for became in CONTRADICTED]), c.received_at >= since
    )
    counts = (connection.execute(query).scalar_one() for query in (in_suspense, parked))
    return Waiting(*map(int, counts), int(connection.execute(contradicted).scalar_one()))
