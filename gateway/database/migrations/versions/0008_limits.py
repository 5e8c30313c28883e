"""Tiers, the day's totals and the owner's verification on accounts."""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

from gateway.clock import Clock
from gateway.database.types import Money

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

TABLE = "accounts"


def upgrade() -> None:
    """Add the columns a run that broke off has not; wallets in use count as used today."""
    present = {column["name"] for column in sa.inspect(op.get_bind()).get_columns(TABLE)}
    for column in _columns():
        if column.name not in present:
            op.add_column(TABLE, column)
    accounts = sa.table(TABLE, sa.column("kind"), sa.column("active_on", sa.Date))
    op.execute(
        sa.update(accounts)
        .where(accounts.c.kind == "wallet", accounts.c.active_on.is_(None))
        .values(active_on=Clock().now().date())
    )


def _columns() -> Iterator[sa.Column[Any]]:
    yield sa.Column("tier", sa.String(length=16), nullable=True)
    yield sa.Column("day", sa.Date(), nullable=True)
    yield sa.Column("day_debits", Money(), nullable=False, server_default=sa.text("0.00"))
    yield sa.Column("day_credits", Money(), nullable=False, server_default=sa.text("0.00"))
    yield sa.Column("active_on", sa.Date(), nullable=True)
    yield sa.Column("unverified", sa.Boolean(), nullable=False, server_default="0")
