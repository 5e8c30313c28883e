"""Which count of a drawer is decided about, who made it, and what the shift before left there."""

import sqlalchemy as sa
from alembic import op

from gateway.database.types import Money

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns, if a run that broke off has not."""
    _add(sa.Column("counts", sa.Integer(), nullable=False, server_default="0"))
    _add(sa.Column("counted_by", sa.String(length=64), nullable=True))
    _add(sa.Column("left_cash", Money(), nullable=True))
    shifts = sa.table("shifts", sa.column("counts"), sa.column("state"))
    uncounted = sa.and_(shifts.c.state != "open", shifts.c.counts == 0)
    op.execute(sa.update(shifts).where(uncounted).values(counts=1))
    op.create_index("ix_shifts_opened_at", "shifts", ["opened_at"], if_not_exists=True)


def _add(column: sa.Column[object]) -> None:
    present = {known["name"] for known in sa.inspect(op.get_bind()).get_columns("shifts")}
    if column.name not in present:
        op.add_column("shifts", column)
