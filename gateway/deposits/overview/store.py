"""SQL of how many callbacks contradict the books."""

from datetime import datetime

from sqlalchemy import Connection, func, select

from gateway.deposits.callbacks.store import Became, callbacks

# What an operator has to look at, and nothing in the gateway will ever settle by itself.
CONTRADICTED = (Became.CONFLICT, Became.GIVEN_UP)


def contradicted(connection: Connection, since: datetime) -> int:
    """How many came since then: what they are is never changed, also once somebody has looked."""
    c = callbacks.c
    wanted = c.became.in_([became.value for became in CONTRADICTED])
    query = select(func.count()).where(wanted, c.received_at >= since)
    return int(connection.execute(query).scalar_one())
