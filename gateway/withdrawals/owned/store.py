"""SQL of the withdrawals from somebody's wallets, page by page."""

from collections.abc import Sequence

from sqlalchemy import Connection, select

from gateway.withdrawals.store import Withdrawal, withdrawals


def page(
    connection: Connection, account_ids: Sequence[int], before: int | None, rows_max: int
) -> list[Withdrawal]:
    """The withdrawals from some accounts, newest first; those with ids below one, if given."""
    c = withdrawals.c
    query = select(*c).where(c.account_id.in_(account_ids))
    if before is not None:
        query = query.where(c.id < before)
    rows = connection.execute(query.order_by(c.id.desc()).limit(rows_max))
    return [Withdrawal(*row) for row in rows]
