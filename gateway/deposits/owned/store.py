"""SQL of the deposits for one phone, page by page."""

from sqlalchemy import Connection, select

from gateway.deposits.store import Deposit, deposits


def page(connection: Connection, msisdn: str, before: int | None, rows_max: int) -> list[Deposit]:
    """The deposits for a phone, newest first; those with ids below one, if it is given."""
    c = deposits.c
    query = select(*c).where(c.msisdn == msisdn)
    if before is not None:
        query = query.where(c.id < before)
    rows = connection.execute(query.order_by(c.id.desc()).limit(rows_max))
    return [Deposit(*row) for row in rows]
